"""How a graph runs: the table of engines, the choice between them, and what several engines share.

`tiers.py` takes a graph to a program: of one engine, or one that starts on NumPy and moves to the engine that
measures faster (`tiered_program.py`, `background_compiler.py`). `binding.py` makes one op callable on arrays, for
eager calls and programs alike. An engine's own folder is imported through `engine_table.py` alone; the contract is
`core/engine.py`. Start with `tiers.py`.
"""
