"""Fixers."""
