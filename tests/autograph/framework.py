"""The framework that the corpus runs on, under the name `tf`.

The corpus is written once and runs on Millrace (in the tests) and on real TensorFlow (when answers are recorded). A
module of the corpus takes `tf` from here as a user's module takes it from an import; the environment says which it is.
"""

from __future__ import annotations

import importlib
import os

NAME = os.environ.get("MILLRACE_AUTOGRAPH_CORPUS", "millrace")

tf = importlib.import_module(NAME)
