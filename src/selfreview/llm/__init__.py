"""Review and fix by a model: context, prompts, requests, answers, and their cost."""
