"""The wire formats: TensorFlow's messages under a package name of our own.

`.proto` files, and the modules that `tools/gen_protos.py` generates from them. Nothing here is written by hand but
the `.proto` files; `graph/proto_names.py` gives messages their public names.
"""
