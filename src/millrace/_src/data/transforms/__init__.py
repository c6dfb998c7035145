"""Datasets that are made of other datasets; one module for each transformation. Start with `take.py`, then
`batch.py`.
"""
