"""Graphs of TensorFlow 1 in files: `MetaGraphDef`s with collections, and SavedModels made of them."""
