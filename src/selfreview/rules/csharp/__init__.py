"""Rules for C#."""
