"""Gradients: tapes, the backward sweep, custom gradients, forward mode, vectorization.

While a tape is active, every op call leaves an entry (`tape.py`, `op_recording.py`). A gradient is one sweep over the
entries, last first (`backprop.py`), which calls the ops' gradients; a graph's operations are presented as entries
(`graph_gradients.py`). A tape that comes back is swept by one prepared program (`sweep_programs.py`). Start with
`gradient_tape.py: GradientTape`, then `backprop.py`.
"""
