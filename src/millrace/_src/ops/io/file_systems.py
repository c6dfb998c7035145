"""Which file system a name belongs to.

A name with a scheme, as in `ram://a/b`, belongs to the file system that is registered for the scheme, one without to
the disk of this machine. Schemes without a registered file system are left to `fsspec`.
"""

from __future__ import annotations

from millrace._src.ops.io.file_names import file_errors, scheme_of
from millrace._src.ops.io.file_system import FileSystem
from millrace._src.ops.io.local_files import LOCAL
from millrace._src.ops.io.ram_files import RamFileSystem
from millrace._src.ops.io.remote_files import remote_file_system, remote_schemes

_registered: dict[str, FileSystem] = {"ram": RamFileSystem(), "file": LOCAL, "": LOCAL}


def file_system_of(name: str) -> tuple[FileSystem, str]:
    """Returns the file system that a name belongs to, and the path there.

    >>> from millrace._src.ops.io.file_systems import file_system_of
    >>> file_system_of("file:///tmp/x")[1], file_system_of("x")[1]
    ('/tmp/x', 'x')

    Raises: tf.errors.UnimplementedError: for an unknown scheme; InvalidArgumentError: for a zero byte.
    """
    scheme = scheme_of(name)
    if not scheme:
        return LOCAL, name
    file_system = _registered.get(scheme) or remote_file_system(name, scheme)
    return file_system, file_system.path_of(name)


def content_of(name: str) -> bytes:
    """Reads a whole file.

    Raises: tf.errors.OpError: if there is no such file, or it cannot be read.
    """
    file_system, path = file_system_of(name)
    with file_errors(name):
        return file_system.content(path)


def register_file_system(scheme: str, file_system: FileSystem | None) -> None:
    """Lets a file system serve the names of a scheme; None takes the scheme away."""
    if file_system is None:
        _registered.pop(scheme, None)
    else:
        _registered[scheme] = file_system


def registered_schemes() -> list[str]:
    """Returns the schemes that names may begin with, those of `fsspec` last."""
    return [*_registered, *(scheme for scheme in remote_schemes() if scheme not in _registered)]
