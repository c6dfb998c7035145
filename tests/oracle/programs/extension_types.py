"""`tf.experimental.ExtensionType`: fields and their conversion, checks, printing, equality, specs, functions, batching.

The guide's subjects are here one by one: custom constructors, abstract and generic types, variables as fields, methods
under `tf.function`, branches and loops, datasets, Keras-like calls, and what each refuses.
"""

# ruff: noqa: UP006, UP007, UP045 (annotations as users write them)
from __future__ import annotations

import copy
import dataclasses
import pickle
import typing
from collections.abc import Mapping

from tests.oracle.programs._composite_helpers import numbers, outcome, plain, sparse
from tests.oracle.support import printed


def _kind(tf, name="Kind", base=None, members=None, **fields):
    """Defines an extension type of these annotations."""
    bases = base if isinstance(base, tuple) else (base or tf.experimental.ExtensionType,)
    return type(name, bases, {"__annotations__": fields, "__module__": __name__, "__qualname__": name, **(members or {})})


def _masked(tf, **members):
    return _kind(tf, "MaskedTensor", None, members, values=tf.Tensor, mask=tf.Tensor)


def _about(value):
    return [repr(value), type(value).__name__]


def _made(tf, annotation, *values):
    """What a field of this annotation takes: repr of an instance, or the refusal, for each value."""
    kind = _kind(tf, x=annotation)
    return [outcome(lambda: repr(kind(value).x), 14) for value in values]


globals().update(
    plain(
        masked=lambda tf: _about(_masked(tf)([1, 2], [True, False])),
        fields=lambda tf: (lambda m: [m.values, m.mask])(_masked(tf)([1, 2], [True, False])),
        keywords=lambda tf: _about(_masked(tf)(mask=[True], values=[1.5])),
        printed=lambda tf: printed(lambda: print(_masked(tf)([1, 2], [True, False])))["stdout"],
        str_of=lambda tf: [str(_masked(tf)([1], [True])), f"{_kind(tf, a=int, b=str, c=float)(1, 'x', 2.0)}"],
        repr_in_graph=lambda tf: _in_graph(tf, lambda: repr(_masked(tf)([1], [True]))),
        tf_print=lambda tf: printed(lambda: tf.print(_masked(tf)([1], [True])))["stderr"],
        tensor_values=lambda tf: _made(tf, tf.Tensor, 1, [1.5], "a", [[1], [2]], tf.constant(True), None, numbers(tf), [1, "a"]),
        int_values=lambda tf: _made(tf, int, 1, True, 1.5, "a", None, tf.constant(1)),
        float_values=lambda tf: _made(tf, float, 1, 1.5, "a"),
        str_values=lambda tf: _made(tf, str, "a", b"a", 1),
        bytes_values=lambda tf: _made(tf, bytes, b"a", "a", 1),
        bool_values=lambda tf: _made(tf, bool, True, 1, "a"),
        none_values=lambda tf: _made(tf, None, None, 1),
        shape_values=lambda tf: _made(tf, tf.TensorShape, [1, 2], (None, 3), tf.TensorShape(None), 5, "a", None),
        dtype_values=lambda tf: _made(tf, tf.DType, tf.int32, "float32", int, 5, "nothing"),
        spec_values=lambda tf: _made(tf, tf.TypeSpec, tf.TensorSpec([1]), tf.RaggedTensorSpec([None, None]), 5),
        optional_values=lambda tf: _made(tf, typing.Optional[tf.Tensor], None, 1, "a"),
        union_values=lambda tf: _made(tf, typing.Union[int, str], 1, "a", 1.5),
        union_of_tensors=lambda tf: _made(tf, typing.Union[tf.Tensor, tf.RaggedTensor], [1], numbers(tf), "a"),
        new_union=lambda tf: _made(tf, int | None, 1, None, "a"),
        tuple_values=lambda tf: _made(tf, typing.Tuple[int, str], (1, "a"), [1, "a"], (1,), ("a", 1), 5),
        open_tuple=lambda tf: _made(tf, typing.Tuple[tf.Tensor, ...], (1, 2.5), [], ([1], "a"), 5),
        new_tuple=lambda tf: _made(tf, tuple[int, ...], (1, 2), ["a"]),
        mapping_values=lambda tf: _made(tf, typing.Mapping[str, tf.Tensor], {"a": 1, "b": [2.5]}, {}, {1: 2}, 5),
        new_mapping=lambda tf: _made(tf, Mapping[str, int], {"a": 1}, {"a": "b"}),
        literal_values=lambda tf: _made(tf, typing.Literal["a", "b"], "a", "c"),
        ragged_values=lambda tf: _made(tf, tf.RaggedTensor, numbers(tf), [[1], [2, 3]], tf.constant([[1]])),
        sparse_values=lambda tf: _made(tf, tf.SparseTensor, sparse(tf), [[1]]),
        nested_values=lambda tf: (lambda inner: _made(tf, inner, inner(1), 5, {"x": 1}))(_kind(tf, "Inner", x=tf.Tensor)),
        tensor_spec_annotation=lambda tf: _made(tf, tf.TensorSpec([2], tf.int32), [1, 2], [1, 2, 3], [1.5, 2.5], tf.constant([1, 2])),
        unknown_spec_annotation=lambda tf: _made(tf, tf.TensorSpec(None, tf.float32), [1, 2], 5, [[1.0]]),
        ragged_spec_annotation=lambda tf: _made(tf, tf.RaggedTensorSpec([None, None], tf.int32), numbers(tf), tf.cast(numbers(tf), tf.float32)),
        variable_annotation=lambda tf: outcome(lambda: _kind(tf, v=tf.Variable)(tf.Variable(1.0)).v.shape),
        list_annotation=lambda tf: _kind(tf, x=typing.List[int]),
        dict_annotation=lambda tf: _kind(tf, x=typing.Dict[str, int]),
        any_annotation=lambda tf: _kind(tf, x=typing.Any),
        object_annotation=lambda tf: _kind(tf, x=object),
        array_annotation=lambda tf, np: _kind(tf, x=np.ndarray),
        mapping_of_int_keys=lambda tf: _made(tf, typing.Mapping[int, int], {1: 2}),
        bare_tuple_annotation=lambda tf: _kind(tf, x=tuple),
        callable_annotation=lambda tf: _kind(tf, x=typing.Callable),
        set_annotation=lambda tf: _kind(tf, x=typing.Set[int]),
        forward_annotation=lambda tf: outcome(lambda: repr(_kind(tf, x="tf.Tensor")), 12),
        too_many_arguments=lambda tf: _masked(tf)(1, 2, 3),
        too_few_arguments=lambda tf: _masked(tf)(1),
        unknown_keyword=lambda tf: _masked(tf)(1, 2, extra=3),
        argument_twice=lambda tf: _masked(tf)(1, values=2),
        abstract_base=lambda tf: tf.experimental.ExtensionType(),
        no_fields=lambda tf: _about(_kind(tf)()),
        field_without_annotation=lambda tf: _kind(tf, members={"x": 1}),
        reserved_field=lambda tf: _kind(tf, _tf_extension_type_x=int),
        reserved_method_name=lambda tf: _kind(tf, Spec=int),
        default_values=lambda tf: [repr(k()) for k in [_kind(tf, members={"x": 5, "s": "d"}, x=tf.Tensor, s=str)]],
        default_of_wrong_type=lambda tf: _kind(tf, members={"x": "a"}, x=int),
        default_before_required=lambda tf: _kind(tf, members={"x": 1}, x=int, y=int),
        set_field=lambda tf: setattr(_masked(tf)(1, True), "values", 2),
        set_new_field=lambda tf: setattr(_masked(tf)(1, True), "other", 2),
        delete_field=lambda tf: delattr(_masked(tf)(1, True), "values"),
        missing_attribute=lambda tf: _masked(tf)(1, True).other,
        mapping_is_immutable=lambda tf: _kind(tf, x=typing.Mapping[str, int])({"a": 1}).x.__setitem__("a", 2),
        mapping_methods=lambda tf: (lambda m: [m["a"], len(m), list(m), dict(m), "a" in m, type(m).__name__, repr(m)])(_kind(tf, x=typing.Mapping[str, int])({"a": 1}).x),
        list_becomes_tuple=lambda tf: _kind(tf, x=typing.Tuple[int, ...])([1, 2]).x,
        equality=lambda tf: (lambda k: [k(1, True) == k(1, True), k(1, True) == k(2, True), k(1, True) != k(1, True), k(1, True) == 5, k([1, 2], True) == k([1, 2, 3], True), k(1, True) == k(1.0, True)])(_masked(tf)),
        equality_of_plain=lambda tf: (lambda k: [k(1, "a") == k(1, "a"), k(1, "a") == k(1, "b")])(_kind(tf, x=int, y=str)),
        hash_of=lambda tf: hash(_masked(tf)(1, True)),
        hash_of_plain=lambda tf: hash(_kind(tf, x=int)(1)) == hash(_kind(tf, x=int)(1)),
        copied=lambda tf: [repr(copy.copy(_kind(tf, x=int)(1))), outcome(lambda: repr(copy.deepcopy(_kind(tf, x=int)(1))))],
        validate=lambda tf: _kind(tf, members={"__validate__": lambda self: self.x.shape.assert_has_rank(1)}, x=tf.Tensor)(5),
        validate_sees_fields=lambda tf: repr(_validated(tf)([1, 2], [True, False])),
        validate_refuses=lambda tf: _validated(tf)([1, 2], [True]),
        constructor=lambda tf: repr(_scaled(tf)(3)),
        constructor_without_fields=lambda tf: _kind(tf, members={"__init__": lambda self: None}, x=int)(),
        constructor_sets_unknown=lambda tf: _kind(tf, members={"__init__": _sets_unknown}, x=int)(),
        constructor_of_wrong_type=lambda tf: _kind(tf, members={"__init__": _sets_text}, x=int)(),
        properties_and_methods=lambda tf: (lambda m: [m.total(), m.size, m.twice().values])(_rich(tf)([1, 2], [True, False])),
        subclass_fields=lambda tf: repr(_kind(tf, "Child", _masked(tf), note=str)([1], [True], "n")),
        subclass_of_subclass=lambda tf: repr(_kind(tf, "GrandChild", _kind(tf, "Child", _masked(tf), note=str), {"z": 1}, z=int)([1], [True], "n")),
        subclass_redefines=lambda tf: outcome(lambda: repr(_kind(tf, "Child", _masked(tf), values=int)(1, True)), 12),
        subclass_methods=lambda tf: _kind(tf, "Child", _rich(tf))([1, 2], [True, True]).total(),
        mixin=lambda tf: _kind(tf, "Mixed", (tf.experimental.ExtensionType, _Doubler), x=tf.Tensor)(4).doubled(),
        is_instance=lambda tf: (lambda m: [isinstance(m, tf.experimental.ExtensionType), tf.is_tensor(m), tf.nest.is_nested(m)])(_masked(tf)(1, True)),
        specs=lambda tf: [tf.type_spec_from_value(_masked(tf)([1, 2], [True, False])), tf.type_spec_from_value(_kind(tf, x=int, y=str)(1, "a"))],
        spec_class=lambda tf: (lambda k: [k.Spec.__name__, repr(k.Spec(values=tf.TensorSpec([None], tf.int32), mask=tf.TensorSpec([None], tf.bool))), issubclass(k.Spec, tf.experimental.ExtensionTypeSpec), tf.type_spec_from_value(k(1, True)).value_type is k])(_masked(tf)),
        spec_fields=lambda tf: (lambda s: [s.values, s.mask])(tf.type_spec_from_value(_masked(tf)([1, 2], [True, False]))),
        spec_of_defaults=lambda tf: repr(_kind(tf, x=tf.TensorSpec([2], tf.int32), y=int).Spec(y=3)),
        spec_too_few=lambda tf: _masked(tf).Spec(values=tf.TensorSpec([], tf.int32)),
        spec_of_wrong_type=lambda tf: _masked(tf).Spec(values=5, mask=tf.TensorSpec([], tf.bool)),
        spec_compatible=lambda tf: (lambda k: [k.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool)).is_compatible_with(v) for v in (k([1], [True]), k(1, True), k([1.5], [True]), 5)])(_masked(tf)),
        spec_supertype=lambda tf: (lambda k: [tf.type_spec_from_value(k([1], [True])).most_specific_compatible_type(tf.type_spec_from_value(k([1, 2], [True, True])))])(_masked(tf)),
        spec_common_supertype=lambda tf: (lambda k: [tf.type_spec_from_value(k([1], [True])).most_specific_common_supertype([tf.type_spec_from_value(v)]) for v in (k([1, 2], [True, True]), k([1.5], [True]))])(_masked(tf)),
        spec_subtype=lambda tf: (lambda k: [k.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec(None, tf.bool)).is_subtype_of(s) for s in (tf.type_spec_from_value(k([1], [True])), k.Spec(tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.bool)))])(_masked(tf)),
        spec_equality=lambda tf: (lambda k: [tf.type_spec_from_value(k([1], [True])) == tf.type_spec_from_value(k([5], [False])), hash(tf.type_spec_from_value(k([1], [True]))) == hash(tf.type_spec_from_value(k([5], [False])))])(_masked(tf)),
        spec_immutable=lambda tf: setattr(tf.type_spec_from_value(_masked(tf)(1, True)), "values", 5),
        nest_flatten=lambda tf: [tf.nest.flatten(_masked(tf)([1], [True]), expand_composites=True), len(tf.nest.flatten([_masked(tf)([1], [True])]))],
        nest_map=lambda tf: repr(tf.nest.map_structure(tf.identity, _masked(tf)([1], [True]), expand_composites=True)),
        nest_pack=lambda tf: repr(tf.nest.pack_sequence_as(_masked(tf)([1], [True]), [tf.constant([5]), tf.constant([False])], expand_composites=True)),
        convert_to_tensor=lambda tf: tf.convert_to_tensor(_masked(tf)([1], [True])),
        add_without_overload=lambda tf: _masked(tf)([1], [True]) + 1,
        function_without_overload=lambda tf: tf.add(_masked(tf)([1], [True]), 1),
        operator_method=lambda tf: repr(_kind(tf, "Addable", None, {"__add__": lambda self, other: type(self)(self.x + other)}, x=tf.Tensor)(1) + 2),
        name_registered=lambda tf: outcome(lambda: [_kind(tf, "Named", None, {"__name__": "oracle.Named"}, x=int).__name__][:1]),
        name_registered_twice=lambda tf: [_kind(tf, "Named", None, {"__name__": "oracle.Twice"}, x=int) for _ in range(2)][:0],
        bad_name=lambda tf: _kind(tf, "Named", None, {"__name__": "no dots"}, x=int),
        pickled=lambda tf: outcome(lambda: repr(pickle.loads(pickle.dumps(_masked(tf)(1, True))))),
        dataclass_field=lambda tf: _kind(tf, x=dataclasses.Field),
        type_var_annotation=lambda tf: _kind(tf, x=typing.TypeVar("T")),
        variable_field=lambda tf: _variable_field(tf),
        generic_annotation=lambda tf: _kind(tf, x=typing.Tuple[tf.Tensor, typing.Mapping[str, typing.Optional[int]]])((1, {"a": None})).x[1]["a"],
        deep_structure=lambda tf: repr(_kind(tf, x=typing.Tuple[typing.Mapping[str, tf.Tensor], ...])([{"a": 1}, {}])),
        extension_type_with_reserved=lambda tf: outcome(lambda: _kind(tf, _type_spec=int)),
        anonymous=lambda tf: hasattr(tf.experimental, "AnonymousExtensionType"),
    )
)


def _in_graph(tf, call):
    with tf.Graph().as_default():
        return call()


def _validated(tf):
    def check(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    return _masked(tf, __validate__=check)


def _scaled(tf):
    def make(self, x):
        self.x = tf.cast(x, tf.float32) * 2.0
        self.note = f"from {x}"

    return _kind(tf, "Scaled", None, {"__init__": make}, x=tf.Tensor, note=str)


def _sets_unknown(self):
    self.x = 1
    self.other = 2


def _sets_text(self):
    self.x = "text"


class _Doubler:
    def doubled(self):
        return self.x * 2


def _rich(tf):
    members = {
        "total": lambda self: tf.reduce_sum(tf.where(self.mask, self.values, 0)),
        "size": property(lambda self: tf.size(self.values)),
        "twice": lambda self: type(self)(self.values * 2, self.mask),
    }
    return _masked(tf, **members)


def _variable_field(tf):
    kind = _kind(tf, v=tf.Variable)
    m = kind(tf.Variable([1.0, 2.0]))
    m.v.assign_add([1.0, 1.0])
    return outcome(lambda: tf.nest.flatten(m, expand_composites=True), 12)


# --- functions ---------------------------------------------------------------------------------------------------


def _traces(tf):
    kind, seen = _masked(tf), []

    @tf.function
    def f(m):
        seen.append(tf.type_spec_from_value(m))
        return kind(m.values * 2, m.mask)

    out = [repr(f(kind(*v))) for v in (([1, 2], [True, False]), ([3, 4], [True, True]), ([1], [True]), ([1.5], [True]))]
    return [out, seen]


def _traces_of_plain_fields(tf):
    kind, seen = _kind(tf, x=tf.Tensor, n=int), []

    @tf.function
    def f(m):
        seen.append(m.n)
        return m.x * m.n

    return [f(kind(1, 2)), f(kind(2, 2)), f(kind(1, 3)), seen]


def _signature(tf):
    kind = _masked(tf)
    f = tf.function(lambda m: m.values, input_signature=[kind.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))])
    return [outcome(lambda: f(v)) for v in (kind([1], [True]), kind([1, 2], [True, False]), kind(1, True), kind([1.5], [True]), 5)]


def _concrete(tf):
    kind = _masked(tf)
    f = tf.function(lambda m: kind(m.values + 1, m.mask)).get_concrete_function(tf.type_spec_from_value(kind([1], [True])))
    return [repr(f(kind([5], [False]))), [t.dtype for t in f.inputs], repr(f.structured_outputs.values.shape), f.pretty_printed_signature()]


def _branches(tf):
    kind = _masked(tf)

    @tf.function
    def f(m, p):
        if p:
            out = kind(m.values * 10, m.mask)
        else:
            out = m
        return out

    return [repr(f(kind([1], [True]), tf.constant(p))) for p in (True, False)]


def _loops(tf):
    kind = _masked(tf)

    @tf.function
    def f(m):
        i = 0
        while i < 3:
            m = kind(m.values * 2, tf.logical_not(m.mask))
            i += 1
        return m

    return repr(f(kind([1, 2], [True, False])))


def _growing_loop(tf):
    kind = _kind(tf, x=tf.Tensor)
    invariant = kind.Spec(tf.TensorSpec([None], tf.int32))
    step = lambda i, m: (i + 1, kind(tf.concat([m.x, m.x], 0)))
    return repr(tf.function(lambda m: tf.while_loop(lambda i, m: i < 2, step, [0, m], shape_invariants=[tf.TensorShape([]), invariant])[1])(kind([1])))


def _method(tf):
    members = {"scaled": tf.function(lambda self, k: type(self)(self.values * k, self.mask))}
    kind = _masked(tf, **members)
    return [repr(kind([1], [True]).scaled(3)), repr(kind([1], [True]).scaled(tf.constant(4)))]


def _gradients(tf):
    kind = _kind(tf, x=tf.Tensor, k=float)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        m = tf.function(lambda m: kind(m.x * m.x * m.k, m.k))(kind(x, 3.0))
        y = tf.reduce_sum(m.x)
    return tape.gradient(y, x)


def _composite_gradient(tf):
    kind = _kind(tf, x=tf.Tensor)
    m = kind(tf.constant([1.0, 2.0]))
    with tf.GradientTape() as tape:
        outcome(lambda: tape.watch(m))
        y = m.x * 2.0
    return outcome(lambda: tape.gradient(y, m), 10)


def _mapped(tf):
    kind = _kind(tf, "Batched", tf.experimental.BatchableExtensionType, x=tf.Tensor, y=tf.Tensor)
    return repr(tf.map_fn(lambda m: kind(m.x * 2, m.y), kind([1, 2], [[1.5], [2.5]])))


def _mapped_to(tf):
    kind = _kind(tf, "Batched", tf.experimental.BatchableExtensionType, x=tf.Tensor)
    return repr(tf.map_fn(lambda v: kind(v * 2), tf.constant([1, 2]), fn_output_signature=kind.Spec(tf.TensorSpec([], tf.int32))))


def _mapped_unbatchable(tf):
    kind = _kind(tf, x=tf.Tensor)
    return repr(tf.map_fn(lambda m: m, kind([1, 2])))


def _dataset(tf):
    kind = _kind(tf, "Batched", tf.experimental.BatchableExtensionType, x=tf.Tensor, y=tf.Tensor)
    d = tf.data.Dataset.from_tensor_slices(kind([1, 2, 3], [[1.0], [2.0], [3.0]]))
    return [repr(d.element_spec), [repr(m) for m in d], [repr(m) for m in d.batch(2)], [repr(m) for m in d.map(lambda m: kind(m.x + 1, m.y)).batch(3).unbatch()]]


def _dataset_of_one(tf):
    kind = _masked(tf)
    d = tf.data.Dataset.from_tensors(kind([1, 2], [True, False]))
    return [repr(d.element_spec), [repr(m) for m in d], outcome(lambda: d.batch(2), 10)]


def _dataset_of_ragged_fields(tf):
    kind = _kind(tf, "Batched", tf.experimental.BatchableExtensionType, r=tf.RaggedTensor, n=tf.Tensor)
    d = tf.data.Dataset.from_tensor_slices(kind(numbers(tf), [1, 2, 3]))
    return [repr(d.element_spec), [m.r for m in d], [m.r for m in d.batch(2)]]


def _encoder(tf):
    """A batch encoder: a network of nodes and edges is stored as two ragged rows."""

    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            shape = tf.TensorShape([batch_size]).concatenate(spec.x.shape)
            return type(spec)(tf.TensorSpec(shape, spec.x.dtype))

        def unbatch(self, spec):
            return type(spec)(tf.TensorSpec(spec.x.shape[1:], spec.x.dtype))

        def encode(self, spec, value, minimum_rank=0):
            return [value.x * 2]

        def encoding_specs(self, spec):
            return [tf.TensorSpec(spec.x.shape, spec.x.dtype)]

        def decode(self, spec, encoded_value):
            return spec.value_type(encoded_value[0] // 2)

    kind = _kind(tf, "Encoded", tf.experimental.BatchableExtensionType, {"__batch_encoder__": Encoder()}, x=tf.Tensor)
    d = tf.data.Dataset.from_tensor_slices(kind([1, 2, 3]))
    return [[repr(m) for m in d], [repr(m) for m in d.batch(2)], repr(tf.map_fn(lambda m: m, kind([4, 5])))]


def _vectorized(tf):
    kind = _kind(tf, "Batched", tf.experimental.BatchableExtensionType, x=tf.Tensor)
    return repr(tf.vectorized_map(lambda m: kind(m.x * 2), kind([1, 2])))


def _module(tf):
    kind = _masked(tf)

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(2)

        @tf.function
        def __call__(self, m):
            return kind(m.values * self.w, m.mask)

    return repr(Model()(kind([1, 2], [True, False])))


def _keyword_argument(tf):
    kind = _masked(tf)
    return tf.function(lambda *, m, k: m.values * k)(m=kind([1], [True]), k=3)


def _default_argument(tf):
    kind = _masked(tf)
    default = kind([7], [True])
    return tf.function(lambda m=default: m.values * 2)()


def _captured(tf):
    m = _masked(tf)([1], [True])
    return tf.function(lambda: m.values + 1)()


def _validate_in_function(tf):
    kind = _validated(tf)
    return outcome(lambda: tf.function(lambda v: kind(v, [True]))(tf.constant([1, 2])), 12)


def _assert_in_function(tf):
    def check(self):
        tf.debugging.assert_positive(self.x, "must be positive")

    kind = _kind(tf, members={"__validate__": check}, x=tf.Tensor)
    f = tf.function(lambda v: kind(v).x)
    return [f(tf.constant([1])), outcome(lambda: f(tf.constant([-1])), 8)]


def _networks(tf):
    """The guide's network of shapes, dtypes and names, and a function over it."""
    kind = _kind(tf, "Network", num_nodes=tf.Tensor, edges=tf.Tensor, label=str, weights=typing.Optional[tf.Tensor])
    make = lambda edges, weights=None: kind(3, edges, "n", weights)

    @tf.function
    def degree(network):
        ends = tf.reshape(network.edges, [-1])
        return tf.math.unsorted_segment_sum(tf.ones_like(ends), ends, network.num_nodes)

    return [degree(make([[0, 1], [1, 2]])), degree(make([[0, 2]], [0.5])), outcome(lambda: make([[0, 1, 2]]), 12), repr(make([[0, 1]]))]


def _cond_of_unlike(tf):
    kind = _kind(tf, x=tf.Tensor, n=int)
    return outcome(lambda: tf.function(lambda p: tf.cond(p, lambda: kind(1, 2), lambda: kind(1, 3)))(tf.constant(True)), 10)


def _while_of_unlike(tf):
    kind = _kind(tf, x=tf.Tensor)
    return outcome(lambda: tf.function(lambda m: tf.while_loop(lambda m: tf.size(m.x) < 5, lambda m: (kind(tf.concat([m.x, m.x], 0)),), [m]))(kind([1])), 6)


def _py_function(tf):
    kind = _kind(tf, x=tf.Tensor)
    return outcome(lambda: tf.py_function(lambda m: m.x * 2, [kind([1])], tf.int32), 8)


def _compiled(tf):
    kind = _masked(tf)
    return repr(tf.function(lambda m: kind(m.values * 2, m.mask), jit_compile=True)(kind([1, 2], [True, False])))


globals().update(
    plain(
        limit=12,
        traces=_traces,
        traces_of_plain_fields=_traces_of_plain_fields,
        signature=_signature,
        concrete_function=_concrete,
        branches=_branches,
        loops=_loops,
        growing_loop=_growing_loop,
        method_of_a_function=_method,
        gradients=_gradients,
        composite_gradient=_composite_gradient,
        mapped=_mapped,
        mapped_to=_mapped_to,
        mapped_unbatchable=_mapped_unbatchable,
        dataset=_dataset,
        dataset_of_one=_dataset_of_one,
        dataset_of_ragged_fields=_dataset_of_ragged_fields,
        batch_encoder=_encoder,
        vectorized=_vectorized,
        module=_module,
        keyword_argument=_keyword_argument,
        default_argument=_default_argument,
        captured=_captured,
        validate_in_function=_validate_in_function,
        assert_in_function=_assert_in_function,
        networks=_networks,
        cond_of_unlike=_cond_of_unlike,
        while_of_unlike=_while_of_unlike,
        py_function=_py_function,
        compiled_extension_type=_compiled,
        identity=lambda tf: repr(tf.identity(_masked(tf)([1], [True]))),
        stack_of_types=lambda tf: tf.stack([_masked(tf)([1], [True])] * 2),
        control_dependencies=lambda tf: outcome(lambda: _controlled(tf)),
    )
)


def _controlled(tf):
    with tf.control_dependencies([_masked(tf)([1], [True])]):
        return tf.constant(1)
