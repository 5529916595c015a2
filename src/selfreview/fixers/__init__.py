"""The fixers that come with selfreview, one a file."""
