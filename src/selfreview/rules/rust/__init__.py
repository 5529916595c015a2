"""Rules for Rust."""
