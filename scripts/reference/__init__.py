"""The parts of the reference that are made from the code, one a file."""
