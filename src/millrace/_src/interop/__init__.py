"""Other worlds: `import tensorflow`, Keras, files of arrays.

`tensorflow_alias.py` puts Millrace under the name `tensorflow`; `private_paths.py` says which private paths of
TensorFlow it also answers. Start with `launcher.py`, which runs a program so.
"""
