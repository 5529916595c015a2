"""Rules for PHP."""
