"""Graphs of TensorFlow 1 in files: `MetaGraphDef`s with collections, and SavedModels made of them.

Start with `meta_graphs.py` (writing) and `meta_graph_import.py` (reading).
"""
