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
        ("hlo_no_metadata", "HloModule"),
        ("stablehlo", "stablehlo"),
        ("optimized_hlo", "HloModule"),
        ("optimized_hlo_dot", "digraph G {"),
    ],
)
def test_stages_of_text(ir: object, stage: str, text: str) -> None:
    assert text in ir(stage=stage)  # type: ignore[operator]


@pytest.mark.parametrize("stage", ["hlo_serialized", "optimized_hlo_serialized"])
def test_stages_of_modules_in_bytes(ir: object, stage: str) -> None:
    module = ir(stage=stage)  # type: ignore[operator]
    assert isinstance(module, bytes) and module[:1] == b"\n" and module[2 : 2 + module[1]].startswith(b"jit_")


def test_the_proto_of_a_compiled_program_holds_the_module(ir: object) -> None:
    proto = ir(stage="optimized_hlo_proto_serialized")  # type: ignore[operator]
    size, shift, offset = 0, 0, 1
    while True:
        size |= (proto[offset] & 127) << shift
        shift, offset = shift + 7, offset + 1
        if proto[offset - 1] < 128:
            break
    assert proto[:1] == b"\n" and size == len(proto) - offset > 0
    module = proto[offset:]
    assert module[2 : 2 + module[1]].startswith(b"jit_")


def test_stablehlo_can_be_had_as_bytecode(ir: object) -> None:
    assert ir(stage="stablehlo_serialized").startswith(b"ML\xefR")  # type: ignore[operator]


def test_only_the_stage_with_metadata_names_files(ir: object) -> None:
    assert "test_compiler_ir.py" in ir(stage="hlo")  # type: ignore[operator]
    text = ir(stage="hlo_no_metadata")  # type: ignore[operator]
    assert "metadata=" not in text and "test_compiler_ir.py" not in text


def test_the_platform_may_be_named(ir: object) -> None:
    assert ir(stage="hlo", platform_name="CPU").startswith("HloModule")  # type: ignore[operator]
    with pytest.raises(ValueError, match="Failed getting HLO text: 'No JIT device registered for cuda'"):
        ir(platform_name="cuda")  # type: ignore[operator]
    with pytest.raises(ValueError, match="Failed getting HLO text: "):
        ir(platform_name="TPU")  # type: ignore[operator]


def test_the_device_may_be_named(ir: object) -> None:
    with pytest.warns(UserWarning, match="device_name is being deprecated. Use platform_name."):
        assert ir(device_name="/device:CPU:0").startswith("HloModule")  # type: ignore[operator]
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="No matching device found for '/device:GPU:7'"):
        ir(device_name="/device:GPU:7")  # type: ignore[operator]
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="Failed parsing derived device name: 'bogus'"):
        ir(device_name="bogus")  # type: ignore[operator]


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


def test_a_module_is_named_after_its_function() -> None:
    def halved(x: object) -> object:
        return x / 2.0  # type: ignore[operator]

    ir = tf.function(halved, jit_compile=True).experimental_get_compiler_ir(tf.constant(1.0))
    assert ir(stage="hlo").startswith("HloModule jit_halved")
