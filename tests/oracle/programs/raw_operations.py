"""tf.raw_ops: keyword-only calls, attributes, outputs, errors."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_keyword_only(tf, np):
    """Positional arguments are refused."""
    r = tf.raw_ops
    return [r.AddV2(x=1.0, y=2.0), attempt(lambda: r.AddV2(1.0, 2.0), words=4), attempt(lambda: r.AddV2(x=1.0), words=0), attempt(lambda: r.AddV2(x=1.0, y=2.0, z=3.0), words=0), r.AddV2(x=1.0, y=2.0, name="n")]


def prog_unknown_op(tf, np):
    """Names that do not exist."""
    return attempt(lambda: tf.raw_ops.NoSuchOp, words=3)


def prog_attributes(tf, np):
    """Attributes by their own names."""
    r = tf.raw_ops
    return [r.MatMul(a=[[1.0, 2.0]], b=[[3.0, 4.0]], transpose_b=True), r.Sum(input=[[1, 2], [3, 4]], axis=1, keep_dims=True), r.Cast(x=[1.7], DstT=tf.int32), r.ArgMax(input=[1, 5, 2], dimension=0, output_type=tf.int32), r.ConcatV2(values=[[1], [2]], axis=0), r.Pack(values=[[1], [2]], axis=1), r.Unpack(value=[[1, 2]], num=2, axis=1), r.Split(axis=0, value=[1, 2], num_split=2), r.SplitV(value=[1, 2, 3], size_splits=[1, 2], axis=0, num_split=2)]


def prog_attribute_type_errors(tf, np):
    """Attributes of a wrong type."""
    r = tf.raw_ops
    return [attempt(lambda: r.MatMul(a=[[1.0]], b=[[1.0]], transpose_a="x"), words=0), attempt(lambda: r.Cast(x=1, DstT="nonsense"), words=0), attempt(lambda: r.Unpack(value=[1], num="a"), words=0)]


def prog_named_outputs(tf, np):
    """Ops with several outputs return named tuples."""
    r = tf.raw_ops
    a = r.TopKV2(input=[3.0, 1.0, 2.0], k=2)
    b = r.UniqueWithCounts(x=[1, 1, 2])
    c = r.Unique(x=["a", "a"])
    d = r.BroadcastGradientArgs(s0=[2, 3], s1=[3])
    return [type(a).__name__, a._fields, a, type(b).__name__, b, c.idx, type(d).__name__, d]


def prog_array_ops(tf, np):
    """A selection of array ops."""
    r = tf.raw_ops
    x = [[1, 2, 3], [4, 5, 6]]
    return [r.Shape(input=x), r.Shape(input=x, out_type=tf.int64), r.Size(input=x), r.Rank(input=x), r.ExpandDims(input=x, axis=1), r.Squeeze(input=[[1]], axis=[0]), r.Transpose(x=x, perm=[1, 0]), r.ConjugateTranspose(x=[[1j]], perm=[1, 0]), r.Tile(input=[1], multiples=[3]), r.Pad(input=[1], paddings=[[1, 1]]), r.PadV2(input=[1], paddings=[[1, 1]], constant_values=9), r.MirrorPad(input=[1, 2, 3], paddings=[[1, 1]], mode="REFLECT"), r.ReverseV2(tensor=x, axis=[1]), r.Roll(input=[1, 2, 3], shift=1, axis=0), r.Fill(dims=[2], value=7), r.ZerosLike(x=[1.5]), r.OnesLike(x=[1.5]), r.Identity(input=5), r.BroadcastTo(input=1, shape=[2]), r.Slice(input=x, begin=[0, 1], size=[2, 1]), r.Reshape(tensor=x, shape=[3, 2]), r.Range(start=0, limit=3, delta=1), r.LinSpace(start=0.0, stop=1.0, num=3), r.OneHot(indices=[1], depth=2, on_value=1.0, off_value=0.0), r.GatherV2(params=[1, 2], indices=[0], axis=0), r.GatherNd(params=x, indices=[[0, 1]]), r.ScatterNd(indices=[[1]], updates=[5], shape=[3]), r.Where(condition=[True, False, True]), r.SelectV2(condition=True, t=1, e=2), r.InvertPermutation(x=[1, 0])]


def prog_math_ops(tf, np):
    """A selection of math ops."""
    r = tf.raw_ops
    x, y = [4.0, 9.0], [2.0, 3.0]
    unary = [r.Neg, r.Abs, r.Exp, r.Log, r.Sqrt, r.Rsqrt, r.Square, r.Sign, r.Sin, r.Cos, r.Tan, r.Tanh, r.Sigmoid, r.Floor, r.Ceil, r.Round, r.Rint, r.Erf, r.Erfc, r.Lgamma, r.Digamma, r.Inv, r.Reciprocal, r.IsNan, r.IsInf, r.IsFinite, r.Log1p, r.Expm1]
    binary = [r.AddV2, r.Add, r.Sub, r.Mul, r.Div, r.RealDiv, r.FloorDiv, r.FloorMod, r.Pow, r.Maximum, r.Minimum, r.SquaredDifference, r.Less, r.LessEqual, r.Greater, r.GreaterEqual, r.DivNoNan, r.MulNoNan, r.Xdivy, r.Xlogy]
    return [[f(x=x) for f in unary], [f(x=x, y=y) for f in binary], r.TruncateDiv(x=[-7], y=[2]), r.TruncateMod(x=[-7], y=[2]), r.Equal(x=x, y=y), r.NotEqual(x=x, y=y), r.AddN(inputs=[x, y]), r.Mod(x=[7], y=[4])]


def prog_gradient_ops(tf, np):
    """Gradient helper ops by name."""
    r = tf.raw_ops
    return [r.ReluGrad(gradients=[1.0, 1.0], features=[-1.0, 1.0]), r.SigmoidGrad(y=[0.5], dy=[1.0]), r.TanhGrad(y=[0.5], dy=[1.0]), r.SqrtGrad(y=[2.0], dy=[1.0]), r.RsqrtGrad(y=[0.5], dy=[1.0]), r.SoftplusGrad(gradients=[1.0], features=[0.0]), r.EluGrad(gradients=[1.0], outputs=[-0.5]), r.SeluGrad(gradients=[1.0], outputs=[0.5]), r.LeakyReluGrad(gradients=[1.0], features=[-1.0], alpha=0.1), r.InvGrad(y=[2.0], dy=[1.0]), r.BiasAddGrad(out_backprop=[[1.0, 2.0], [3.0, 4.0]]), r.Relu6Grad(gradients=[1.0, 1.0], features=[5.0, 7.0]), r.SoftsignGrad(gradients=[1.0], features=[1.0])]


def prog_convolution_backprops(tf, np):
    """Conv2DBackprop* and pool gradients by name."""
    r = tf.raw_ops
    x, k = tf.reshape(tf.range(9.0), [1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    y = r.Conv2D(input=x, filter=k, strides=[1, 1, 1, 1], padding="VALID")
    p = r.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    return [y, r.Conv2DBackpropInput(input_sizes=[1, 3, 3, 1], filter=k, out_backprop=y, strides=[1, 1, 1, 1], padding="VALID"), r.Conv2DBackpropFilter(input=x, filter_sizes=[2, 2, 1, 1], out_backprop=y, strides=[1, 1, 1, 1], padding="VALID"), p, r.MaxPoolGrad(orig_input=x, orig_output=p, grad=p, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID"), r.AvgPoolGrad(orig_input_shape=[1, 3, 3, 1], grad=tf.ones([1, 2, 2, 1]), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID"), r.AvgPool(value=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")]


def prog_nn_ops(tf, np):
    """Softmax, cross entropies, bias, l2 by name."""
    r = tf.raw_ops
    z = [[1.0, 2.0, 3.0]]
    return [r.Softmax(logits=z), r.LogSoftmax(logits=z), r.SoftmaxCrossEntropyWithLogits(features=z, labels=[[0.0, 1.0, 0.0]]), r.SparseSoftmaxCrossEntropyWithLogits(features=z, labels=[2]), r.BiasAdd(value=z, bias=[1.0, 1.0, 1.0]), r.L2Loss(t=z), r.Relu(features=z), r.InTopKV2(predictions=z, targets=[2], k=1), r.LRN(input=tf.ones([1, 1, 1, 3]))]


def prog_reduction_ops(tf, np):
    """Reductions by name."""
    r = tf.raw_ops
    x = [[1.0, 2.0], [3.0, 4.0]]
    return [f(input=x, axis=a) for f in (r.Sum, r.Mean, r.Max, r.Min, r.Prod) for a in (0, [0, 1], [])] + [r.All(input=[True, False], axis=0), r.Any(input=[True, False], axis=0), r.Cumsum(x=[1, 2], axis=0, exclusive=True), r.Cumprod(x=[1, 2], axis=0, reverse=True), r.SegmentSum(data=[1, 2], segment_ids=[0, 0]), r.UnsortedSegmentSum(data=[1, 2], segment_ids=[1, 1], num_segments=2), r.EuclideanNorm(input=x, axis=0), r.Bincount(arr=[1, 1], size=3, weights=tf.zeros([0], tf.int32))]


def prog_string_ops(tf, np):
    """String ops by name."""
    r = tf.raw_ops
    return [r.StringJoin(inputs=["a", "b"], separator="-"), r.StringLength(input="abc"), r.StringLower(input="AB"), r.StringUpper(input="ab"), r.StringStrip(input=" a "), r.Substr(input="abc", pos=1, len=1), r.StringToNumber(string_tensor="5", out_type=tf.int32), r.AsString(input=[1.5], precision=1), r.RegexReplace(input="aab", pattern="a", rewrite="c", replace_global=False), r.StringFormat(inputs=[1], template="<{}>", placeholder="{}", summarize=3), r.StringToHashBucketFast(input=["x"], num_buckets=10), r.ReduceJoin(inputs=["a", "b"], reduction_indices=0)]


def prog_random_ops(tf, np):
    """Stateless and seeded random ops by name."""
    r = tf.raw_ops
    return [r.StatelessRandomUniform(shape=[2], seed=[1, 2]), r.StatelessRandomNormal(shape=[2], seed=[1, 2]), r.StatelessRandomUniformInt(shape=[3], seed=[1, 2], minval=0, maxval=10), r.StatelessRandomUniformFullInt(shape=[2], seed=[1, 2], dtype=tf.int32), r.StatelessTruncatedNormal(shape=[2], seed=[1, 2]), r.StatelessMultinomial(logits=[[0.0, 1.0]], num_samples=3, seed=[1, 2]), r.StatelessRandomUniformV2(shape=[2], key=tf.constant([1], tf.uint64), counter=tf.constant([1, 2], tf.uint64), alg=1)]


def prog_variable_ops(tf, np):
    """Resource variable ops by name."""
    r = tf.raw_ops
    v = tf.Variable([1.0, 2.0, 3.0])
    h = v.handle
    out = [r.ReadVariableOp(resource=h, dtype=tf.float32), r.VariableShape(input=h)]
    r.AssignVariableOp(resource=h, value=tf.constant([5.0, 6.0, 7.0]))
    r.AssignAddVariableOp(resource=h, value=tf.constant([1.0, 1.0, 1.0]))
    r.AssignSubVariableOp(resource=h, value=tf.constant([0.5, 0.5, 0.5]))
    r.ResourceScatterAdd(resource=h, indices=[0, 0], updates=tf.constant([1.0, 2.0]))
    out += [v.read_value(), r.ResourceGather(resource=h, indices=[2, 1], dtype=tf.float32), r.VarIsInitializedOp(resource=h)]
    return out


def prog_optimizer_ops(tf, np):
    """ResourceApply* by name."""
    r = tf.raw_ops
    v, m, a = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0]), tf.Variable([0.0, 0.0])
    r.ResourceApplyGradientDescent(var=v.handle, alpha=0.1, delta=tf.constant([1.0, 2.0]))
    x = v.numpy()
    r.ResourceApplyAdam(var=v.handle, m=m.handle, v=a.handle, beta1_power=0.9, beta2_power=0.999, lr=0.01, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=tf.constant([1.0, -1.0]))
    return [x, v, m, a]


def prog_names_in_graph(tf, np):
    """Raw ops in a graph: default names are the op's type."""
    with tf.Graph().as_default() as g:
        r = tf.raw_ops
        x = r.Relu(features=[1.0], name="r")
        r.AddV2(x=x, y=x)
        r.AddV2(x=x, y=2.0)
        r.Sum(input=x, axis=0)
        r.NoOp()
        r.TopKV2(input=x, k=1)
        return [f"{o.name} {o.type} {[i.name for i in o.inputs]}" for o in g.get_operations()]


def prog_results_in_graph(tf, np):
    """What raw ops return in a graph: tensors, lists, named tuples, operations."""
    with tf.Graph().as_default():
        r = tf.raw_ops
        results = [r.Neg(x=[1.0]), r.Split(axis=0, value=[1, 2], num_split=2), r.TopKV2(input=[1.0, 2.0], k=1), r.NoOp(), r.Shape(input=[[1]])]
        return [results, [type(v).__name__ for v in results if not hasattr(v, "op")]]


def prog_eager_none_results(tf, np):
    """Ops without outputs return None in eager mode."""
    r = tf.raw_ops
    v = tf.Variable(1.0)
    return [r.NoOp(), r.AssignVariableOp(resource=v.handle, value=2.0), v, r.Assert(condition=True, data=["x"])]


def prog_tensor_array_free_list_ops(tf, np):
    """TensorList ops by name."""
    r = tf.raw_ops
    t = r.TensorListFromTensor(tensor=[[1.0], [2.0]], element_shape=tf.constant([1]))
    t = r.TensorListSetItem(input_handle=t, index=0, item=tf.constant([9.0]))
    u = r.TensorListPushBack(input_handle=t, tensor=tf.constant([5.0]))
    return [r.TensorListStack(input_handle=u, element_shape=tf.constant([1]), element_dtype=tf.float32), r.TensorListLength(input_handle=u), r.TensorListGetItem(input_handle=u, index=2, element_shape=tf.constant([1]), element_dtype=tf.float32), r.TensorListReserve(element_shape=tf.constant([2]), num_elements=3, element_dtype=tf.int32).dtype]


def prog_type_constraints(tf, np):
    """Inputs sharing a type must agree; unsupported types are refused."""
    r = tf.raw_ops
    return [attempt(lambda: r.AddV2(x=tf.constant(1), y=tf.constant(1.0)), words=4), attempt(lambda: r.Exp(x=tf.constant(1)), words=6), attempt(lambda: r.LogicalAnd(x=1, y=True), words=4), attempt(lambda: r.Relu(features="a"), words=6), r.AddV2(x=tf.constant(1.0, tf.float64), y=2)]
