"""The built-in output formats, one a file; and the progress line."""
