"""Content of prompts about a change: views, related code, guidelines and prompts."""
