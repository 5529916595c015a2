"""Rules for Python."""

LANGUAGES = ("python",)
