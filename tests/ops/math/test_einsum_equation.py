"""The equations of einsum."""

from __future__ import annotations

import pytest

from millrace._src.ops.math.einsum_equation import expand, merge_sizes, parse


def test_labels_of_an_ellipsis_count_from_the_right() -> None:
    operands, output = expand(parse("...ij,jk->...ik"), [4, 2], is_eager=True)
    assert operands == [(-2, -1, "i", "j"), ("j", "k")]
    assert output == (-2, -1, "i", "k")


def test_sizes_of_labels_merge_what_is_known() -> None:
    sizes = merge_sizes([("i", "j"), ("j", "k")], [(2, None), (3, None)], is_eager=False)
    assert sizes == {"i": 2, "j": 3, "k": None}


def test_a_label_with_two_sizes_is_refused() -> None:
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 4"):
        merge_sizes([("i", "j"), ("j",)], [(2, 3), (4,)], is_eager=False)


@pytest.mark.parametrize("equation", ["ij", "ij->jk->k", "ij,jk,kl->il", "i.j->ij", "ij->k"])
def test_malformed_equations_are_refused(equation: str) -> None:
    with pytest.raises(ValueError):
        parse(equation)
