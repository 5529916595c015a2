"""The report as a SARIF log."""
