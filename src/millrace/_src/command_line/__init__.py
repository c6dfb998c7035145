"""The command line: what `python -m millrace` and `saved_model_cli` do, on top of everything else.

A command states its arguments and what it does with them (`commands.py`); its failures are one line (`failures.py`).
Start with `show.py` or `run.py`.
"""
