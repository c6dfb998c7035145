"""`tf.compat.v1.losses`: losses as numbers of a graph, and the collection that holds them. Start with
`reduction.py`.
"""
