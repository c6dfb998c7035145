"""The oneDNN library, by ctypes: convolutions, pools and products of float arrays. Works without the library."""
