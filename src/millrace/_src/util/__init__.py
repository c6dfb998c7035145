"""What needs no tensor: nests, public names, text of messages, threads, trials, checksums.

Start with `nest.py` (nested structures) and `export.py` (`@export` states a public name). Kernels share their work by
`thread_pool.py`; `trials.py` finds the fastest implementation by timing the program's own calls.
"""
