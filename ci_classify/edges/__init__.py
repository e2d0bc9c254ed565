"""The only code that touches git, GitHub's files and variables, and the file system."""
