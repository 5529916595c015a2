"""Redaction of secrets in everything that a model is sent."""
