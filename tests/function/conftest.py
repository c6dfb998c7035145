"""What the tests of functions share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def jax() -> object:
    """JAX, imported before a test looks at the environment, which the import changes."""
    return pytest.importorskip("jax")
