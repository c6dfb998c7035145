"""Gives `import tensorflow` to the Python processes that a program under `python -m millrace run` starts.

The launcher puts the folder above on PYTHONPATH. Importing this leaves Millrace itself in `sys.modules["tensorflow"]`.
"""

import sys
from importlib import import_module

del sys.modules[__name__]  # the name must be free
import_module("millrace").install_as_tensorflow()
