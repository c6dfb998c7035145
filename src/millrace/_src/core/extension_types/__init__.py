"""Extension types: the user's own classes as values of functions, loops, gradients and datasets."""
