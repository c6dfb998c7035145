"""Files of named arrays: checkpoints, safetensors and npz files, read and written alike.

Each kind of file is an `array_file.py: ArrayFile`. Start with `file_conversion.py`.
"""
