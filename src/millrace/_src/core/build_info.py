"""`tf.sysconfig`: what TensorFlow was compiled with, which programs ask before they use a GPU or compile ops of C++.

Millrace has no compiled parts: the numbers are those of TensorFlow's release, and there are no folders to name.

Tests: tests/oracle/programs/configuration.py
"""

from __future__ import annotations

from collections import OrderedDict

from millrace._src.util.export import export, export_constant


@export("sysconfig.get_build_info")
def get_build_info() -> OrderedDict[str, bool]:
    """Returns which GPU libraries the build was compiled with: none, since Millrace has no compiled parts.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0

export_constant(
    __name__, "CXX11_ABI_FLAG", "sysconfig.CXX11_ABI_FLAG", v1=["sysconfig.CXX11_ABI_FLAG", "CXX11_ABI_FLAG"]
)
export_constant(__name__, "CXX_VERSION", "sysconfig.CXX_VERSION", v1=["sysconfig.CXX_VERSION", "CXX_VERSION"])
export_constant(
    __name__, "MONOLITHIC_BUILD", "sysconfig.MONOLITHIC_BUILD", v1=["sysconfig.MONOLITHIC_BUILD", "MONOLITHIC_BUILD"]
)


def _no_library(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"tf.sysconfig.{name}: Millrace is written in Python and has no C++ headers or libraries to compile against. "
        "An op of your own is a Python function; see `tf.numpy_function` and `millrace._api.extend`."
    )


@export("sysconfig.get_include")
def get_include() -> str:
    """Refuses to name a folder of C++ headers: there are none.

    Raises: NotImplementedError: always.
    """
    raise _no_library("get_include")


@export("sysconfig.get_lib")
def get_lib() -> str:
    """Refuses to name a folder of C++ libraries: there are none.

    Raises: NotImplementedError: always.
    """
    raise _no_library("get_lib")


@export("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """Refuses to list the flags of a C++ compiler: there are no headers.

    Raises: NotImplementedError: always.
    """
    raise _no_library("get_compile_flags")


@export("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """Refuses to list the flags of a linker: there are no libraries.

    Raises: NotImplementedError: always.
    """
    raise _no_library("get_link_flags")
