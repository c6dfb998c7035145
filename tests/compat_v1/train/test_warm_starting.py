import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
train = v1.train


@pytest.fixture
def folder(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=[1.0, 2.0])
        v1.get_variable("c", initializer=7.0)
        v1.get_variable("p", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
        session.run(v1.global_variables_initializer())
        train.Saver().save(session, str(tmp_path / "m"))
    (tmp_path / "old.txt").write_text("a\nb\nc\nd\n")
    (tmp_path / "new.txt").write_text("d\nx\nb\n")
    return tmp_path


def values_after(folder, build, **arguments):
    with tf.Graph().as_default(), v1.Session() as session:
        variables = build()
        train.warm_start(str(folder), **arguments)
        session.run(v1.global_variables_initializer())
        return [session.run(tf.convert_to_tensor(variable)).tolist() for variable in variables]


def two_variables():
    return [v1.get_variable("a", initializer=[9.0, 9.0]), v1.get_variable("c", initializer=9.0)]


@pytest.mark.parametrize(
    ("chosen", "expected"), [(".*", [[1, 2], 7]), ("a", [[1, 2], 9]), (["c"], [[9, 9], 7]), (None, [[9, 9], 9])]
)
def test_patterns_choose_variables(folder, chosen, expected):
    assert values_after(folder, two_variables, vars_to_warm_start=chosen) == expected


def test_a_variable_may_have_had_another_name(folder):
    def build():
        return [v1.get_variable("z", initializer=[9.0, 9.0])]

    assert values_after(folder, build, var_name_to_prev_var_name={"z": "a"}) == [[1, 2]]


@pytest.mark.parametrize("parts", [1, 2])
def test_rows_are_found_by_their_words(folder, parts):
    info = train.VocabInfo(
        str(folder / "new.txt"), 3, 1, str(folder / "old.txt"), backup_initializer=v1.constant_initializer(5.0)
    )

    def build():
        return [v1.get_variable("p", [4, 2], partitioner=v1.fixed_size_partitioner(parts))]

    found = values_after(folder, build, vars_to_warm_start=None, var_name_to_vocab_info={"p": info})
    assert found == [[[6, 7], [5, 5], [2, 3], [5, 5]]]


def test_columns_are_found_by_their_words(folder):
    (folder / "old.txt").write_text("a\nb\n")
    info = train.VocabInfo(str(folder / "new.txt"), 3, 0, str(folder / "old.txt"), axis=1)
    found = values_after(folder, lambda: [v1.get_variable("p", [4, 3])], var_name_to_vocab_info={"p": info})
    assert found == [[[0, 0, 1], [0, 0, 3], [0, 0, 5], [0, 0, 7]]]


def test_names_that_are_not_used_are_refused(folder):
    for arguments in ({"var_name_to_prev_var_name": {"z": "a"}}, {"var_name_to_vocab_info": {"z": None}}):
        with pytest.raises(ValueError, match="that were not used"):
            values_after(folder, two_variables, **arguments)
    with pytest.raises(ValueError, match="must be a `list` or `str`"):
        values_after(folder, two_variables, vars_to_warm_start=3)
    with pytest.raises(ValueError, match="The only supported values for the axis argument are 0 and 1"):
        train.VocabInfo("new", 3, 0, "old", axis=2)
