"""The built-in notifiers, one a module, independent of one another."""
