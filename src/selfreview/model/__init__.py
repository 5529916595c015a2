"""The vocabulary of a review as plain data: no I/O, no imports from other layers.

Python names are snake_case; :mod:`selfreview.model.wire` gives the camelCase JSON.
"""
