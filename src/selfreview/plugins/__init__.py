"""Plugins: finding, loading and calling them."""
