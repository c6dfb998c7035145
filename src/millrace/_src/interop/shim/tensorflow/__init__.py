"""Stands for `tensorflow` in Python processes that a program under `python -m millrace run` starts.

The launcher puts the folder above on PYTHONPATH. Importing this leaves Millrace itself in `sys.modules["tensorflow"]`.
"""

import sys

del sys.modules[__name__]

import millrace  # noqa: E402  the name must be free first

millrace.install_as_tensorflow()
