"""Running git and reading its output exactly: bytes and ``-z`` everywhere, and no setting that can change it."""
