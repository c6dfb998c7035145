"""SavedModel: programs with their variables in a folder, as TensorFlow writes and reads them."""
