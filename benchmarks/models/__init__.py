"""Whole models as their users feel them: the first step, the first thirty, the steady step, and memory.

`python -m benchmarks.models` runs each model of `table.py: MODELS` on each framework, each in a process of its own
(`worker.py`), the frameworks in turn (`runner.py`). The programs are in `programs`: TensorFlow and Millrace run the
same text, and what is written with Keras alone runs on Keras's backends for JAX and PyTorch too.
"""
