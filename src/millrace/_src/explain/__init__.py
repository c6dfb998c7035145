"""What the system says about itself: profiles, and what a machine and an installation offer.

A watcher notes each op that runs (`recorder.py`); events (`events.py`) become tables and traces (`op_table.py`,
`xplane.py`). Start with `profiler.py`.
"""
