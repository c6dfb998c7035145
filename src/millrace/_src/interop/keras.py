"""`tf.keras` is real Keras 3, unmodified, on its TensorFlow backend, which is Millrace.

Problem: Keras chooses a backend while Keras is imported, and then imports `tensorflow`.

Idea: just before the first import through `tf.keras`, ask Keras for the TensorFlow backend and make `tensorflow` mean
Millrace.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from millrace._src.interop.tensorflow_alias import install_as_tensorflow
from millrace._src.util.lazy_import import import_optional

_BACKEND = "KERAS_BACKEND"


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
    if find_spec("keras") is None:
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
            f"tf.keras does not work yet: it is {_release()}, unmodified, and Keras asks TensorFlow for a part that "
            f"Millrace does not have: {error}. Until then, models can be made of tf.Module, tf.Variable, tf.nn and "
            "tf.GradientTape, as in examples/digits.py.",
            name="keras",
        ) from error


def _release() -> str:
    """Returns a name for the installed Keras, with the version; a copy of Keras's sources states no version."""
    try:
        return f"Keras {version('keras')}"
    except PackageNotFoundError:
        return "Keras"
