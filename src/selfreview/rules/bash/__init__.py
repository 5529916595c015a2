"""Rules for Bash."""
