"""Commands that show what reviews found."""
