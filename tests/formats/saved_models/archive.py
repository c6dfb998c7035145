"""A folder of small files as one compressed file whose bytes are a function of the files alone."""

from __future__ import annotations

import zipfile
from pathlib import Path

_DAY = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, archive: Path) -> None:
    """Writes all files below `folder`, and its empty folders, into the zip file `archive`."""
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_file():
                file.writestr(zipfile.ZipInfo(name, _DAY), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
            elif not any(path.iterdir()):
                file.writestr(zipfile.ZipInfo(f"{name}/", _DAY), b"")


def unpack(archive: Path, folder: Path) -> None:
    """Writes the files of `archive` into `folder`."""
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)


def files_below(folder: Path) -> list[str]:
    """Returns the names of the files below `folder`, and of its empty folders."""
    paths = [path for path in folder.rglob("*") if path.is_file() or not any(path.iterdir())]
    return sorted(path.relative_to(folder).as_posix() for path in paths)
