"""Ops of `tf.audio`: WAV files, in `wav_files.py`."""
