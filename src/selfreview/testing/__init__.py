"""Tools for the authors of plugins."""
