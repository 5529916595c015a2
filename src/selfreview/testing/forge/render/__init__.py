"""Everything as REST tells it."""
