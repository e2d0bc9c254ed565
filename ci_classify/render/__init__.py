"""Turn facts into text. Nothing here decides anything."""
