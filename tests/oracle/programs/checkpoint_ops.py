"""The ops that save and restore tensors: the bytes of files, what is restored, what is refused."""

from __future__ import annotations

import hashlib
import os

from tests.oracle.programs._file_helpers import folder

_SINGLE = ["bool", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16"]
_MORE = ["bfloat16", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "int4", "uint4", "qint8", "quint8", "qint16", "quint16", "qint32"]


def _save(tf, prefix, names, tensors, slices=None):
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices or [""] * len(names), tensors=tensors)


def _restore(tf, prefix, names, dtypes, slices=None):
    return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=slices or [""] * len(names), dtypes=dtypes)


def _files(f, part=""):
    """The bytes of the files whose names have a part: in hexadecimal digits, or their hash if they are many."""
    found = {}
    for here, _, names in sorted(os.walk(f.path)):
        for name in sorted(names):
            path = os.path.join(here, name)
            if part in name and name[0] not in "ab.[xy":
                content = f.read(os.path.relpath(path, f.path))
                short = os.path.relpath(path, f.path)
                found[short] = content.hex() if len(content) < 600 else hashlib.sha256(content).hexdigest()
    return found


def _numbers(tf, np, name):
    dtype = tf.as_dtype(name)
    return tf.constant(np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype.as_numpy_dtype), dtype)


def prog_bytes_of_every_dtype(tf, np):
    """Numbers of all kinds."""
    with folder() as f:
        names = [*_SINGLE, *_MORE]
        _save(tf, f("model"), names, [_numbers(tf, np, name) for name in names])
        return _files(f)


def prog_bytes_of_strings(tf, np):
    """Short, empty, long ones; scalars, none."""
    with folder() as f:
        tensors = [tf.constant(["hello", "w" * 200, "", b"\xff\0", "x" * 20000]), tf.constant("é"), tf.zeros([0, 3], tf.string), tf.fill([2, 2], "q")]
        _save(tf, f("model"), ["s", "scalar", "none", "many"], tensors)
        return _files(f)


def prog_bytes_of_shapes(tf, np):
    """Scalars, nothing, many dimensions, keys of all kinds."""
    with folder() as f:
        names = ["z", "é/ü", "a\0b", b"\xff\xfe", "a", "A", "k" * 300]
        _save(tf, f("model"), names, [tf.constant(1.5), tf.zeros([0]), tf.zeros([2, 0, 3]), tf.ones([1] * 9), tf.range(3), tf.range(4), tf.ones([300])])
        return _files(f)


def prog_bytes_of_many(tf, np):
    """More keys than one block holds."""
    with folder() as f:
        names = [f"layer_{i:05d}/kernel/.ATTRIBUTES/VARIABLE_VALUE" for i in range(6000)]
        _save(tf, f("model"), names, [tf.constant(float(i)) for i in range(6000)])
        return _files(f)


def prog_bytes_of_random_keys(tf, np):
    """Keys without order, of any bytes."""
    with folder() as f:
        random = np.random.RandomState(3)
        names = sorted({bytes(random.randint(0, 256, random.randint(1, 40)).astype(np.uint8)) for _ in range(9000)})
        _save(tf, f("model"), names, [tf.constant(i) for i in range(len(names))])
        return _files(f)


def prog_bytes_of_slices(tf, np):
    """Parts of tensors, and parts that are the whole."""
    with folder() as f:
        a = tf.reshape(tf.range(12.0), [3, 4])
        for i, (text, tensor) in enumerate([("10 4 2,3:-", a), ("3 8 -:4,4", a), ("3 4 -:-", a), ("3 4 0,3:0,4", a), ("30 4 0,3:0,4", a), ("0 4 -:1,2", tf.zeros([0, 2])), ("1099511627776 4 1099511627000,3:-", a)]):
            _save(tf, f(f"model{i}"), ["v"], [tensor], [text])
        _save(tf, f("model_parts"), ["v", "w", "v"], [a, a, a[:2]], ["5 4 0,3:-", "", "5 4 3,2:-"])
        _save(tf, f("model_key"), [b"v\0\xff\1"], [a], ["9 4 0,3:-"])
        return _files(f)


def prog_slices_are_restored(tf, np):
    """Whole tensors and slices, from whole tensors and slices."""
    with folder() as f:
        whole = tf.reshape(tf.range(50.0), [10, 5])
        _save(tf, f("model"), ["m", "v", "v"], [whole, whole[:4], whole[4:]], ["", "10 5 0,4:-", "10 5 4,6:0,5"])
        texts = ["", "10 5 3,2:-", "10 5 4,6:0,5", "10 5 0,2:1,2", "10 5 -:-", "10 5 9,1:4,1"]
        return [_restore(tf, f("model"), ["m", "v"], [tf.float32] * 2, [text] * 2) for text in texts]


def prog_saving_is_refused(tf, np):
    """Names, shapes and slices that do not fit."""
    with folder() as f:
        a = tf.range(6.0)
        cases = [["6"], ["6 "], ["6 0"], ["6 0,"], ["6 0,7"], ["6 -1,3"], ["6 7,1"], ["x"], ["6 a,b"], ["6 0,6:0,6"], ["5 0,5"], ["10 0,6 "], [" 6 0,6"], ["6 0,3"], ["6 0,0"], ["6 0,6,1"], ["99999999999999999999 0,6"], ["6 0x0,6"]]
        answers = [f.attempt(lambda s=s: _save(tf, f("m"), ["a"], [a], s)) for s in cases]
        raw = tf.raw_ops.SaveV2
        answers += [
            f.attempt(lambda: raw(prefix=[f("m"), f("n")], tensor_names=["a"], shape_and_slices=[""], tensors=[a])),
            f.attempt(lambda: raw(prefix=f("m"), tensor_names=[["a"]], shape_and_slices=[""], tensors=[a])),
            f.attempt(lambda: raw(prefix=f("m"), tensor_names=["a", "b"], shape_and_slices=[""], tensors=[a, a])),
            f.attempt(lambda: raw(prefix=f("m"), tensor_names=["a"], shape_and_slices=[""], tensors=[a, a])),
            f.attempt(lambda: _save(tf, f("m"), ["a", "a"], [a, a])),
            f.attempt(lambda: _save(tf, f("no/such/m"), ["a"], [a])),
            f.attempt(lambda: _save(tf, f("new/m"), ["a"], [a])),
        ]
        return answers


def prog_restoring_is_refused(tf, np):
    """Names, dtypes and slices that are not there."""
    with folder() as f:
        _save(tf, f("model"), ["m", "i"], [tf.reshape(tf.range(50.0), [10, 5]), tf.range(3)])
        calls = [
            lambda: _restore(tf, f("model"), ["q"], [tf.float32]),
            lambda: _restore(tf, f("model"), ["m"], [tf.int32]),
            lambda: _restore(tf, f("model"), ["m"], [tf.bfloat16]),
            lambda: _restore(tf, f("nothing"), ["m"], [tf.float32]),
            lambda: _restore(tf, f("model.index"), ["m"], [tf.float32]),
            lambda: _restore(tf, [f("model"), "x"], ["m"], [tf.float32]),
            lambda: _restore(tf, f("model"), [["m"]], [tf.float32], [""]),
            lambda: _restore(tf, f("model"), ["m"], [tf.float32], ["", ""]),
            lambda: _restore(tf, f("model"), ["m"], [tf.float32] * 2),
        ]
        calls += [lambda s=s: _restore(tf, f("model"), ["m"], [tf.float32], [s]) for s in ["10 6 0,2:-", "9 5 0,2:-", "10 5 9,2:-", "50 0,3", "10 5 0,0:-", "10 5", "zz"]]
        return [f.attempt(call) for call in calls]


def prog_parts_that_are_missing(tf, np):
    """Slices that leave a gap."""
    with folder() as f:
        _save(tf, f("model"), ["v", "v"], [tf.ones([4, 5]), tf.ones([5, 5]) * 2], ["10 5 0,4:-", "10 5 5,5:0,5"])
        return [f.attempt(lambda s=s: _restore(tf, f("model"), ["v"], [tf.float32], [s])) for s in ["", "10 5 3,3:-", "10 5 6,3:-"]]


def prog_merging(tf, np):
    """Checkpoints of several devices become one."""
    with folder() as f:
        for i in range(3):
            os.makedirs(f(f"m{i}"))
            _save(tf, f(f"m{i}/part"), [f"k{2 - i}", "v"], [tf.range(4) + i, tf.range(2) * i], ["", f"6 {2 * i},2"])
        prefixes = [f(f"m{i}/part") for i in (1, 0, 2)]
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=f("merged"))
        return [_files(f), sorted(n for n in os.listdir(f.path) if n[0] == "m"), _restore(tf, f("merged"), ["k0", "k1", "v"], [tf.int32] * 3)]


def prog_merging_what_is_missing(tf, np):
    """One of two, none, a tensor twice."""
    with folder() as f:
        merge = tf.raw_ops.MergeV2Checkpoints
        for i in range(3):
            os.makedirs(f(f"m{i}"))
            _save(tf, f(f"m{i}/part"), ["k" if i else "l"], [tf.range(4) + i])
        answers = [
            f.attempt(lambda: merge(checkpoint_prefixes=[f("n/part")], destination_prefix=f("merged"), allow_missing_files=True)),
            f.attempt(lambda: merge(checkpoint_prefixes=[f("m1/part"), f("m2/part")], destination_prefix=f("merged"))),
            f.attempt(lambda: merge(checkpoint_prefixes=f("m1/part"), destination_prefix=f("merged"))),
            f.attempt(lambda: merge(checkpoint_prefixes=[f("m1/part")], destination_prefix=[f("merged")])),
            f.attempt(lambda: merge(checkpoint_prefixes=[f("m0/part")], destination_prefix=f("no/such/merged"))),
            f.attempt(lambda: merge(checkpoint_prefixes=[f("m0/part"), f("n/part"), f("m1/part")], destination_prefix=f("merged"), allow_missing_files=True, delete_old_dirs=False)),
        ]
        return [answers, _files(f), sorted(n for n in os.listdir(f.path) if n[0] == "m")]


def prog_names_of_shards(tf, np):
    """Small and large numbers."""
    with folder() as f:
        name, spec = tf.raw_ops.ShardedFilename, tf.raw_ops.ShardedFilespec
        return [
            *[name(basename=b, shard=s, num_shards=n) for b, s, n in [("a/b", 1, 3), ("", 123456, 1234567), ("x", -1, -2), (b"\xff", 0, 1)]],
            *[spec(basename=b, num_shards=n) for b, n in [("a/b", 3), ("", 1234567)]],
            f.attempt(lambda: name(basename=["a"], shard=0, num_shards=1)),
            f.attempt(lambda: name(basename="a", shard=[0], num_shards=1)),
            f.attempt(lambda: spec(basename=["a", "b"], num_shards=1)),
        ]


def prog_what_graphs_know(tf, np):
    """Shapes of what is restored, and graphs that cannot run."""
    with folder() as f, tf.Graph().as_default():
        known = [_restore(tf, "x", ["a", "b"], [tf.float32] * 2, s) for s in (["", "4 1,2"], ["10 5 0,2:-", "10 5 -:-"])]
        calls = [
            lambda: _restore(tf, "x", ["a"], [tf.float32], ["zz"]),
            lambda: _restore(tf, "x", ["a"], [tf.float32], ["10 8,4"]),
            lambda: _restore(tf, ["x"], ["a"], [tf.float32]),
            lambda: _restore(tf, "x", "a", [tf.float32], [""]),
            lambda: _restore(tf, "x", ["a", "b"], [tf.float32], [""]),
            lambda: _restore(tf, "x", ["a"], [tf.float32] * 2, [""]),
            lambda: _save(tf, ["x"], ["a"], [tf.zeros(3)]),
            lambda: _save(tf, "x", ["a", "b"], [tf.zeros(3)]),
            lambda: tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes="a", destination_prefix="b"),
            lambda: tf.raw_ops.ShardedFilename(basename="a", shard=[1], num_shards=3),
        ]
        shapes = [str(tensor.shape) for pair in known for tensor in pair]
        return [shapes, [f.attempt(call) for call in calls]]


# --- TensorFlow's first form -----------------------------------------------------------------------------------------


def prog_bytes_of_the_first_form(tf, np):
    """One file, all dtypes it can hold."""
    with folder() as f:
        names = [*_SINGLE, "qint8", "quint8", "qint32"]
        tensors = [_numbers(tf, np, name) for name in names]
        tensors += [tf.constant(["a", b"\xff", "w" * 300]), tf.constant(2.5), tf.zeros([0, 3]), tf.constant([-1, -(2**63)], tf.int64)]
        tf.raw_ops.Save(filename=f("model"), tensor_names=[*names, "string", "scalar", "none", "negative"], data=tensors)
        return _files(f)


def prog_bytes_of_many_in_the_first_form(tf, np):
    """More values than one block holds."""
    with folder() as f:
        names = [f"n{i:05d}" for i in range(3000)]
        tf.raw_ops.Save(filename=f("model"), tensor_names=names, data=[tf.fill([10], float(i)) for i in range(3000)])
        return _files(f)


def prog_slices_of_the_first_form(tf, np):
    """Parts of tensors."""
    with folder() as f:
        a = tf.range(6.0)
        tf.raw_ops.SaveSlices(filename=f("model"), tensor_names=["b", "a", "b"], shapes_and_slices=["10 0,4", "", "10 4,6"], data=[a[:4], a, a])
        restored = [
            f.attempt(lambda s=s: tf.raw_ops.RestoreSlice(file_pattern=f("model"), tensor_name="b", shape_and_slice=s, dt=tf.float32).numpy().tolist())
            for s in ["10 0,4", "10 4,6", "10 2,4", "10 0,10", "10 5,2", "10 -", "9 2,3", "zz"]
        ]
        return [_files(f), restored, tf.raw_ops.Restore(file_pattern=f("mod*"), tensor_name=["b", "a"], dt=tf.float32), _restore(tf, f("model"), ["a", "b"], [tf.float32] * 2, ["6 1,2", "10 3,2"])]


def prog_the_first_form_is_refused(tf, np):
    """Dtypes, names, files."""
    with folder() as f:
        a, raw = tf.range(6.0), tf.raw_ops
        raw.Save(filename=f("model"), tensor_names=["a", "s"], data=[a, tf.constant(["x"])])
        calls = [lambda d=d: raw.Save(filename=f("m"), tensor_names=["x"], data=[_numbers(tf, np, d)]) for d in ("bfloat16", "uint32", "uint64", "qint16", "quint16", "float8_e5m2", "int4")]
        calls += [
            lambda: raw.Save(filename=[f("m"), "n"], tensor_names=["a"], data=[a]),
            lambda: raw.Save(filename=f("m"), tensor_names=["a", "b"], data=[a]),
            lambda: raw.SaveSlices(filename=f("m"), tensor_names=["a"], shapes_and_slices=["", ""], data=[a]),
            lambda: raw.SaveSlices(filename=f("m"), tensor_names=["a"], shapes_and_slices=["10 0,5"], data=[a]),
            lambda: raw.SaveSlices(filename=f("m"), tensor_names=["a"], shapes_and_slices=["zz"], data=[a]),
            lambda: raw.Save(filename=f("m"), tensor_names=["b", "b"], data=[a, a[:3]]),
            lambda: raw.Restore(file_pattern=f("model"), tensor_name="a", dt=tf.int32),
            lambda: raw.Restore(file_pattern=f("model"), tensor_name="q", dt=tf.float32),
            lambda: raw.Restore(file_pattern=f("nothing"), tensor_name="a", dt=tf.float32),
            lambda: raw.Restore(file_pattern=[f("model")] * 2, tensor_name="a", dt=tf.float32),
            lambda: _restore(tf, f("model"), ["a"], [tf.int32]),
        ]
        return [f.attempt(call) for call in calls]


def prog_readers(tf, np):
    """What readers say of a checkpoint of either form."""
    with folder() as f:
        a = tf.range(6.0)
        _save(tf, f("model"), ["m", "s", "v"], [a, tf.constant(["x", "y"]), a], ["", "", "10 2,6"])
        tf.raw_ops.Save(filename=f("one"), tensor_names=["m"], data=[a])
        answers = []
        for name in ("model", "one"):
            reader = tf.train.load_checkpoint(f(name))
            answers += [sorted(reader.get_variable_to_shape_map().items()), sorted((k, d.name) for k, d in reader.get_variable_to_dtype_map().items())]
            answers += [reader.has_tensor("m"), reader.has_tensor("q"), reader.get_tensor("m"), reader.debug_string().hex()]
        answers += [tf.train.list_variables(f("model")), tf.train.load_variable(f("model"), "s").tolist(), tf.train.load_variable(f("model"), "m:0")]
        calls = [
            lambda: tf.train.load_checkpoint(f("nothing")),
            lambda: tf.train.load_checkpoint(f.path),
            lambda: tf.train.load_checkpoint(3),
            lambda: tf.train.load_variable(f("model"), "q"),
            lambda: tf.train.load_checkpoint(f("model")).get_tensor(3),
            lambda: tf.compat.v1.train.NewCheckpointReader(f("nothing")),
        ]
        return [*answers, [f.attempt(call) for call in calls]]
