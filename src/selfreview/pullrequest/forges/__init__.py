"""The built-in forges, one a module, independent of one another."""
