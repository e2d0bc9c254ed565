"""Controls state by hand."""
