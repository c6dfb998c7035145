"""Boxes out of stored tensors, in spans of any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millrace._src.checkpoint.bundle import tensor_slice_reading
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.tensor_slice_reading import fill_from_box
from millrace._src.checkpoint.bundle.tensor_slices import box_shape, index_of
from millrace._src.util.crc32c import crc32c

_SHAPE = (4, 3, 1, 5)
_ARRAY = np.arange(60, dtype=np.int16).reshape(_SHAPE)
_BOXES = st.tuples(
    *(
        st.integers(0, size - 1).flatmap(
            lambda start, size=size: st.tuples(st.just(start), st.integers(start + 1, size))
        )
        for size in _SHAPE
    )
)


@pytest.mark.parametrize("span", [1, 10, 30, 1 << 24])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(box=_BOXES)
def test_any_box_is_read(tmp_path: Path, monkeypatch: Any, span: int, box: Any) -> None:
    monkeypatch.setattr(tensor_slice_reading, "_SPAN", span)
    path = tmp_path / "f"
    path.write_bytes(b"before" + _ARRAY.tobytes() + b"after")
    file = RangedFile(str(path))
    for verify in (True, False):
        result = np.zeros(box_shape(box), np.int16)
        crc = fill_from_box(file, 6, _SHAPE, box, result, verify=verify)
        assert (result == _ARRAY[index_of(box)]).all()
        assert crc == (crc32c(_ARRAY.tobytes()) if verify else 0)
    file.close()
