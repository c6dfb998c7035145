"""Graphs whose control flow is `Switch`es and whose variables are references, made into functions and resources.

`tf.import_graph_def` (`graph/import_graph_def.py`) and the loader of SavedModels without objects come here. Start at
`functionalization.py`; `dataflow_nodes.py` says where each node stands in the control flow.
"""
