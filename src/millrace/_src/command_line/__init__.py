"""The command line: what `python -m millrace` and `saved_model_cli` do, on top of everything else."""
