"""Watching of pull requests: cheap looks for news, and one fix cycle scheduled for each pull request with news.

It only schedules. What a cycle does, and that it may be repeated, is :mod:`selfreview.pullrequest.cycle`'s.
"""
