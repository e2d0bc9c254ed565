"""What the program does, one short module per command."""
