"""Steps of optimizers as ops on variables: formulas in `update_rules.py`, ops in `dense_updates.py` and
`row_updates.py`.
"""
