"""Reviewers that start a program: finding and running it, reading its report, making findings of it."""
