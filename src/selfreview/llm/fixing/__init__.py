"""Fixing of issues by a model or an agent: prompts, tools and reports."""
