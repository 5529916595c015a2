"""Rules for Go."""

LANGUAGES = ("go",)
