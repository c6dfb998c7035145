"""What converted code calls: each operator decides at run time whether Python or the graph runs a statement.

`namespace.py` lists the operators under the names that converted code uses. Start with `if_statements.py` and
`loops.py`.
"""
