"""Which nodes are behind the instructions of a module."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")

from millrace._src.engines.xla.jax_profiler import scopes_of  # needs JAX

pytestmark = pytest.mark.xla

TEXT = """HloModule jit_f, is_scheduled=true

%fused_computation (param_0.6: f32[3,3]) -> f32[3,3] {
  %param_0.6 = f32[3,3]{1,0} parameter(0)
  %dot.0 = f32[3,3] dot(%param_0.6, %param_0.6), metadata={op_name="jit(f)/dense/MatMul/dot_general"}
  ROOT %tanh.0 = f32[3,3]{1,0} tanh(%dot.0), metadata={op_name="jit(f)/Tanh/tanh" stack_frame_id=3}
}

ENTRY %main.2 (x.1: f32[3,3]) -> f32[3,3] {
  %x.1 = f32[3,3]{1,0} parameter(0), metadata={op_name="x"}
  ROOT %my_fusion = f32[3,3] fusion(%x.1), kind=kLoop, calls=%fused_computation, metadata={op_name="jit(f)/Tanh/tanh"}
}
"""


def test_an_instruction_has_the_scope_it_was_made_in() -> None:
    assert scopes_of(TEXT)["dot.0"] == ["jit(f)/dense/MatMul/dot_general"]
    assert scopes_of(TEXT)["param_0.6"] == []


def test_a_fusion_has_the_scopes_of_all_that_it_fuses() -> None:
    assert scopes_of(TEXT)["my_fusion"] == [
        "jit(f)/dense/MatMul/dot_general",
        "jit(f)/Tanh/tanh",
        "jit(f)/Tanh/tanh",
    ]
