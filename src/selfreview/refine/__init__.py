"""Refinement: the loop that runs until the verdict passes."""
