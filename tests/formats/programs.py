"""All programs whose graphs are compared, in the order of `recorded/graphs.txt`."""

from __future__ import annotations

from tests.formats import function_programs, graph_programs
from tests.formats.program import Program

PROGRAMS: list[Program] = [*graph_programs.PROGRAMS, *function_programs.PROGRAMS]
