"""Which of the stored slices of a partitioned tensor are needed for a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.checkpoint.bundle.tensor_slices import Box, box_size, intersection, without


def covering(stored: Sequence[Box], target: Box) -> list[int] | None:
    """Returns the positions of stored boxes that together cover a box; None if all of them do not.

    >>> from millrace._src.checkpoint.bundle.partitions import covering
    >>> covering([((0, 4),), ((4, 9),), ((2, 6),)], ((2, 6),))
    [2]
    """
    if target in stored:
        return [stored.index(target)]
    missing, chosen = [target] if box_size(target) else [], []
    for position, box in enumerate(stored):
        if any(intersection(box, gap) for gap in missing):
            missing = without(missing, box)
            chosen.append(position)
    return None if missing else chosen
