"""Feedback on a pull request: what it means, one answer to it, and who watches for more."""
