"""The equations of einsum: parsing, checking, and the shapes that follow from an equation.

`"...ij,jk->...ik"` names the axes of each operand by labels. An axis label is a letter here. The axes under an ellipsis
are numbered from the right (-1 is the last), because ellipsis axes broadcast from the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Label = str | int
Labels = tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """The subscripts of the operands and of the result, as texts such as `"...ij"`."""

    inputs: tuple[str, ...]
    output: str

    @property
    def text(self) -> str:
        """The equation as text, without spaces."""
        return f"{','.join(self.inputs)}->{self.output}"


def parse(equation: str) -> Equation:
    """Takes an equation with an explicit result apart.

    Raises: ValueError: if the equation has no "->", or more than two operands, or a broken ellipsis.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow or "->" in right:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {equation}")
    inputs = tuple(left.split(","))
    if len(inputs) > 2:
        raise ValueError(f"Expecting 1 or 2 input subscripts in equation '{equation}' but got: {len(inputs)}")
    for subscripts in (*inputs, right):
        periods = subscripts.count(".")
        if periods and (periods != 3 or "..." not in subscripts):
            raise ValueError(
                f"Expected at most one ellipsis (...), but found {periods} periods (.) in the input subscript: "
                f"{subscripts}"
            )
    input_labels = set("".join(inputs))
    for label in right:
        if label not in input_labels and label != ".":
            raise ValueError(
                f"Einsum output subscripts for equation '{equation}' has label '{label}' which is not present in the "
                "input subscripts"
            )
    return Equation(inputs, right)


def ellipsis_rank(subscripts: str, rank: int) -> int:
    """Returns the number of axes under the ellipsis in an operand of `rank` axes."""
    return rank - (len(subscripts) - 3) if "..." in subscripts else 0


def labels_of(subscripts: str, ellipsis: int) -> Labels:
    """Returns one label for each axis: letters, and -n ... -1 for the axes of the ellipsis."""
    before, dots, after = subscripts.partition("...")
    middle = tuple(range(-ellipsis, 0)) if dots else ()
    return (*before, *middle, *after)


def expand(equation: Equation, ranks: Sequence[int], *, is_eager: bool) -> tuple[list[Labels], Labels]:
    """Returns the labels of each operand and of the result, for operands of the given ranks.

    Raises: ValueError: if the ranks or the number of operands do not fit the equation.
    """
    if len(ranks) != len(equation.inputs):
        middle = "" if is_eager else f" for equation {equation.text}"
        raise ValueError(f"Expected {len(equation.inputs)} inputs{middle} but got: {len(ranks)}")
    operands, widest_ellipsis = [], 0
    for position, (subscripts, rank) in enumerate(zip(equation.inputs, ranks, strict=True)):
        label_count = len(subscripts.replace("...", ""))
        has_ellipsis = "..." in subscripts
        if rank < label_count or (rank != label_count and not has_ellipsis):
            raise ValueError(_rank_message(equation, position, label_count, rank, has_ellipsis, is_eager))
        operands.append(labels_of(subscripts, rank - label_count))
        widest_ellipsis = max(widest_ellipsis, rank - label_count)
    if widest_ellipsis and "..." not in equation.output:
        if is_eager:
            raise ValueError(
                f"Output contains {widest_ellipsis} broadcasting dimension(s) but no ellipsis (...) was found in the "
                "output subscripts."
            )
        raise ValueError(
            f"Shape must be at most rank 0 but is rank {widest_ellipsis}\n\t for einsum equation '{equation.text}' "
            "without ellipsis (...) in the output subscripts where input(s) have non-empty broadcasting shape"
        )
    return operands, labels_of(equation.output, widest_ellipsis)


def _rank_message(equation: Equation, position: int, named: int, rank: int, at_least: bool, is_eager: bool) -> str:
    amount = f"at least {named}" if at_least else str(named)
    if is_eager:
        return f"Expected input {position} to have rank {amount} but got: {rank}"
    low = "at least rank" if at_least else "rank"
    return f"Shape must be {low} {named} but is rank {rank}\n\t for {position}th input and equation: {equation.text}"


def merge_sizes(
    operands: Sequence[Labels], shapes: Sequence[Sequence[int | None]], *, is_eager: bool
) -> dict[Label, int | None]:
    """Returns the size of each label, None where the size is unknown.

    Only the axes of ellipses may be 1 in one operand and larger in another.

    Raises: ValueError: if a label has two sizes.
    """
    sizes: dict[Label, int | None] = {}
    for labels, shape in zip(operands, shapes, strict=True):
        for axis, (label, size) in enumerate(zip(labels, shape, strict=True)):
            known_size = sizes.get(label)
            if label not in sizes or known_size is None or (isinstance(label, int) and known_size == 1):
                sizes[label] = size if known_size is None or size is not None else known_size
                if isinstance(label, int) and known_size == 1:
                    sizes[label] = size
            elif size is not None and size != known_size and not (isinstance(label, int) and size == 1):
                if is_eager:
                    text = ",".join(map(str, shape))
                    raise ValueError(
                        f"Expected dimension {known_size} at axis {axis} of the input shaped [{text}] but got "
                        f"dimension {size}"
                    )
                raise ValueError(f"Dimensions must be equal, but are {known_size} and {size}")
    return sizes


def unique(labels: Iterable[Label]) -> Labels:
    """Returns the labels without repetitions, in order of first occurrence."""
    return tuple(dict.fromkeys(labels))
