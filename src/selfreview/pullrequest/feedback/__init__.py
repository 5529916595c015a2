"""Meaning of feedback on a pull request: classified, read, and turned into issues for fixers."""
