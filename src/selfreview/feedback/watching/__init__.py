"""Watching pull requests: who has news is looked at cheaply, and one fix cycle is scheduled for each that has.

It only schedules. What a cycle does, and that it may be repeated, is :mod:`selfreview.feedback.cycle`'s.
"""
