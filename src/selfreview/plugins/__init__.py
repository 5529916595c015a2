"""Plugins: which there are, loading them, calling them."""
