"""`Dataset.save` and `Dataset.load`, in TensorFlow's format."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import snapshot_pb2
from tests.data.composites import contents, ragged, sparse
from tests.data.parallel import SetCores, cores, of_variant
from tests.data.pipelines import check_restores_everywhere, elements, outcomes

Dataset = tf.data.Dataset
__all__ = ["cores"]

# What TensorFlow 2.21 wrote for `Dataset.range(6).save(folder, shard_func=lambda x: x % 2)`.
_EVEN = (
    "0e00000000000000c5e5693f0809120022080000000000000000882b95ea0e00000000000000c5e5693f08091200220802000000000000"
    "00194f125f0e00000000000000c5e5693f080912002208040000000000000063ed4aef"
)
_ODD = (
    "0e00000000000000c5e5693f0809120022080100000000000000a0bddf540e00000000000000c5e5693f08091200220803000000000000"
    "0011e144e90e00000000000000c5e5693f0809120022080500000000000000cb7b0959"
)
_METADATA = "12133134383231373339363235383639313239323318c28fa5f8ac9c980320022a01093006c03e01"
TENSORFLOW = {
    "1482173962586912923/00000000.shard/00000000.snapshot": _EVEN,
    "1482173962586912923/00000001.shard/00000000.snapshot": _ODD,
    "dataset_spec.pb": "8a020412001809",
    "snapshot.metadata": _METADATA,
}


def of_tensorflow(folder: Path) -> str:
    for name, content in TENSORFLOW.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes.fromhex(content))
    return str(folder)


def test_what_tensorflow_saved_is_loaded(tmp_path: Path) -> None:
    dataset = Dataset.load(of_tensorflow(tmp_path))
    assert elements(dataset) == [0, 1, 2, 3, 4, 5]
    assert len(dataset) == 6
    assert repr(dataset) == "<_LoadDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"


def test_files_are_those_of_tensorflow(tmp_path: Path) -> None:
    Dataset.range(6).save(str(tmp_path), shard_func=lambda x: x % 2)
    metadata = snapshot_pb2.SnapshotMetadataRecord.FromString((tmp_path / "snapshot.metadata").read_bytes())
    expected = snapshot_pb2.SnapshotMetadataRecord.FromString(bytes.fromhex(_METADATA))
    expected.run_id, expected.creation_timestamp = metadata.run_id, metadata.creation_timestamp
    assert metadata == expected
    context = tmp_path / metadata.run_id
    assert sorted(path.name for path in context.iterdir()) == ["00000000.shard", "00000001.shard"]
    assert (context / "00000000.shard" / "00000000.snapshot").read_bytes().hex() == _EVEN
    assert (context / "00000001.shard" / "00000000.snapshot").read_bytes().hex() == _ODD
    assert (tmp_path / "dataset_spec.pb").read_bytes().hex() == TENSORFLOW["dataset_spec.pb"]


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB", "AUTO"])
def test_elements_of_all_kinds_come_back(compression: str | None, tmp_path: Path) -> None:
    source = Dataset.range(5).map(lambda x: (x, {"name": tf.strings.as_string(x), "row": tf.range(x), "flag": x > 2}))
    source.save(tmp_path, compression)
    loaded = Dataset.load(str(tmp_path), compression=compression)
    assert elements(loaded) == elements(source)
    assert loaded.element_spec == source.element_spec


def test_saving_again_replaces_what_is_loaded(tmp_path: Path) -> None:
    for size in (3, 5):
        Dataset.range(size).save(str(tmp_path))
        assert elements(Dataset.load(str(tmp_path))) == list(range(size))


def test_an_empty_dataset_is_saved(tmp_path: Path) -> None:
    Dataset.range(0).save(str(tmp_path))
    assert elements(Dataset.load(str(tmp_path))) == []


def test_a_reader_function_orders_shards(tmp_path: Path) -> None:
    Dataset.range(7).save(str(tmp_path), shard_func=lambda x: x % 3)
    assert elements(Dataset.load(str(tmp_path))) == [0, 1, 2, 3, 4, 5, 6]
    in_a_row = Dataset.load(str(tmp_path), reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert elements(in_a_row) == [0, 3, 6, 1, 4, 2, 5]
    check_restores_everywhere(lambda: Dataset.load(str(tmp_path)))
    with pytest.raises(TypeError, match="`reader_func` must return a `Dataset` object"):
        Dataset.load(str(tmp_path), reader_func=lambda shards: 3)


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_the_order_does_not_depend_on_the_number_of_cores(count: int, tmp_path: Path, cores: SetCores) -> None:
    cores(count)
    Dataset.range(60).save(str(tmp_path / "saved"), shard_func=lambda x: x % 20)
    first = [20 * row + shard for row in range(3) for shard in range(16)]
    assert elements(Dataset.load(str(tmp_path / "saved"))) == first + [
        20 * r + s for r in range(3) for s in range(16, 20)
    ]
    for _ in range(2):
        assert elements(Dataset.range(40).snapshot(str(tmp_path / "kept"))) == list(range(40))
    for calls in (None, 2, tf.data.AUTOTUNE):
        taken = Dataset.range(17).interleave(lambda x: Dataset.from_tensors(x).repeat(2), num_parallel_calls=calls)
        assert elements(taken) == [*range(16), *range(16), 16, 16]


def test_a_shard_function_takes_the_components_of_a_tuple(tmp_path: Path) -> None:
    Dataset.zip(Dataset.range(4), Dataset.range(4)).save(str(tmp_path), shard_func=lambda x, y: y % 2)
    assert len(list(tmp_path.glob("*/*.shard"))) == 2
    assert elements(Dataset.load(str(tmp_path))) == [(0, 0), (1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize("function", [lambda x: tf.cast(x, tf.int32), lambda x: "a", lambda x: [x, x]])
def test_a_shard_function_that_gives_no_number_is_refused(function: Any, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="`shard_func` must return a scalar int64"):
        Dataset.range(7).save(str(tmp_path), shard_func=function)


def test_elements_that_do_not_fit_the_given_spec_are_an_error(tmp_path: Path) -> None:
    folder = of_tensorflow(tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="component 0: expected string but got int64"):
        elements(Dataset.load(folder, tf.TensorSpec([], tf.string)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"component 0: expected \[2\] but got \[\]"):
        elements(Dataset.load(folder, tf.TensorSpec([2], tf.int64)))


def test_the_wrong_compression_is_data_loss(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.DataLossError):
        elements(Dataset.load(of_tensorflow(tmp_path), compression="GZIP"))
    with pytest.raises(tf.errors.UnimplementedError, match="snappy"):
        Dataset.load(str(tmp_path), compression="SNAPPY")


def test_a_folder_without_a_dataset_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"tf\.data snapshot element_spec file not found"):
        Dataset.load(str(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="Could not find metadata file"):
        Dataset.load(str(tmp_path / "none"), tf.TensorSpec([], tf.int64))


def test_metadata_of_another_version_are_refused(tmp_path: Path) -> None:
    folder = of_tensorflow(tmp_path)
    metadata = snapshot_pb2.SnapshotMetadataRecord.FromString(bytes.fromhex(_METADATA))
    metadata.version = 1
    (tmp_path / "snapshot.metadata").write_bytes(metadata.SerializeToString())
    with pytest.raises(tf.errors.UnimplementedError, match="version 2 but got 1"):
        Dataset.load(folder)


def test_an_error_of_an_element_ends_the_saving(tmp_path: Path) -> None:
    def inverse(x: Any) -> Any:
        return tf.debugging.check_numerics(1 / tf.cast(x, tf.float32), "no inverse")

    with pytest.raises(tf.errors.InvalidArgumentError, match="no inverse"):
        Dataset.range(-2, 3).map(inverse).save(str(tmp_path))
    metadata = snapshot_pb2.SnapshotMetadataRecord.FromString((tmp_path / "snapshot.metadata").read_bytes())
    assert not metadata.finalized
    with pytest.raises(tf.errors.DataLossError, match="was not saved to its end"):
        Dataset.load(str(tmp_path))


def test_a_damaged_file_is_data_loss_behind_the_elements_before(tmp_path: Path) -> None:
    folder = of_tensorflow(tmp_path)
    path = tmp_path / "1482173962586912923" / "00000001.shard" / "00000000.snapshot"
    content = bytearray(path.read_bytes())
    content[70] ^= 1
    path.write_bytes(content)
    assert outcomes(Dataset.load(folder), 5) == [0, 1, 2, 3, 4]
    assert outcomes(Dataset.load(folder), 6)[5] == "DataLossError"


def test_loading_may_wait_until_the_dataset_is_saved(tmp_path: Path) -> None:
    loaded: list[Any] = []
    thread = threading.Thread(target=lambda: loaded.extend(elements(Dataset.load(str(tmp_path), wait=True))))
    thread.start()
    Dataset.range(3).save(str(tmp_path))
    thread.join(10)
    assert loaded == [0, 1, 2]


def test_it_works_in_a_function(tmp_path: Path) -> None:
    @tf.function
    def program() -> Any:
        Dataset.range(4).save(str(tmp_path))
        return tf.constant(1)

    program()
    assert elements(Dataset.load(str(tmp_path))) == [0, 1, 2, 3]


def test_the_older_names_do_the_same(tmp_path: Path) -> None:
    tf.data.experimental.save(Dataset.range(3), str(tmp_path))
    assert elements(tf.data.experimental.load(str(tmp_path))) == [0, 1, 2]


def test_what_is_not_supported_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="no data service"):
        tf.data.experimental.distributed_save(Dataset.range(3), str(tmp_path), "grpc://localhost:1")
    with pytest.raises(tf.errors.UnimplementedError, match=r"A variant that holds .* cannot be written to files"):
        Dataset.from_tensors(Dataset.range(3)).save(str(tmp_path))


def test_ragged_and_sparse_elements_come_back_from_files(tmp_path: Path) -> None:
    for number, value in enumerate((ragged(), sparse())):
        for kind, dataset in enumerate((Dataset.from_tensors(value), Dataset.from_tensor_slices(value))):
            folder = str(tmp_path / f"{number}{kind}")
            dataset.save(folder)
            again = Dataset.load(folder)
            assert again.element_spec == dataset.element_spec and contents(again) == contents(dataset)
            cached = dataset.cache(f"{folder}.cache")
            assert contents(cached) == contents(dataset) == contents(dataset.cache(f"{folder}.cache"))


# --- the ops that read shards ------------------------------------------------------------------------------------


def test_the_ops_that_read_shards(tmp_path: Path) -> None:
    shard = Path(of_tensorflow(tmp_path)) / "1482173962586912923" / "00000000.shard"
    types: dict[str, Any] = {"output_types": [tf.int64], "output_shapes": [[]]}
    reader = tf.raw_ops.SnapshotDatasetReader(shard_dir=str(shard), start_index=1, version=2, **types)
    assert elements(of_variant(reader)) == [2, 4]
    chunk = tf.raw_ops.SnapshotChunkDataset(chunk_file=str(shard / "00000000.snapshot"), **types)
    assert elements(of_variant(chunk)) == [0, 2, 4]
    nested = tf.raw_ops.SnapshotNestedDatasetReader(
        inputs=[chunk, reader], output_types=[tf.variant], output_shapes=[[]]
    )
    spec = tf.data.DatasetSpec(tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)))
    assert elements(spec._from_components(nested).flat_map(lambda shard: shard)) == [0, 2, 4, 2, 4]
    with pytest.raises(tf.errors.UnimplementedError, match="version 1"):
        tf.raw_ops.SnapshotDatasetReader(shard_dir=str(shard), start_index=0, version=1, **types)


def test_the_op_that_saves_and_hands_on(tmp_path: Path) -> None:
    function = Dataset.range(3).map(lambda x: x % 2)._functions()[0].graph_function
    variant = tf.raw_ops.SaveDatasetV2(
        input_dataset=Dataset.range(5)._variant_tensor,
        path=str(tmp_path),
        shard_func_other_args=[],
        shard_func=function,
        output_types=[tf.int64],
        output_shapes=[[]],
    )
    assert elements(of_variant(variant)) == [0, 1, 2, 3, 4]
    assert elements(Dataset.load(str(tmp_path), tf.TensorSpec([], tf.int64))) == [0, 1, 2, 3, 4]
