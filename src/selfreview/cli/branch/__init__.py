"""Commands by which a person decides on a branch."""
