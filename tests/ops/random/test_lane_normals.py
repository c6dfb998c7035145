"""Normals of lanes on NumPy: every bit is that of the formulas that all engines share."""

from __future__ import annotations

import numpy as np

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.random.box_muller import box_muller_float32
from millrace._src.ops.random.lane_normals import lane_normals
from millrace._src.ops.random.philox import Lanes

_UNIFORMS = 2**23


def _check(radius_bits: np.ndarray, angle_bits: np.ndarray) -> None:
    """Compares the normals of lanes whose words end in these bits with those of the uniforms."""
    noise = np.uint64(0b101100111 << 23)  # the upper bits of a word do not count
    lane = (radius_bits | noise) << np.uint64(32) | angle_bits | noise
    normals = lane_normals(xp, Lanes(lane.copy(), lane[::-1].copy()))
    uniforms = [(bits.astype(np.float64) / _UNIFORMS).astype(np.float32) for bits in (radius_bits, angle_bits)]
    expected = np.stack(box_muller_float32(xp, *uniforms), axis=1)
    assert (normals[:, :2].view(np.uint32) == expected.view(np.uint32)).all()
    assert (normals[::-1, 2:].view(np.uint32) == expected.view(np.uint32)).all()


def test_normals_of_every_uniform_are_those_of_the_shared_formulas() -> None:
    size = 1 << 15
    for start in range(0, _UNIFORMS, size):
        bits = np.arange(start, start + size, dtype=np.uint64)
        _check(bits, bits[::-1].copy())


def test_normals_of_few_and_of_no_blocks() -> None:
    for size in (0, 1, 2, 100):
        bits = np.arange(size, dtype=np.uint64)
        _check(bits * np.uint64(77_777), bits * np.uint64(55_555))
