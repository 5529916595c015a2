"""The engine: from a change to a result."""
