"""Names of files, and the errors about files.

A name is what the user wrote: text, bytes or a path object, perhaps with a scheme in front. Errors of the operating
system become those of `tf.errors`, with that name.
"""

from __future__ import annotations

import errno
import os
import re
from typing import Any

from millrace._src.core import errors

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9.]*)://")

_ERROR_CLASSES: dict[int, Any] = {
    **dict.fromkeys((errno.EINVAL, errno.ENAMETOOLONG, errno.EDESTADDRREQ, errno.E2BIG), errors.InvalidArgumentError),
    **dict.fromkeys((errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ESRCH), errors.NotFoundError),
    errno.EEXIST: errors.AlreadyExistsError,
    **dict.fromkeys((errno.EPERM, errno.EACCES, errno.EROFS), errors.PermissionDeniedError),
    **dict.fromkeys(
        (errno.ENOTEMPTY, errno.EISDIR, errno.ENOTDIR, errno.EBADF, errno.EBUSY, errno.ETXTBSY, errno.EPIPE),
        errors.FailedPreconditionError,
    ),
    **dict.fromkeys(
        (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EMLINK, errno.EDQUOT),
        errors.ResourceExhaustedError,
    ),
    **dict.fromkeys((errno.EFBIG, errno.EOVERFLOW, errno.ERANGE), errors.OutOfRangeError),
    **dict.fromkeys((errno.ENOSYS, errno.ENOTSUP, errno.EXDEV), errors.UnimplementedError),
    **dict.fromkeys((errno.EAGAIN, errno.EINTR, errno.ECONNREFUSED), errors.UnavailableError),
}
"""The class of error that TensorFlow has for a code of the operating system; `UnknownError` for others."""

_CODES: dict[type[OSError], int] = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
    TimeoutError: errno.EAGAIN,
}
"""The code of an error that carries none, as those of remote file systems often do."""


def file_name(path: object) -> str:
    """Returns a name of a file as text.

    Raises: TypeError: if `path` is neither text, nor bytes, nor a path object.
    """
    name = path.__fspath__() if isinstance(path, os.PathLike) else path
    if isinstance(name, bytes):
        return name.decode("utf-8", "surrogateescape")
    if isinstance(name, str):
        return name
    raise TypeError(f"Expected binary or unicode string, got {path!r}")


def scheme_of(name: str) -> str:
    """Returns the scheme that a name begins with, or "" for the name of a local file.

    >>> from millrace._src.ops.io.file_names import scheme_of
    >>> scheme_of("ram://a/b"), scheme_of("a:b")
    ('ram', '')

    Raises: tf.errors.InvalidArgumentError: for a zero byte.
    """
    if "\0" in name:
        raise errors.InvalidArgumentError(None, None, f"{name!r}; the name of a file holds no zero byte")
    match = _SCHEME.match(name)
    return "" if match is None else match[1]


def directory_name(name: str) -> str:
    """Returns the name of the directory that a file is in; "" for that of the process.

    >>> from millrace._src.ops.io.file_names import directory_name
    >>> [directory_name(name) for name in ("ram://a/b", "ram://b", "/a/b", "b")]
    ['ram://a', 'ram://', '/a', '']
    """
    scheme, separator, path = name.partition("://") if _SCHEME.match(name) else ("", "", name)
    return f"{scheme}{separator}{os.path.dirname(path)}"


class file_errors:
    """Turns an error of the operating system into the error of `tf.errors` about the file of that name.

    Args:
      name: the name of the file, as the user wrote it.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            code = error.errno or _CODES.get(type(error), 0)
            error_class = _ERROR_CLASSES.get(code, errors.UnknownError)
            reason = error.strerror or (os.strerror(code) if code else error)
            raise error_class(None, None, f"{self._name}; {reason}") from None
