"""Controls hosts by hand."""
