from __future__ import annotations

import pytest

import millrace as tf

pytestmark = [pytest.mark.xla, pytest.mark.usefixtures("jax")]


@pytest.fixture(scope="module")
def ir(jax: object) -> object:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v + 1.0, jit_compile=True)
    return f.experimental_get_compiler_ir(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize(
    ("stage", "text"),
    [
        ("hlo", "HloModule"),
        ("stablehlo", "stablehlo"),
        ("optimized_hlo", "HloModule"),
        ("optimized_hlo_dot", "digraph G {"),
    ],
)
def test_stages_of_text(ir: object, stage: str, text: str) -> None:
    assert text in ir(stage=stage)  # type: ignore[operator]


@pytest.mark.parametrize("stage", ["hlo_serialized", "optimized_hlo_serialized", "optimized_hlo_proto_serialized"])
def test_stages_of_bytes(ir: object, stage: str) -> None:
    assert isinstance(ir(stage=stage), bytes)  # type: ignore[operator]


def test_the_default_stage_is_hlo(ir: object) -> None:
    assert ir().startswith("HloModule")  # type: ignore[operator]


def test_an_unknown_stage_is_refused(ir: object) -> None:
    with pytest.raises(
        ValueError, match=r"Invalid stage selected: 'foo'. Valid values are: 'hlo', 'hlo_serialized', 'optimized_hlo'"
    ):
        ir(stage="foo")  # type: ignore[operator]


def test_unknown_shapes_are_refused() -> None:
    f = tf.function(lambda x: x, jit_compile=True)
    with pytest.raises(ValueError, match="Only support static input shape but got inputs = "):
        f.experimental_get_compiler_ir(tf.TensorSpec([None]))
