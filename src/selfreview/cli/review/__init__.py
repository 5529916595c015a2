"""Commands that review."""
