"""The built-in notifiers, one per module, independent of each other."""
