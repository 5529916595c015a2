"""JSON of the REST API."""
