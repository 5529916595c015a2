"""The report that a developer reads on a terminal."""
