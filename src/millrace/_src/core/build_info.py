"""`tf.sysconfig.get_build_info`: what TensorFlow was compiled with, which programs ask before they use a GPU."""

from __future__ import annotations

from collections import OrderedDict

from millrace._src.util.export import export


@export("sysconfig.get_build_info")
def get_build_info() -> OrderedDict[str, bool]:
    """Returns which GPU libraries the build was compiled with: none, since Millrace has no compiled parts.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)
