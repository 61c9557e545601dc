"""A table in the browser: a page on which people sit down at the games, served from this machine to this machine."""
