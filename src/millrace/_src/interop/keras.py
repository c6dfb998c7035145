"""`tf.keras` is real Keras 3, unmodified, on its TensorFlow backend, which is Millrace.

Problem: Keras chooses a backend while Keras is imported, and then imports `tensorflow`. `import millrace.keras`,
`tf.keras`, and `import keras` in a program that imported Millrace are all to give Keras on Millrace.

Idea: just before Keras is imported, make `tensorflow` mean Millrace. `tf.keras` also asks Keras for the TensorFlow
backend, and refuses another; a plain `import keras` leaves the choice to the user's environment and configuration.

Tests: tests/interop/test_keras_optimizers.py
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from millrace._src.interop.keras_optimizers import register_keras_optimizers
from millrace._src.interop.keras_tracking import register_keras_state
from millrace._src.interop.tensorflow_alias import ALIAS, install_as_tensorflow
from millrace._src.util.lazy_import import import_optional

_BACKEND = "KERAS_BACKEND"
_TESTED = "3.15"
"""The release of Keras whose own tests are run on Millrace."""


def prepare() -> None:
    """Makes Keras ready to import: runs before `tf.keras` is imported.

    Raises:
        ModuleNotFoundError: if Keras is not installed; the message says how to install it.
        ImportError: if Keras already runs on another backend in this process, or asks for a part of TensorFlow that
            Millrace does not have yet; the message names the part.
    """
    if sys.modules.get("keras") is not None:
        backend = import_module("keras").config.backend()
        if backend != "tensorflow":
            raise ImportError(
                f"tf.keras needs Keras on its 'tensorflow' backend, but Keras was already imported on {backend!r}. "
                "Import millrace.keras before keras, or set KERAS_BACKEND=tensorflow.",
                name="keras",
            )
        return
    if "keras" in sys.modules or find_spec("keras") is None:
        import_optional("keras", "tf.keras", "keras")
    backend = os.environ.setdefault(_BACKEND, "tensorflow")
    if backend != "tensorflow":
        raise ImportError(
            f"tf.keras needs Keras on its 'tensorflow' backend, but KERAS_BACKEND is {backend!r} in the environment.",
            name="keras",
        )
    install_as_tensorflow()
    try:
        import_module("keras")
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"tf.keras does not work with {_release()}: unmodified Keras asks TensorFlow for a part that Millrace does "
            f"not have: {error}. The tested release is {_TESTED}: pip install 'keras=={_TESTED}.*'",
            name="keras",
        ) from error


def offer() -> None:
    """Makes `tensorflow` mean Millrace for Keras, which is about to be imported, unless the process has another one.

    Warns: UserWarning: if the release of Keras is not the tested one.
    """
    register_keras_state()
    register_keras_optimizers()
    if os.environ.get(_BACKEND, "tensorflow") != "tensorflow" or ALIAS in sys.modules:
        return
    install_as_tensorflow()
    release = _release()
    if not release.startswith(f"Keras {_TESTED}."):
        warnings.warn(
            f"{release} runs on Millrace, which is tested with Keras {_TESTED}; if something fails: "
            f"pip install 'keras=={_TESTED}.*'",
            stacklevel=2,
        )


def _release() -> str:
    """Returns a name for the installed Keras, with the version; a copy of Keras's sources states no version."""
    try:
        return f"Keras {version('keras')}"
    except PackageNotFoundError:
        return "Keras"
