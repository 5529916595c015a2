"""Rules for Swift."""
