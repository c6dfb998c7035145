"""The code of the seed documents, run."""
