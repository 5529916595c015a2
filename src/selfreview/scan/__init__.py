"""Secrets: finding them in text, and hiding them."""
