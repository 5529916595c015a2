"""Text for people: made safe to print, measured, wrapped and cut. It knows nothing of reviews."""
