"""An object store of `fsspec`, as strict as those of the clouds are."""

from __future__ import annotations

import io
from typing import Any, ClassVar

import fsspec


class ObjectStore(fsspec.AbstractFileSystem):
    """A file system without directories, in which a file appears when it is closed, and is never changed."""

    protocol = "store"
    objects: ClassVar[dict[str, bytes]] = {}

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path in self.objects:
            return {"name": path, "size": len(self.objects[path]), "type": "file"}
        if any(name.startswith(f"{path}/") for name in self.objects):
            return {"name": path, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        path = self._strip_protocol(path)
        rests = {name[len(path) + 1 :].partition("/")[0] for name in self.objects if name.startswith(f"{path}/")}
        if not rests:
            raise FileNotFoundError(path)
        names = [f"{path}/{rest}" for rest in sorted(rests)]
        return [self.info(name) for name in names] if detail else names

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        if mode == "rb":
            self.info(path)
            return io.BytesIO(self.objects[path])
        if mode != "wb":
            raise NotImplementedError(f"no mode {mode}")
        return _NewObject(path)

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        self.objects[self._strip_protocol(path2)] = self.objects[self._strip_protocol(path1)]

    def rm_file(self, path: str) -> None:
        path = self._strip_protocol(path)
        if path not in self.objects:
            raise FileNotFoundError(path)
        del self.objects[path]

    _rm = rm_file


class _NewObject(io.BytesIO):
    """An object that is being written."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed:
            ObjectStore.objects[self._path] = self.getvalue()
        super().close()
