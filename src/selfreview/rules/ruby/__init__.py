"""Rules for Ruby."""
