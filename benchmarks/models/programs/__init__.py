"""The models, as users write them: a function builds one with its data and returns what one step does.

Sizes are keyword arguments, so that tests can run the same text with small ones. Data are random with fixed seeds. A
module that imports Keras and NumPy only runs on every backend of Keras.
"""
