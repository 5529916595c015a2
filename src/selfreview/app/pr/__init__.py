"""Pull requests: found on their forge, opened, looked at, answered and watched, for any front end."""
