"""`tf.data`: input pipelines.

A dataset op makes a node (`nodes.py`). Iterating rewrites the tree of nodes (`pipeline_optimizer.py`) and makes
cursors (`cursors.py`), which pass on blocks of elements (`blocks.py`) until an iterator takes single elements out
(`iterator_resource.py`). The user's functions are traced once (`traced_functions.py`). Start with
`transforms/map_elements.py`: op, node, cursor and method of one transformation.
"""
