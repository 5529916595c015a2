"""Rules for Python."""
