"""What converted code calls: each decides at run time whether Python or the graph runs a statement."""
