"""Datasets that are made of other datasets; one module for each transformation."""
