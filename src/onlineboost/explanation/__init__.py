"""What a model goes by."""
