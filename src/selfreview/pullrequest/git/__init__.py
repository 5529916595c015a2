"""The branch of a pull request in git: fixes committed, landed and pushed."""
