"""The oneDNN library by ctypes: convolutions, pools, products of float arrays. Without the library, callers use NumPy.

NumPy arrays go in and out; `library.py` finds the library, `primitives.py` makes one function of it callable.
"""
