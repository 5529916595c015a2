"""The gate in CI: whose word counts, and what the settings of the base are."""
