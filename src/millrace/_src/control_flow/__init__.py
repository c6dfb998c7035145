"""Ops whose attributes are graphs: call, cond, while, case."""
