"""What a model is shown of a change: views, related code, guidelines and prompts."""
