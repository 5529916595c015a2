"""The built-in reviewers: one a file; ``_name.py`` files are the parts that they share or keep to themselves."""
