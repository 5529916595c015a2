"""Rules for Kotlin."""
