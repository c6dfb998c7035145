"""Makes `import tensorflow` give Millrace.

Problem: programs say `import tensorflow as tf`, `from tensorflow.keras import layers`, `import tensorflow.compat.v1`,
and some reach into `tensorflow.python`. Such programs are to run unmodified, and a class reached by two names must be
one class.

Idea: `sys.modules["tensorflow"]` *is* the package `millrace`, and every name below `tensorflow` is an alias of the
module of the same name below `millrace`. The root then also calls itself `tensorflow` in messages and states the
version of the TensorFlow release that Millrace follows, since programs parse the version.
"""

from __future__ import annotations

import sys
from types import ModuleType

from millrace._src.interop import private_paths
from millrace._src.util.class_homes import show_homes
from millrace._src.util.export import export
from millrace._src.util.lazy_import import aliases
from millrace._src.util.version import TENSORFLOW_VERSION

_OWN_NAME = __name__.partition(".")[0]
ALIAS = "tensorflow"


@export("install_as_tensorflow", v1=[])
def install_as_tensorflow() -> ModuleType:
    """Makes `import tensorflow` in this process give Millrace.

    Call it before the first `import tensorflow`. Calling it again changes nothing. `python -m millrace run script.py`
    does it for a program that is not to be edited.

    >>> import millrace
    >>> millrace.install_as_tensorflow()  # doctest: +SKIP
    >>> import tensorflow as tf  # doctest: +SKIP
    >>> tf is millrace  # doctest: +SKIP
    True

    Returns:
        The module `millrace`, now also called `tensorflow`.

    Raises:
        ImportError: if another `tensorflow` was imported in this process; two cannot live under one name.
    """
    root = sys.modules[_OWN_NAME]
    present_module = sys.modules.get(ALIAS)
    if present_module is root:
        return root
    if present_module is not None:
        raise ImportError(
            "install_as_tensorflow() must come before the first `import tensorflow`: this process has already imported "
            f"another tensorflow, from {getattr(present_module, '__file__', 'an unknown path')}.",
            name=ALIAS,
        )
    for stale in [name for name in sys.modules if name.startswith(ALIAS + ".")]:
        del sys.modules[stale]
    aliases.add(ALIAS, _OWN_NAME)
    private_paths.install(root)
    sys.modules[ALIAS] = root
    root.__name__ = ALIAS
    show_homes()
    for space in (root, root.compat.v1):
        space.__dict__["__version__"] = space.version.__dict__["VERSION"] = TENSORFLOW_VERSION
    return root


def is_installed() -> bool:
    """Returns whether `import tensorflow` gives Millrace in this process."""
    return sys.modules.get(ALIAS) is sys.modules[_OWN_NAME]
