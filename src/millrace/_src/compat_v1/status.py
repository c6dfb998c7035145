"""`tf.compat.v1.errors.raise_exception_on_not_ok_status`: a status in a `with` block becomes an exception behind it."""

from __future__ import annotations

from typing import Any, Literal

from millrace._src.core import errors
from millrace._src.core.errors import UNKNOWN
from millrace._src.util.export import export


class Status:
    """A code of `tf.errors` and its message."""

    def __init__(self) -> None:
        self.code = errors.OK
        self.message = ""

    def set(self, code: int, message: str) -> None:
        """Notes what went wrong."""
        self.code, self.message = code, message


@export(v1=["errors.raise_exception_on_not_ok_status"])
class raise_exception_on_not_ok_status:
    """Gives a status to the `with` block, and raises the error that the status says at its end.

    >>> try:
    ...     with tf.compat.v1.errors.raise_exception_on_not_ok_status() as status:
    ...         status.set(tf.errors.NOT_FOUND, "no such file")
    ... except tf.errors.NotFoundError as error:
    ...     print(error.message)
    no such file
    """

    def __enter__(self) -> Status:
        self._status = Status()
        return self._status

    def __exit__(self, kind: object, value: object, trace: object) -> Literal[False]:
        status = self._status
        if kind is None and status.code != errors.OK:
            error_class: Any = errors.exception_type_from_error_code(status.code)
            raise error_class(None, None, status.message)
        return False


@export(v1=["errors.error_code_from_exception_type"])
def error_code_from_exception_type(cls: type[BaseException]) -> int:
    """Returns the status code of an exception class; `UNKNOWN` for classes that are not TensorFlow's.

    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5
    """
    return getattr(cls, "_code", UNKNOWN)
