"""The parts of the GitHub forge."""
