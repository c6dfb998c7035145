"""Names of files, and what the operating system says about the files.

TensorFlow's file names may begin with a scheme, `file://` for the local disk; other schemes belong to file systems that
are not here. Errors of the operating system become those of `tf.errors`, with the name that the user wrote.
"""

from __future__ import annotations

import errno
import os
import re
from typing import Any

from millrace._src.core import errors

SCHEMES = ("file", "")
"""The schemes of the file names that are understood."""

_BINARY: int = getattr(os, "O_BINARY", 0)  # of Windows, where text is another mode of reading
_SMALLEST_PART = 1 << 16

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


def file_name(path: Any) -> str:
    """Returns a name of a file as text.

    Raises: TypeError: if `path` is neither text, nor bytes, nor a path object.
    """
    name = path.__fspath__() if isinstance(path, os.PathLike) else path
    if isinstance(name, bytes):
        return name.decode("utf-8", "surrogateescape")
    if isinstance(name, str):
        return name
    raise TypeError(f"Expected binary or unicode string, got {path!r}")


def local_path(name: str) -> str:
    """Returns the path on this machine of a file name, which may begin with `file://`.

    >>> from millrace._src.ops.io.file_system import local_path
    >>> local_path("file:///tmp/x"), local_path("x")
    ('/tmp/x', 'x')

    Raises: tf.errors.UnimplementedError: for a scheme other than `file`; InvalidArgumentError: for a zero byte.
    """
    if "\0" in name:
        raise errors.InvalidArgumentError(None, None, f"{name!r}; the name of a file holds no zero byte")
    scheme = _SCHEME.match(name)
    if scheme is None:
        return name
    if scheme[1] not in SCHEMES:
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{scheme[1]}' not implemented (file: '{name}')"
        )
    return "/" + name[scheme.end() :].partition("/")[2]  # a host before the path is passed over


def content_of(path: str) -> bytes:
    """Reads a whole file in few calls of the operating system: each may cost a thread its turn with Python's lock.

    Raises: OSError: if there is no such file, or it cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | _BINARY)
    try:
        size = os.fstat(descriptor).st_size
        content = os.read(descriptor, size + 1)
        if 0 < len(content) == size:
            return content
        parts = [content]  # a pipe, a file that grows, or one that the system makes as it is read
        while parts[-1]:
            parts.append(os.read(descriptor, max(size, _SMALLEST_PART)))
        return b"".join(parts)
    finally:
        os.close(descriptor)


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

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError):
            error_class = _ERROR_CLASSES.get(error.errno or 0, errors.UnknownError)
            raise error_class(None, None, f"{self._name}; {error.strerror or error}") from None
