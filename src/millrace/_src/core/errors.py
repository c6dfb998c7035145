"""The exceptions of failed ops: `tf.errors.*`.

Problem: users catch TensorFlow's exception classes, read their codes and fields, and send them between processes.

Idea: one class per status code under `OpError`, each of which only names its code. Two tables translate between codes
and classes. Misuse while tracing raises ordinary Python errors (`TypeError`, `ValueError`) or named subclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from millrace._src.util.export import export, export_constant

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

export_constant(__name__, "OK", "errors.OK")
export_constant(__name__, "CANCELLED", "errors.CANCELLED")
export_constant(__name__, "UNKNOWN", "errors.UNKNOWN")
export_constant(__name__, "INVALID_ARGUMENT", "errors.INVALID_ARGUMENT")
export_constant(__name__, "DEADLINE_EXCEEDED", "errors.DEADLINE_EXCEEDED")
export_constant(__name__, "NOT_FOUND", "errors.NOT_FOUND")
export_constant(__name__, "ALREADY_EXISTS", "errors.ALREADY_EXISTS")
export_constant(__name__, "PERMISSION_DENIED", "errors.PERMISSION_DENIED")
export_constant(__name__, "RESOURCE_EXHAUSTED", "errors.RESOURCE_EXHAUSTED")
export_constant(__name__, "FAILED_PRECONDITION", "errors.FAILED_PRECONDITION")
export_constant(__name__, "ABORTED", "errors.ABORTED")
export_constant(__name__, "OUT_OF_RANGE", "errors.OUT_OF_RANGE")
export_constant(__name__, "UNIMPLEMENTED", "errors.UNIMPLEMENTED")
export_constant(__name__, "INTERNAL", "errors.INTERNAL")
export_constant(__name__, "UNAVAILABLE", "errors.UNAVAILABLE")
export_constant(__name__, "DATA_LOSS", "errors.DATA_LOSS")
export_constant(__name__, "UNAUTHENTICATED", "errors.UNAUTHENTICATED")


@export("errors.OpError", v1=["errors.OpError", "OpError"])
class OpError(Exception):
    """An op failed while it ran.

    >>> try:
    ...     tf.reshape([1, 2, 3], [2, 2])
    ... except tf.errors.OpError as error:
    ...     print(error.error_code == tf.errors.INVALID_ARGUMENT)
    True
    """

    def __init__(self, node_def: Any, op: Any, message: Any, error_code: int, *args: Any) -> None:
        """Creates the error.

        Args:
            node_def: the `NodeDef` of the failed op, or None.
            op: the graph's Operation that failed, or None for an eager op.
            message: the text of the error.
            error_code: one of the codes of this module.
            *args: the payloads of the status, a mapping by type URL. Programs that make the error of a class anew pass
              the code once more, as to `OpError` (Keras does); what is not a mapping is not a payload.
        """
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._payloads = dict(args[0]) if args and isinstance(args[0], Mapping) else {}
        self.failed_op: str | None = None
        """The name of the OpDef behind the complaint in the message; None unless `op_error` made the error."""
        self.complaint: str | None = None
        """The message without the name of the op; None unless `op_error` made the error."""
        self.failed_node: str | None = None
        """The name of the node of a graph that failed; None unless a graph was running."""
        self.node_complaint: str | None = None
        """The message without the location of that node."""

    @property
    def message(self) -> Any:
        """The text of the error, without the location in the program."""
        return self._message

    @property
    def op(self) -> Any:
        """The graph's Operation that failed; None for an eager op."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The `NodeDef` of the failed op, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The status code, such as `tf.errors.INVALID_ARGUMENT`."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """The payloads of the status, by type URL."""
        return self._payloads

    def __str__(self) -> str:
        trace = getattr(self._op, "traceback", None)
        if not trace:
            return str(self._message)
        frames = (f"  {frame}" for frame in (trace if isinstance(trace, list) else [trace]))
        return "\n".join([f"{self._message}", "", f"Original stack trace for {self._op.name!r}:", *frames, ""])

    def __reduce__(self) -> tuple[Callable[..., OpError], tuple[Any, ...]]:
        # Graphs do not travel with errors; the text of the op's location does.
        return type(self), (self._node_def, None, self._message, self._error_code, self._payloads)


class _CodedError(OpError):
    """An OpError whose class fixes the code."""

    _code: ClassVar[int]

    def __init__(self, node_def: Any, op: Any, message: Any, *args: Any) -> None:
        super().__init__(node_def, op, message, self._code, *args)

    def __reduce__(self) -> tuple[Callable[..., OpError], tuple[Any, ...]]:
        return type(self), (self._node_def, None, self._message, self._payloads)


@export("errors.CancelledError")
class CancelledError(_CodedError):
    """The operation was stopped before it finished, for example because its queue was closed."""

    _code = CANCELLED


@export("errors.UnknownError")
class UnknownError(_CodedError):
    """An error without a code of its own, for example an exception raised inside `tf.py_function`."""

    _code = UNKNOWN


@export("errors.InvalidArgumentError")
class InvalidArgumentError(_CodedError):
    """An op received a value or a shape for which the op is not defined, such as matrices whose inner dimensions
    differ.
    """

    _code = INVALID_ARGUMENT


def invalid(message: str) -> InvalidArgumentError:
    """Makes the error of an op that was given a bad value."""
    return InvalidArgumentError(None, None, message)


class UnknownWhileCompilingError(InvalidArgumentError):
    """A kernel needs a value that is computed only when the compiled program runs.

    Attributes:
      inputs: The names of the op's inputs that must be known; empty for all inputs.
      tensors: The tensors behind those inputs in the graph that is compiled; set by the engine.
    """

    def __init__(self, message: str, inputs: tuple[str, ...] = (), tensors: Any = None) -> None:
        super().__init__(None, None, message)
        self.inputs = inputs
        self.tensors = tensors


@export("errors.DeadlineExceededError")
class DeadlineExceededError(_CodedError):
    """The time allowed for the operation ran out before it finished."""

    _code = DEADLINE_EXCEEDED


@export("errors.NotFoundError")
class NotFoundError(_CodedError):
    """A file, directory, checkpoint key or named resource does not exist."""

    _code = NOT_FOUND


@export("errors.AlreadyExistsError")
class AlreadyExistsError(_CodedError):
    """Something that was to be created, such as a file or a resource, is already there."""

    _code = ALREADY_EXISTS


@export("errors.PermissionDeniedError")
class PermissionDeniedError(_CodedError):
    """The caller may not do this, for example write to a protected file."""

    _code = PERMISSION_DENIED


@export("errors.ResourceExhaustedError")
class ResourceExhaustedError(_CodedError):
    """Memory, disk space or a quota ran out; a smaller batch may help."""

    _code = RESOURCE_EXHAUSTED


@export("errors.FailedPreconditionError")
class FailedPreconditionError(_CodedError):
    """The state that an op needs is not there, for example a variable was read before its initialization."""

    _code = FAILED_PRECONDITION


@export("errors.AbortedError")
class AbortedError(_CodedError):
    """The operation gave up because of a concurrent action; the program may try the operation again."""

    _code = ABORTED


@export("errors.OutOfRangeError")
class OutOfRangeError(_CodedError):
    """An iterator or a reader went past its end."""

    _code = OUT_OF_RANGE


@export("errors.UnimplementedError")
class UnimplementedError(_CodedError):
    """The op does not support this dtype, rank, device or option."""

    _code = UNIMPLEMENTED


@export("errors.InternalError")
class InternalError(_CodedError):
    """An invariant of the runtime is broken: a bug, not a mistake of the caller."""

    _code = INTERNAL


@export("errors.UnavailableError")
class UnavailableError(_CodedError):
    """A service, such as another process, cannot be reached at the moment."""

    _code = UNAVAILABLE


@export("errors.DataLossError")
class DataLossError(_CodedError):
    """Data is corrupt or truncated, for example a checkpoint or record file with a wrong checksum."""

    _code = DATA_LOSS


@export("errors.UnauthenticatedError")
class UnauthenticatedError(_CodedError):
    """The request carries no valid credentials."""

    _code = UNAUTHENTICATED


@export("errors.OperatorNotAllowedInGraphError", v1=[])
class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator that needs a value, such as `if` or `for`, met a symbolic tensor.

    Attributes:
      tensor: The symbolic tensor, where it is known.
    """

    def __init__(self, message: str, tensor: Any = None) -> None:
        super().__init__(message)
        self.tensor = tensor


class InaccessibleTensorError(ValueError):
    """A symbolic tensor was used outside the function that defines it."""


def op_error(op_name: str, complaint: str, kind: type[_CodedError] = InvalidArgumentError, name: str = "") -> OpError:
    """Makes the error of an op that failed in eager mode, with the op's name after the complaint, as in TensorFlow.

    Args:
      op_name: the name of the OpDef.
      complaint: the text of the error.
      kind: the class of the error.
      name: the operation's name in TensorFlow's message, which is mostly empty.
    """
    error = kind(None, None, f"{complaint} [Op:{op_name}] name: {name}")
    error.failed_op, error.complaint = op_name, complaint
    return error


def rename_op(error: OpError, name: str) -> OpError:
    """Returns the error of an op that failed in eager mode with another name of the operation."""
    if error.failed_op is None or error.complaint is None:
        return error
    kind: Any = type(error)  # a subclass fixes the code
    return op_error(error.failed_op, error.complaint, kind, name)


_CLASS_OF_CODE: dict[int, type[_CodedError]] = {cls._code: cls for cls in _CodedError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """Returns the exception class of a status code.

    >>> tf.compat.v1.errors.exception_type_from_error_code(5).__name__
    'NotFoundError'

    Raises:
        KeyError: if no class has that code (0 is success).
    """
    return _CLASS_OF_CODE[error_code]
