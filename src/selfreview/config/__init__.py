"""Configuration: keys declared once, sources in order, and one resolved view."""
