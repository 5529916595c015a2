"""Commands that set up selfreview, and that look at how it is set up."""
