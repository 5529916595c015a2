"""Feedback on a pull request: its meaning, one answer to each piece, and a watcher for new feedback."""
