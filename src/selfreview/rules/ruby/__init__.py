"""Rules for Ruby."""

LANGUAGES = ("ruby",)
