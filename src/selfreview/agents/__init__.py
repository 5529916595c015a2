"""The agents that selfreview knows: one file each, with its command line."""
