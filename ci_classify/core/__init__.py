"""The model, the matcher and the decisions: pure, without I/O, clock or environment."""
