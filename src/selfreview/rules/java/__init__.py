"""Rules for Java."""
