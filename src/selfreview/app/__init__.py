"""Reviews of a change for any front end: no terminal, no command line, no current folder."""
