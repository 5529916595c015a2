"""What it takes to ask a model: context, prompts, requests, answers, and their cost."""
