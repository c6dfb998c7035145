"""The oneDNN library: where it is, its functions, its objects.

Problem: oneDNN computes convolutions several times faster than a matrix product of copied windows, but it is a library
of 55 MB that few programs need, in C.

Idea: ctypes calls the C interface, so that nothing is compiled, and a library that is missing costs nothing but its
speed. The library is looked for when the first large piece of work comes: in the file that `MILLRACE_ONEDNN` names
(empty: nowhere), in the environment's `lib` folder (pip's `onednn-cpu-gomp`, conda), and where the loader looks.

A call runs in the thread that calls, unless `Library.threads` gives it more: OpenMP's, which take 5 us to begin where
Python's take 100. They wait for the next call in a busy loop, here for some tens of microseconds at most, because other
threads want the cores too; then they sleep, and take 50 us to wake up.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from millrace._src.util.lazy_import import new_variables_removed

NAMES = {"linux": "libdnnl.so.3", "darwin": "libdnnl.3.dylib"}
VARIABLE = "MILLRACE_ONEDNN"
_MAJOR = 3
_SEQUENTIAL, _OPENMP = 1, 2
"""The kinds of builds, by what runs their loops."""
_CPU = 1
_NO_FLAGS, _IN_ORDER = 0, 1
_USER_SCRATCH = 1
_SPIN = ("GOMP_SPINCOUNT", "10000")
"""How often OpenMP's threads look for the next call before they sleep, and the variable that says it."""
_SPIN_VARIABLES = ("OMP_WAIT_POLICY", _SPIN[0])
"""The variables by which a user says it."""

P = ctypes.c_void_p
_I, _L = ctypes.c_int, ctypes.c_int64
_Dims = _L * 12
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "dnnl_engine_create": (P, _I, ctypes.c_size_t),
    "dnnl_stream_create": (P, P, ctypes.c_uint),
    "dnnl_stream_destroy": (P,),
    "dnnl_stream_wait": (P,),
    "dnnl_primitive_attr_create": (P,),
    "dnnl_primitive_attr_destroy": (P,),
    "dnnl_primitive_attr_set_scratchpad_mode": (P, _I),
    "dnnl_primitive_attr_set_post_ops": (P, P),
    "dnnl_post_ops_create": (P,),
    "dnnl_post_ops_destroy": (P,),
    "dnnl_post_ops_append_eltwise": (P, _I, ctypes.c_float, ctypes.c_float),
    "dnnl_post_ops_append_binary": (P, _I, P),
    "dnnl_memory_desc_create_with_strides": (P, _I, _Dims, _I, _Dims),
    "dnnl_memory_desc_create_with_tag": (P, _I, _Dims, _I, _I),
    "dnnl_memory_desc_destroy": (P,),
    "dnnl_memory_desc_equal": (P, P),
    "dnnl_memory_create": (P, P, P, P),
    "dnnl_memory_set_data_handle": (P, P),
    "dnnl_memory_destroy": (P,),
    "dnnl_primitive_desc_query": (P, _I, _I, P),
    "dnnl_primitive_desc_destroy": (P,),
    "dnnl_primitive_create": (P, P),
    "dnnl_primitive_execute": (P, P, _I, P),
    "dnnl_primitive_destroy": (P,),
    "dnnl_reorder_primitive_desc_create": (P, P, P, P, P, P),
    "dnnl_binary_primitive_desc_create": (P, P, _I, P, P, P, P),
    "dnnl_eltwise_forward_primitive_desc_create": (P, P, _I, _I, P, P, ctypes.c_float, ctypes.c_float, P),
    "dnnl_convolution_forward_primitive_desc_create": (P, P, _I, _I, P, P, P, P, _Dims, _Dims, _Dims, _Dims, P),
    "dnnl_convolution_backward_data_primitive_desc_create": (P, P, _I, P, P, P, _Dims, _Dims, _Dims, _Dims, P, P),
    "dnnl_convolution_backward_weights_primitive_desc_create": (P, P, _I, P, P, P, P, _Dims, _Dims, _Dims, _Dims, P, P),
    "dnnl_pooling_forward_primitive_desc_create": (P, P, _I, _I, P, P, _Dims, _Dims, _Dims, _Dims, _Dims, P),
    "dnnl_pooling_backward_primitive_desc_create": (P, P, _I, P, P, _Dims, _Dims, _Dims, _Dims, _Dims, P, P),
    "dnnl_softmax_forward_primitive_desc_create": (P, P, _I, _I, P, P, _I, P),
    "dnnl_batch_normalization_forward_primitive_desc_create": (P, P, _I, P, P, ctypes.c_float, ctypes.c_uint, P),
    "dnnl_batch_normalization_backward_primitive_desc_create": (
        P,
        P,
        _I,
        *(P,) * 3,
        ctypes.c_float,
        ctypes.c_uint,
        P,
        P,
    ),
    "dnnl_layer_normalization_forward_primitive_desc_create": (P, P, _I, *(P,) * 3, ctypes.c_float, ctypes.c_uint, P),
    "dnnl_layer_normalization_backward_primitive_desc_create": (
        P,
        P,
        _I,
        *(P,) * 4,
        ctypes.c_float,
        ctypes.c_uint,
        P,
        P,
    ),
    "dnnl_matmul_primitive_desc_create": (P, P, P, P, P, P, P),
    "dnnl_sgemm": (*(ctypes.c_char,) * 2, *(_L,) * 3, ctypes.c_float, P, _L, P, _L, ctypes.c_float, P, _L),
    "omp_set_num_threads": (_I,),
}
"""C's signatures of the functions that return a status, or nothing."""
RESULTS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "dnnl_primitive_desc_query_md": ((P, _I, _I), P),
    "dnnl_memory_desc_get_size": ((P,), ctypes.c_size_t),
    "omp_get_max_threads": ((), _I),
    "omp_get_dynamic": ((), _I),
}
"""C's signatures of the functions that return something else."""


class OnednnError(Exception):
    """A call that the library refused; what it refuses is computed in another way."""


class _LibraryVersion(ctypes.Structure):
    _fields_ = (
        *((name, _I) for name in ("major", "minor", "patch")),
        ("hash", ctypes.c_char_p),
        ("cpu_runtime", ctypes.c_uint),
        ("gpu_runtime", ctypes.c_uint),
    )


class Object:
    """An object of the library's; it is destroyed with this one."""

    __slots__ = ("_as_parameter_", "_destroy")

    def __init__(self, pointer: ctypes.c_void_p, destroy: Any) -> None:
        self._as_parameter_ = pointer
        """What ctypes passes."""
        self._destroy = destroy

    def __del__(self) -> None:
        self._destroy(self._as_parameter_)


class Library:
    """The functions of a loaded library.

    Args:
      path: the file.

    Raises:
      OSError: if the file is not a library, or one that cannot be used.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with new_variables_removed(_SPIN[0]):  # OpenMP reads them while it is loaded
            if not any(name in os.environ for name in _SPIN_VARIABLES):
                os.environ.update([_SPIN])
            self._quick = ctypes.PyDLL(path)
        """For calls that return at once: letting other threads run would take longer than the call."""
        self._slow = ctypes.CDLL(path)
        """For calls that take a while: other threads of Python run."""
        self.version, runtime = self._facts()
        self.has_threads = runtime == _OPENMP
        if self.version[0] != _MAJOR or runtime not in (_SEQUENTIAL, _OPENMP):
            raise OSError(f"{path}: oneDNN {self.version} with runtime {runtime} is not supported")
        missing = [name for name in (*SIGNATURES, *RESULTS) if self._is_used(name) and not hasattr(self._slow, name)]
        if missing:
            raise OSError(f"{path}: lacks {missing}")
        self._declare()
        self.engine = self.make("dnnl_engine_create", None, _CPU, 0)
        self.attributes = self.make_attributes()
        """The attributes of most primitives: their scratch memory is given by the caller."""

    def _facts(self) -> tuple[tuple[int, int, int], int]:
        try:
            ask = self._slow.dnnl_version
        except AttributeError:
            raise OSError(f"{self.path}: is not oneDNN") from None
        ask.restype = ctypes.POINTER(_LibraryVersion)
        version = ask().contents
        return (version.major, version.minor, version.patch), version.cpu_runtime

    def _is_used(self, name: str) -> bool:
        return self.has_threads or not name.startswith("omp_")

    def _declare(self) -> None:
        for functions in (self._quick, self._slow):
            for name in filter(self._is_used, SIGNATURES):
                getattr(functions, name).argtypes = SIGNATURES[name]
            for name in filter(self._is_used, RESULTS):
                function = getattr(functions, name)
                function.argtypes, function.restype = RESULTS[name]

    def quick(self, name: str) -> Any:
        """Returns a function that returns at once."""
        return getattr(self._quick, name)

    def slow(self, name: str) -> Any:
        """Returns a function that takes a while, during which other threads run."""
        return getattr(self._slow, name)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a status.

        Raises:
          OnednnError: if the library refuses.
        """
        status = getattr(self._slow, name)(*arguments)
        if status:
            raise OnednnError(f"{name}: status {status}")

    def make(self, name: str, destroy: str | None, *arguments: object) -> Any:
        """Makes an object; one that nothing destroys (`destroy` is None) stays as long as the process.

        Raises:
          OnednnError: if the library refuses.
        """
        pointer = P()
        self.call(name, ctypes.byref(pointer), *arguments)
        return pointer if destroy is None else Object(pointer, getattr(self._quick, destroy))

    def make_attributes(self) -> Object:
        """Makes attributes of primitives: their scratch memory is given by the caller."""
        made: Object = self.make("dnnl_primitive_attr_create", "dnnl_primitive_attr_destroy")
        self.call("dnnl_primitive_attr_set_scratchpad_mode", made, _USER_SCRATCH)
        return made

    def make_stream(self) -> Object:
        """Makes a queue of work, which one thread at a time may use."""
        stream: Object = self.make("dnnl_stream_create", "dnnl_stream_destroy", self.engine, _IN_ORDER)
        return stream

    def threads(self, count: int) -> contextlib.AbstractContextManager[None]:
        """Lets this thread's calls use a number of threads inside of a `with`, whatever the thread uses else."""
        return _Threads(self._quick, count) if self.has_threads else contextlib.nullcontext()

    def one_thread(self) -> contextlib.AbstractContextManager[None]:
        """Lets this thread's calls use no other threads inside of a `with`."""
        return self.threads(1)


class _Threads(contextlib.AbstractContextManager[None]):
    """Sets the number of OpenMP's threads for calls of the current thread; entered often, so without a generator."""

    __slots__ = ("_count", "_before", "_functions")

    def __init__(self, functions: Any, count: int) -> None:
        self._functions, self._count = functions, count

    def __enter__(self) -> None:
        self._before = self._functions.omp_get_max_threads()
        if self._before != self._count:
            self._functions.omp_set_num_threads(self._count)

    def __exit__(self, *_: object) -> None:
        if self._before != self._count:
            self._functions.omp_set_num_threads(self._before)


def dims(values: Sequence[int]) -> Any:
    """Makes C's array of sizes."""
    return _Dims(*values)


def candidates() -> list[str]:
    """Lists where the library may be, best first; a bare name is looked for by the loader."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return [named] if named else []
    name = NAMES.get(sys.platform)
    if name is None:
        return []
    folders = dict.fromkeys(Path(root, "lib") for root in (sysconfig.get_path("data"), sys.prefix, sys.base_prefix))
    return [*(str(folder / name) for folder in folders if (folder / name).is_file()), name]


@functools.cache
def load() -> Library | None:
    """Returns the library; None if there is none that can be used."""
    for path in candidates():
        try:
            return Library(path)
        except (OSError, OnednnError):
            continue
    return None


def is_loaded() -> bool:
    """Returns whether the library has been looked for; asking loads nothing."""
    return load.cache_info().currsize > 0
