from millrace._src.compat_v1.train.kept_checkpoints import KeptCheckpoints


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def kept(max_to_keep, hours=1.0):
    clock, removed = Clock(), []
    return KeptCheckpoints(max_to_keep, hours, lambda path, suffix: removed.append(path), clock), clock, removed


def test_the_oldest_goes_once_there_are_too_many():
    checkpoints, _, removed = kept(2)
    for path in "abc":
        checkpoints.note(path)
        checkpoints.remove_surplus("meta")
    assert checkpoints.paths == ["b", "c"]
    assert removed == ["a"]


def test_one_that_is_written_again_is_the_newest():
    checkpoints, _, removed = kept(2)
    for path in "aba":
        checkpoints.note(path)
        checkpoints.remove_surplus("meta")
    assert checkpoints.paths == ["b", "a"]
    assert not removed


def test_one_is_kept_for_good_each_time_the_hours_have_passed():
    checkpoints, clock, removed = kept(1)
    for minutes, path in [(30, "a"), (70, "b"), (80, "c"), (200, "d"), (210, "e")]:
        clock.now = minutes * 60
        checkpoints.note(path)
        checkpoints.remove_surplus("meta")
    assert removed == ["a", "c"]


def test_without_a_limit_nothing_is_listed_or_removed():
    checkpoints, _, removed = kept(0)
    checkpoints.note("a")
    checkpoints.remove_surplus("meta")
    assert not checkpoints.paths
    assert not removed
