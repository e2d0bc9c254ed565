"""The modules behind the command line."""
