"""`tf.saved_model.save`: what is written, and what is refused."""

from __future__ import annotations

import hashlib
import logging
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2
from millrace._src.util import version
from tests.saved_model.answers import answer_of
from tests.saved_model.saved_programs import PROGRAMS

SCALAR = tf.TensorSpec([], tf.float32)


def module(**attributes: Any) -> Any:
    made = tf.Module()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def function(body: Any = lambda x: x + 1.0) -> Any:
    return tf.function(body, input_signature=[SCALAR], autograph=False)


def meta_graph_of(target: pathlib.Path) -> Any:
    return saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes()).meta_graphs[0]


def written(root: Any, target: pathlib.Path, **arguments: Any) -> Any:
    tf.saved_model.save(root, str(target), **arguments)
    return meta_graph_of(target)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_is_saved_and_loaded_answers_as_before(name: str, tmp_path: pathlib.Path) -> None:
    program = PROGRAMS[name](tf, tmp_path)
    options = tf.saved_model.SaveOptions(**program.options)
    tf.saved_model.save(program.root, str(tmp_path / "saved"), signatures=program.signatures, options=options)
    loaded = tf.saved_model.load(str(tmp_path / "saved"))
    for key, call in program.calls.items():
        assert answer_of(tf, call(loaded)) == answer_of(tf, call(program.root)), key


def test_the_folder_has_the_files_of_tensorflow(tmp_path: pathlib.Path) -> None:
    tf.saved_model.save(module(v=tf.Variable(1.0)), str(tmp_path / "m"))
    files = sorted(path.relative_to(tmp_path / "m").as_posix() for path in (tmp_path / "m").rglob("*"))
    assert files == [
        "assets",
        "fingerprint.pb",
        "saved_model.pb",
        "variables",
        "variables/variables.data-00000-of-00001",
        "variables/variables.index",
    ]


def test_a_message_tells_where_the_assets_are(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        tf.saved_model.save(module(), str(tmp_path))
    assert [record.getMessage() for record in caplog.records] == [f"Assets written to: {tmp_path}/assets"]


def test_the_message_states_versions_tags_and_ops(tmp_path: pathlib.Path) -> None:
    saved = written(module(f=function()), tmp_path)
    assert saved.meta_info_def.tensorflow_version == "2.21.0"
    assert saved.meta_info_def.tensorflow_git_version == f"millrace {version.__version__}"
    assert saved.meta_info_def.stripped_default_attrs
    assert (saved.graph_def.versions.producer, saved.graph_def.versions.min_consumer) == (2474, 12)
    assert list(saved.meta_info_def.tags) == ["serve"]
    ops = [op.name for op in saved.meta_info_def.stripped_op_list.op]
    assert ops == sorted(set(ops)) and {"AddV2", "SaveV2", "PartitionedCall"} <= set(ops)


# --- equal input, equal bytes -------------------------------------------------------------------------------------


def digests(folder: pathlib.Path) -> dict[str, str]:
    """Saves all programs; returns a digest of each file."""
    found = {}
    for name, make in PROGRAMS.items():
        target = folder / name
        target.mkdir()
        program = make(tf, target)
        options = tf.saved_model.SaveOptions(**program.options)
        tf.saved_model.save(program.root, str(target / "saved"), signatures=program.signatures, options=options)
        for path in sorted((target / "saved").rglob("*.*")):
            found[f"{name}/{path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def test_saving_again_gives_the_same_bytes(tmp_path: pathlib.Path) -> None:
    program = PROGRAMS["tables"](tf, tmp_path)
    first, second = (
        written(program.root, tmp_path / target, signatures=program.signatures).SerializeToString(deterministic=True)
        for target in ("first", "second")
    )
    assert first == second


def test_another_process_gives_the_same_bytes(tmp_path: pathlib.Path) -> None:
    root = pathlib.Path(__file__).resolve().parents[2]
    code = (
        "import pathlib, sys, millrace as tf\n"
        "from tests.saved_model.test_save import digests\n"
        "for _ in range(int(sys.argv[1])): tf.function(lambda x: x)(1.0)  # the counters begin elsewhere\n"
        f"print(digests(pathlib.Path({str(tmp_path)!r})))"
    )
    answers = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
        command = [sys.executable, "-c", code, seed]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        answers.append(done.stdout)
        for target in tmp_path.iterdir():
            target.rename(tmp_path.parent / f"{tmp_path.name}_{seed}_{target.name}")
    assert answers[0] == answers[1]


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", [3, {"a": 1}, None])
def test_what_is_not_trackable_is_refused(root: Any, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"Expected an object of type `Trackable`, such as `tf\.Module`"):
        tf.saved_model.save(root, str(tmp_path))


def test_a_function_that_is_traced_cannot_save(tmp_path: pathlib.Path) -> None:
    root = module()

    @tf.function(autograph=False)
    def f() -> None:
        tf.saved_model.save(root, str(tmp_path))

    with pytest.raises(AssertionError, match=r"not supported inside a traced @tf\.function"):
        f()


def test_a_graph_has_no_values_to_save(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="Sessions are not supported yet"):
        tf.saved_model.save(module(), str(tmp_path))


def test_a_variable_that_no_attribute_leads_to_is_refused_with_advice(tmp_path: pathlib.Path) -> None:
    stray = tf.Variable(1.0, name="stray")
    with pytest.raises(AssertionError) as caught:
        tf.saved_model.save(module(f=function(lambda x: x + stray)), str(tmp_path))
    message = str(caught.value)
    assert message.startswith("Tried to export a function which references an 'untracked' resource.")
    assert "Trackable referencing this tensor = <tf.Variable 'stray:0'" in message
    assert "Make it an attribute: `module.name = ...` before saving." in message


def test_a_table_that_no_attribute_leads_to_is_refused_with_advice(tmp_path: pathlib.Path) -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), -1)
    find = tf.function(lambda x: table[x], input_signature=[tf.TensorSpec([], tf.int32)], autograph=False)
    with pytest.raises(AssertionError, match="leads from the object that is saved to this StaticHashTable"):
        tf.saved_model.save(module(find=find), str(tmp_path))


def test_a_tensor_of_another_function_is_refused(tmp_path: pathlib.Path) -> None:
    root = module()

    @tf.function(autograph=False)
    def outer(x: Any) -> Any:
        root.inner = tf.function(lambda y: x + y, autograph=False).get_concrete_function(SCALAR)
        return x

    outer(tf.constant(1.0))
    with pytest.raises(ValueError, match=r"because it captures graph tensor .* from a parent function"):
        tf.saved_model.save(root, str(tmp_path))


def test_a_tensor_of_a_graph_whose_value_is_known_is_a_constant(tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default():
        three = tf.constant(3.0)
        concrete = tf.function(lambda x: x + three, autograph=False).get_concrete_function(SCALAR)
    tf.saved_model.save(module(f=concrete), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.f(tf.constant(1.0)).numpy() == 4.0
    assert loaded.signatures["serving_default"](x=tf.constant(1.0))["output_0"].numpy() == 4.0


def test_an_attribute_may_not_have_the_name_of_the_signatures(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"which has an attribute named 'signatures'\. This is a reserved attribute"):
        tf.saved_model.save(module(signatures=[tf.Variable(1.0)]), str(tmp_path))


# --- options ------------------------------------------------------------------------------------------------------


def test_the_split_form_is_refused(tmp_path: pathlib.Path) -> None:
    options = tf.saved_model.SaveOptions(experimental_image_format=True)
    with pytest.raises(ValueError, match="`experimental_image_format` is disabled"):
        tf.saved_model.save(module(), str(tmp_path), options=options)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("tags", "expected"), [(["z", "a"], ["serve", "z", "a"]), ({"b", "a"}, ["serve", "a", "b"])])
def test_further_tags_come_after_serve(tags: Any, expected: list[str], tmp_path: pathlib.Path) -> None:
    saved = written(module(), tmp_path, options=tf.saved_model.SaveOptions(extra_tags=tags))
    assert list(saved.meta_info_def.tags) == expected


def test_aliases_name_the_traces_of_functions(tmp_path: pathlib.Path) -> None:
    f, c = function(), function().get_concrete_function()
    options = tf.saved_model.SaveOptions(function_aliases={"one": f, "two": c, "three": [c]})
    aliases = written(module(f=f, c=c), tmp_path, options=options).meta_info_def.function_aliases
    assert set(aliases.values()) == {"one", "three"}  # the last alias of a trace holds
    assert all(name.startswith("__inference_") for name in aliases)


def test_an_alias_of_what_is_no_function_is_refused(tmp_path: pathlib.Path) -> None:
    options = tf.saved_model.SaveOptions(function_aliases={"one": 3})
    with pytest.raises(TypeError, match="Functions in `function_aliases` should be created by"):
        tf.saved_model.save(module(), str(tmp_path), options=options)


def test_without_a_saver_there_are_no_functions_that_save(tmp_path: pathlib.Path) -> None:
    options = tf.saved_model.SaveOptions(experimental_skip_saver=True)
    saved = written(module(v=tf.Variable(1.0)), tmp_path, options=options)
    assert not saved.saver_def.save_tensor_name
    assert "SaveV2" not in [op.name for op in saved.meta_info_def.stripped_op_list.op]
    assert tf.saved_model.load(str(tmp_path)).v.numpy() == 1.0


def test_devices_of_variables_are_saved_where_the_policy_says_so(tmp_path: pathlib.Path) -> None:
    options = tf.saved_model.SaveOptions(experimental_variable_policy="save_variable_devices")
    saved = written(module(v=tf.Variable(1.0)), tmp_path, options=options)
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert saved.object_graph_def.nodes[1].variable.device == device
    assert [node.device for node in saved.graph_def.node if node.op == "VarHandleOp"] == [device]


def test_without_custom_gradients_the_file_has_none(tmp_path: pathlib.Path) -> None:
    program = PROGRAMS["custom_gradients"](tf, tmp_path)
    for keeps, count in ((True, 1), (False, 0)):
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=keeps)
        saved = written(program.root, tmp_path / str(keeps), options=options)
        assert len(saved.graph_def.library.registered_gradients) == count


# --- what a file cannot hold --------------------------------------------------------------------------------------


def test_a_python_function_is_saved_with_a_warning(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    root = module(f=function(lambda x: tf.py_function(lambda y: y, [x], tf.float32)))
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        saved = written(root, tmp_path)
    assert "EagerPyFunc" in [op.name for op in saved.meta_info_def.stripped_op_list.op]
    assert "calls Python code by its operation EagerPyFunc" in caplog.text


def test_an_iterator_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NotImplementedError, match="The iterator at Module/iterator cannot be saved in a SavedModel"):
        tf.saved_model.save(module(iterator=iter(tf.data.Dataset.range(3))), str(tmp_path))


def test_a_function_and_a_variable_can_be_saved_themselves(tmp_path: pathlib.Path) -> None:
    tf.saved_model.save(function(), str(tmp_path / "f"))
    assert tf.saved_model.load(str(tmp_path / "f"))(tf.constant(1.0)).numpy() == 2.0
    tf.saved_model.save(tf.Variable(3.0), str(tmp_path / "v"))
    assert tf.saved_model.load(str(tmp_path / "v")).numpy() == 3.0


@pytest.mark.parametrize("name", ["tables", "control_flow", "custom_gradients"])
def test_what_was_loaded_can_be_saved_again(name: str, tmp_path: pathlib.Path) -> None:
    program = PROGRAMS[name](tf, tmp_path)
    tf.saved_model.save(program.root, str(tmp_path / "first"), signatures=program.signatures)
    loaded = tf.saved_model.load(str(tmp_path / "first"))
    tf.saved_model.save(loaded, str(tmp_path / "second"), signatures=loaded.signatures)
    again = tf.saved_model.load(str(tmp_path / "second"))
    assert list(again.signatures) == list(loaded.signatures)
    for key, call in program.calls.items():
        assert answer_of(tf, call(again)) == answer_of(tf, call(program.root)), key
