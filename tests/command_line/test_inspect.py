"""`inspect` says what is in files that real TensorFlow wrote, and refuses in one line what is no such file."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.command_line.inspect import inspect
from millrace._src.proto import saved_model_pb2
from tests.command_line.corpus import ARCHIVES
from tests.command_line.files import RECORDED
from tests.interop.array_files.arrays import samples, sources


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(folder)
    with zipfile.ZipFile(ARCHIVES / "runs.zip") as archive:
        archive.extractall(folder / "saved_model")
    return folder


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> str:
        assert inspect([str(argument) for argument in arguments]) == 0
        output = capsys.readouterr()
        assert output.err == ""
        return output.out

    return run


@pytest.fixture
def said(printed: Any) -> Any:
    return lambda *arguments: json.loads(printed(*arguments, "--json"))


def rows(text: str) -> dict[str, list[str]]:
    """The cells of the rows of a table, by the first cell."""
    cells = [line.split() for line in text.splitlines() if line and not line.startswith(" ")]
    return {row[0]: row[1:] for row in cells}


# --- checkpoints -----------------------------------------------------------------------------------------------------


def key(name: str) -> str:
    return f"layer/{name}/.ATTRIBUTES/VARIABLE_VALUE"


def test_a_checkpoint_is_a_table_of_tensors(files: Path, printed: Any) -> None:
    text = printed(files / "checkpoints" / "model-1")
    assert text.startswith(f"checkpoint {files}/checkpoints/model-1\n12 tensors, 1.0 KiB\n\nname ")
    table = rows(text)
    assert table[key("kernel")] == ["float32", "[2,", "3]", "24"]
    assert table[key("half")] == ["bfloat16", "[2]", "4"]
    assert table[key("eighth")] == ["float8_e5m2", "[2]", "2"]
    assert table[key("texts")] == ["string", "[2]", "9"]
    assert table[key("empty")] == ["float32", "[0,", "3]", "0"]
    assert table["save_counter/.ATTRIBUTES/VARIABLE_VALUE"] == ["int64", "[]", "8"]


@pytest.mark.parametrize("path", ["", "/model-2", "/model-2.index", "/model-2.data-00000-of-00001"])
def test_a_folder_means_its_latest_checkpoint_and_a_file_its_own(path: str, files: Path, printed: Any) -> None:
    assert printed(f"{files}/checkpoints{path}").startswith(f"checkpoint {files}/checkpoints/model-2\n")


@pytest.fixture
def single_file(tmp_path: Path) -> Path:
    writer = SingleFileWriter(f"{tmp_path}/old.ckpt")
    writer.add("texts", np.array([b"a", b"bcd"], object))
    writer.add("w", np.array([[1.0, 3.0]], np.float32))
    writer.finish()
    return tmp_path / "old.ckpt"


def test_a_checkpoint_of_one_file_is_a_table_of_tensors(single_file: Path, printed: Any, said: Any) -> None:
    text = printed(single_file)
    assert text.startswith(f"checkpoint {single_file}\n2 tensors, 12 bytes\n\nname ")
    assert rows(text)["w"] == ["float32", "[1,", "2]", "8"]
    assert rows(text)["texts"] == ["string", "[2]", "4"]
    assert [tensor["mean"] for tensor in said(single_file, "--stats")["tensors"]] == [None, 2.0]
    assert said(single_file, "--diff", single_file)["equal"] == 2


def test_a_folder_with_a_checkpoint_that_no_state_file_names_says_which(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2):
        shutil.copy(files / "checkpoints" / f"model-{number}.index", tmp_path)
    expected = (
        f"{tmp_path} has no file 'checkpoint', which would say what its latest checkpoint is. "
        f"Give one of its checkpoints: {tmp_path}/model-1, {tmp_path}/model-2."
    )
    assert refused(capsys, tmp_path) == expected


def test_statistics_leave_out_what_is_not_finite(files: Path, said: Any) -> None:
    tensors = {tensor["name"]: tensor for tensor in said(files / "checkpoints", "--stats")["tensors"]}
    names = ("min", "max", "mean", "std", "nan", "inf")
    statistics = {name: [tensor[word] for word in names] for name, tensor in tensors.items()}
    assert statistics[key("bias")] == [1.0, 1.0, 1.0, 0.0, 1, 1]
    assert statistics[key("half")] == [1.5, 2.5, 2.0, 0.5, 0, 0]
    assert statistics[key("count")] == [9, 9, 9.0, 0.0, 0, 0]
    assert statistics[key("flags")] == [0, 1, pytest.approx(2 / 3), pytest.approx(np.sqrt(2) / 3), 0, 0]
    assert statistics[key("empty")] == [None, None, None, None, 0, 0]
    assert statistics[key("texts")] == [None] * 6
    assert statistics[key("complex")] == [None, None, None, None, 0, None]


def test_names_are_chosen_by_pattern(files: Path, said: Any) -> None:
    data = said(files / "checkpoints", "--name", "layer/[kt]*")
    assert [tensor["name"] for tensor in data["tensors"]] == [key("kernel"), key("texts")]
    assert data["bytes"] == 33


def test_the_difference_of_two_checkpoints_is_shown(files: Path, printed: Any, said: Any) -> None:
    first, second = files / "checkpoints" / "model-1", files / "checkpoints" / "model-2"
    data = said(first, "--diff", second)
    assert {change["name"]: (change["elements"], change["max_abs"]) for change in data["changed"]} == {
        key("kernel"): (2, 2.0),
        key("count"): (1, 2.0),
        key("texts"): (1, None),
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE": (1, 1.0),
    }
    assert (data["only_first"], data["only_second"], data["equal"]) == ([], [], 8)
    assert printed(first, "--diff", second).endswith("\n\nequal: 8 tensors\n")
    assert said(first, "--diff", first)["changed"] == []  # NaN equals NaN


def test_the_difference_of_files_of_two_kinds_is_shown(tmp_path: Path, printed: Any) -> None:
    from millrace._src.interop.array_files.npz_file import write_npz
    from millrace._src.interop.array_files.safetensors_file import write_safetensors

    write_npz(str(tmp_path / "a.npz"), sources(same=np.ones(2), shape=np.ones(2), dtype=np.ones(2), first=np.ones(1)))
    second = sources(same=np.ones(2), shape=np.ones([1, 2]), dtype=np.ones(2, np.float32), second=np.ones(1))
    write_safetensors(str(tmp_path / "b.safetensors"), second)
    assert printed(tmp_path / "a.npz", "--diff", tmp_path / "b.safetensors") == (
        f"first:  npz file {tmp_path}/a.npz\n"
        f"second: safetensors file {tmp_path}/b.safetensors\n"
        "\n"
        "only in the first (1):\n  first\n"
        "\n"
        "only in the second (1):\n  second\n"
        "\n"
        "changed (2):\n"
        "name   change                         elements  max_abs\n"
        "-----  -----------------------------  --------  -------\n"
        "shape  float64 [2] -> float64 [1, 2]         -        -\n"
        "dtype  float64 [2] -> float32 [2]            -        -\n"
        "\n"
        "equal: 1 tensor\n"
    )


def test_large_numbers_stand_in_columns(tmp_path: Path, printed: Any) -> None:
    from millrace._src.interop.array_files.safetensors_file import write_safetensors

    write_safetensors(str(tmp_path / "a.safetensors"), sources(**samples()))
    lines = printed(tmp_path / "a.safetensors", "--stats").splitlines()[3:]
    assert len({len(line) for line in lines if not line.endswith("-  -  -")}) <= 2
    assert rows("\n".join(lines))["scalar"] == ["float32", "[]", "4", "2.5", "2.5", "2.5", "0", "0", "0"]


def test_large_arrays_are_summed_up_in_parts(tmp_path: Path, said: Any) -> None:
    from millrace._src.interop.array_files.safetensors_file import write_safetensors

    random = np.random.default_rng(0)
    large = random.normal(100.0, 3.0, [3, 1 << 20]).astype(np.float32)
    changed = large.copy()
    large[1, 5], large[2, 7], large[2, 8] = np.nan, np.inf, -500.0
    changed[0, 0], changed[2, 1] = changed[0, 0] + 1.0, np.nan
    changed[1, 5], changed[2, 7], changed[2, 8] = np.nan, np.inf, -500.0
    for name, array in (("a", large), ("b", changed)):
        write_safetensors(str(tmp_path / f"{name}.safetensors"), sources(x=array))
    (tensor,) = said(tmp_path / "a.safetensors", "--stats")["tensors"]
    finite = large[np.isfinite(large)].astype(np.float64)
    assert (tensor["min"], tensor["max"], tensor["nan"], tensor["inf"]) == (-500.0, finite.max(), 1, 1)
    assert [tensor["mean"], tensor["std"]] == pytest.approx([finite.mean(), finite.std()], rel=1e-9)
    (change,) = said(tmp_path / "a.safetensors", "--diff", tmp_path / "b.safetensors")["changed"]
    assert (change["elements"], change["max_abs"]) == (2, pytest.approx(1.0, abs=1e-5))


def test_the_largest_numbers_have_statistics(tmp_path: Path, said: Any) -> None:
    from millrace._src.interop.array_files.npz_file import write_npz

    values = np.full([2, 1 << 20], 1e300)
    values[1] = -1e300
    write_npz(str(tmp_path / "a.npz"), sources(x=values))
    (tensor,) = said(tmp_path / "a.npz", "--stats")["tensors"]
    assert (tensor["min"], tensor["max"], tensor["std"]) == (-1e300, 1e300, "inf")


# --- events and records ----------------------------------------------------------------------------------------------


def test_events_are_summed_up_by_tag(files: Path, said: Any, printed: Any) -> None:
    data = said(files / "events")
    tags = {tag["tag"]: tag for tag in data["tags"]}
    assert (data["events"], data["contents"]) == (6, {"file_version": 1, "summary": 5})
    assert (tags["loss"]["plugin"], tags["loss"]["type"], tags["loss"]["last_step"]) == ("scalars", "float32 []", 20)
    assert [point["value"] for point in tags["loss"]["values"]] == [1.0, 0.5, pytest.approx(1 / 3)]
    assert [point["step"] for point in tags["loss"]["values"]] == [0, 10, 20]
    assert (tags["note"]["last_value"], tags["weights"]["last_value"]) == ("hello", "3 values from 1 to 1")
    assert rows(printed(files / "events"))["loss"] == ["scalars", "float32", "[]", "3", "0", "20", "0.333333"]


def test_values_of_plugins_are_told_on_one_line(tmp_path: Path, said: Any, printed: Any) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        tf.summary.histogram("h", [1.0, 2.0, 5.0], buckets=2)
        tf.summary.image("i", np.zeros([2, 4, 5, 3], np.uint8))
        tf.summary.image("one", np.zeros([1, 4, 5, 3], np.uint8))
        tf.summary.audio("a", np.zeros([2, 10, 1], np.float32), 8000)
        tf.summary.text("t", "# Notes\n" + "long " * 100)
        tf.summary.write("bytes", b"\xff\xfe")
    values = {tag["tag"]: tag["last_value"] for tag in said(tmp_path)["tags"]}
    assert values["t"].startswith("# Notes\nlong")
    del values["t"]
    assert values == {
        "h": "3 values from 1 to 5",
        "i": "5 x 4, 2 images",
        "one": "5 x 4",
        "a": "2 sounds",
        "bytes": "2 bytes",
    }
    (line,) = [line for line in printed(tmp_path).splitlines() if line.startswith("t ")]
    assert line.endswith("# Notes long long long long long long long long long long...")


def test_a_tag_is_shown_step_by_step(files: Path, printed: Any) -> None:
    lines = printed(files / "events", "--name", "lo*").splitlines()
    assert lines[4] == "loss (float32 [])"
    assert [(line.split()[0], line.split()[-1]) for line in lines[7:]] == [
        ("0", "1"),
        ("10", "0.5"),
        ("20", "0.333333"),
    ]


def test_events_of_tensorflow_1_are_read_from_one_file(files: Path, said: Any) -> None:
    (path,) = (files / "old_events").iterdir()
    tags = {tag["tag"]: (tag["type"], tag["last_value"]) for tag in said(path)["tags"]}
    assert tags == {
        "accuracy": ("scalar", 0.5),
        "spread": ("histogram", "2 values from 1 to 2"),
        "picture/image/0": ("image", "3 x 2"),
    }


@pytest.mark.parametrize(("name", "compression"), [("plain", None), ("gzip", "GZIP"), ("zlib", "ZLIB")])
def test_examples_are_summed_up_by_feature(name: str, compression: str | None, files: Path, said: Any) -> None:
    data = said(files / "records" / f"{name}.tfrecord")
    assert (data["records"], data["compression"], data["message"]) == (5, compression, "tf.train.Example")
    features = [tuple(feature.values()) for feature in data["features"]]
    assert features == [
        ("id", "int64", 5, 1, 1, "0"),
        ("name", "bytes", 2, 1, 1, "b'number 1'"),
        ("weights", "float", 5, 0, 4, "0.5"),
    ]


def test_sequence_examples_are_told_apart(files: Path, said: Any) -> None:
    data = said(files / "records" / "sequence.tfrecord")
    assert data["message"] == "tf.train.SequenceExample"
    assert [(f["name"], f["kind"], f["max_values"]) for f in data["features"]] == [
        ("id", "int64", 1),
        ("steps", "list of float", 2),
    ]


def test_records_that_are_no_examples_are_counted(files: Path, said: Any, printed: Any) -> None:
    data = said(files / "records" / "bytes.tfrecord")
    assert (data["records"], data["bytes"], data["sizes"]) == (3, 27, {"min": 0, "mean": 9.0, "max": 18})
    assert (data["message"], data["features"]) == (None, [])
    assert printed(files / "records" / "empty.tfrecord").endswith("\n0 records, 0 bytes\n")


def test_only_the_first_records_are_parsed_but_all_are_counted(files: Path, said: Any) -> None:
    data = said(files / "records" / "plain.tfrecord", "--examples", 2)
    assert (data["records"], data["examined"]) == (5, 2)


# --- SavedModels -----------------------------------------------------------------------------------------------------


def test_a_saved_model_is_described(files: Path, said: Any, printed: Any) -> None:
    data = said(files / "saved_model")
    (graph,) = data["meta_graphs"]
    assert graph["tags"] == ["serve"]
    assert {signature["key"]: signature["inputs"] for signature in graph["signatures"]} == {
        "__saved_model_init_op": {},
        "serving_default": {"x": "float32 [?, 2]"},
        "examples": {"examples": "string [?]"},
        "two": {"a": "float32 []", "b": "float32 []"},
    }
    assert [(v["path"], v["dtype"], v["shape"]) for v in graph["variables"]] == [
        ("weights", "float32", [2, 2]),
        ("steps", "int64", []),
    ]
    assert {function["path"]: function["traces"] for function in graph["functions"]} == dict.fromkeys(
        ("multiply", "examples", "two"), 1
    )
    assert graph["ops"]["MatMul"] == 1
    assert graph["ops_unknown"] == []
    assert "saved_model_checksum" in data["fingerprint"]
    assert "\nweights  float32  [2, 2]  True\n" in printed(files / "saved_model")


def test_the_variables_of_a_saved_model_are_a_checkpoint(files: Path, printed: Any) -> None:
    title = f"checkpoint {files}/saved_model/variables/variables\n"
    assert printed(files / "saved_model", "--stats").startswith(title)


def test_unknown_ops_are_listed(files: Path, tmp_path: Path, printed: Any) -> None:
    saved_model = saved_model_pb2.SavedModel.FromString((files / "saved_model" / "saved_model.pb").read_bytes())
    saved_model.meta_graphs[0].graph_def.node.add(name="a", op="MyOwnOp")
    saved_model.meta_graphs[0].graph_def.node.add(name="b", op="TPUCompile")
    (tmp_path / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    text = printed(tmp_path)
    assert "\nops that are unknown: MyOwnOp\n" in text
    assert "TPUCompile" in next(line for line in text.splitlines() if "not implemented" in line)


@pytest.mark.parametrize("number", [-1, 1000])
def test_objects_that_are_not_there_are_passed_over(number: int, files: Path, tmp_path: Path, said: Any) -> None:
    saved_model = saved_model_pb2.SavedModel.FromString((files / "saved_model" / "saved_model.pb").read_bytes())
    saved_model.meta_graphs[0].object_graph_def.nodes[0].children[0].node_id = number
    (tmp_path / "saved_model.pb").write_bytes(saved_model.SerializeToString())
    (graph,) = said(tmp_path)["meta_graphs"]
    assert len(graph["variables"]) + len(graph["functions"]) == 4


# --- what is refused -------------------------------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert inspect([str(argument) for argument in arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("millrace inspect: ")
    assert output.err.count("\n") == 1
    return output.err.removeprefix("millrace inspect: ").rstrip("\n")


def test_what_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, tmp_path / "no") == f"no such file, folder or checkpoint: {tmp_path}/no"
    assert refused(capsys, tmp_path) == f"{tmp_path} is a folder without a SavedModel, checkpoint or event file."
    assert "no.npz" in refused(capsys, tmp_path / "no.npz")
    assert (
        refused(capsys, tmp_path, "--diff", tmp_path)
        == f"{tmp_path} is not a checkpoint, nor a .safetensors or .npz file."
    )


def test_patterns_that_fit_nothing_are_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("checkpoints", "events"):
        assert "like 'nothing'" in refused(capsys, files / path, "--name", "nothing")


CHECKED = ("a.safetensors", "a.npz", "a.index")
"""Files that cannot be empty."""


@pytest.mark.parametrize(
    ("name", "content"),
    [(name, b"") for name in CHECKED]
    + [(name, b"not what it seems to be") for name in (*CHECKED, "a.tfrecord", "a.tfevents", "saved_model.pb")]
    + [(name, bytes(range(256)) * 9) for name in (*CHECKED, "a.tfrecord", "a.tfevents", "saved_model.pb")],
)
def test_damaged_files_are_refused(
    name: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    refused(capsys, tmp_path if name == "saved_model.pb" else tmp_path / name)


def test_a_checkpoint_without_its_data_is_refused_when_values_are_asked_for(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(files / "checkpoints" / "model-1.index", tmp_path)
    assert inspect([str(tmp_path / "model-1")]) == 0
    capsys.readouterr()
    assert "model-1.data-00000-of-00001" in refused(capsys, tmp_path / "model-1", "--stats")


def test_a_record_file_that_is_cut_off_is_refused(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cut.tfrecord").write_bytes((files / "records" / "plain.tfrecord").read_bytes()[:-3])
    assert refused(capsys, tmp_path / "cut.tfrecord").startswith("truncated record at ")
