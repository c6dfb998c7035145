"""`tf.compat.v1.resource_loader`: files that stand beside the program's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

from millrace._src.util.export import export

_LIBRARY_FOLDER = Path(__file__).resolve().parents[2]


def _folder_of_caller() -> str:
    """Returns the folder of the first function on the stack that is not of this module."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return os.path.dirname(frame.f_code.co_filename) if frame is not None else os.getcwd()


@export(v1=["resource_loader.get_data_files_path"])
def get_data_files_path() -> str:
    """Returns the folder of the file that calls."""
    return _folder_of_caller()


@export(v1=["resource_loader.get_path_to_datafile"])
def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file that stands beside the file that calls.

    Args: path: The path below the folder of the file that calls.
    """
    return os.path.join(_folder_of_caller(), path)


@export(v1=["resource_loader.get_root_dir_with_all_resources"])
def get_root_dir_with_all_resources() -> str:
    """Returns the folder of the package."""
    return str(_LIBRARY_FOLDER)


@export(v1=["resource_loader.load_resource"])
def load_resource(path: str) -> bytes:
    """Reads a file.

    Args: path: The path below the folder of the package, or an absolute path.
    Returns: The content.
    Raises: FileNotFoundError: if there is no such file.
    """
    return (_LIBRARY_FOLDER / path).read_bytes()


@export(v1=["resource_loader.readahead_file_path"])
def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path as it is: how far to read ahead is left to the system.

    Args:
      path: A path.
      readahead: Ignored.
    """
    return path
