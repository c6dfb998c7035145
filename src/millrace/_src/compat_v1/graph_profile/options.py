"""`tf.compat.v1.profiler.ProfileOptionBuilder`: what a profile of a graph shows, in which order, and where it goes.

Tests: tests/oracle/programs/v1_profiler.py
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from millrace._src.util.export import export

_ALL = {
    "max_depth": 10000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
_MEMORY_MINIMA = ("min_bytes", "min_peak_bytes", "min_residual_bytes", "min_output_bytes")
_TIME_MINIMA = ("min_micros", "min_accelerator_micros", "min_cpu_micros")


@export(v1=["profiler.ProfileOptionBuilder"])
class ProfileOptionBuilder:
    """Makes options of `tf.compat.v1.profiler.profile`.

    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_max_depth(3).with_empty_output().build()
    >>> options["max_depth"], options["order_by"]
    (3, 'float_ops')

    Args: options: options to begin with; None for the defaults.
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._options = copy.deepcopy(_ALL if options is None else options)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """Returns options that count the parameters of trainable variables."""
        chosen = {"account_type_regexes": ["_trainable_variables"], "select": ["params"]}
        return {**copy.deepcopy(_ALL), **chosen, "account_displayed_op_only": True}

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Returns options that count float operations."""
        chosen = {"min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]}
        return {**copy.deepcopy(_ALL), **chosen, "account_displayed_op_only": True}

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Returns options that show times and memory of what takes at least so much."""
        minima = (min_bytes, min_peak_bytes, min_residual_bytes, min_output_bytes)
        chosen = {
            **dict(zip(_MEMORY_MINIMA, minima, strict=True)),
            **dict(zip(_TIME_MINIMA, (min_micros, min_accelerator_micros, min_cpu_micros), strict=True)),
        }
        shown = {"order_by": "micros", "select": ["micros", "bytes"], "account_displayed_op_only": True}
        return {**copy.deepcopy(_ALL), **chosen, **shown}

    def build(self) -> dict[str, Any]:
        """Returns the options."""
        return copy.deepcopy(self._options)

    def _set(self, **options: object) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows nodes down to a depth."""
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that take at least so much memory."""
        minima = (min_bytes, min_peak_bytes, min_residual_bytes, min_output_bytes)
        return self._set(**dict(zip(_MEMORY_MINIMA, minima, strict=True)))

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that take at least so much time."""
        return self._set(**dict(zip(_TIME_MINIMA, (min_micros, min_accelerator_micros, min_cpu_micros), strict=True)))

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows nodes with at least so many parameters."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows ops that occur at least so often."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes with at least so many float operations."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts operations whose types match: their op, device, or `_trainable_variables`."""
        return self._set(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Starts at, shows, hides, or cuts off below the nodes whose names match."""
        given = {"start": start_name_regexes, "show": show_name_regexes}
        given.update(hide=hide_name_regexes, trim=trim_name_regexes)
        return self._set(**{f"{name}_name_regexes": list(regexes) for name, regexes in given.items() if regexes})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Counts what is shown alone, and not what is hidden."""
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._set(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints to standard output."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Prints to a file."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes a timeline for chrome://tracing and Perfetto; the profile needs `run_meta`."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Asks for pprof's format, which a profile refuses."""
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Puts what has most of a cost first: "micros", "bytes", "params", "float_ops", "occurrence"; or "name"."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Shows some costs: "micros", "bytes", "params", "float_ops", "occurrence", "device", "op_types"."""
        return self._set(select=copy.copy(list(attributes)))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Shows the times of one step, as numbered by `Profiler.add_step`; -1 for their mean."""
        return self._set(step=step)
