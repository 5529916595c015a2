"""Sending of questions to models and agents: requests, credentials, budget, failures and confinement."""
