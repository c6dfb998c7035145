"""Steps of optimizers as ops on variables."""
