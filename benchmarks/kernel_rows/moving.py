"""Ops that move elements: transposing, joining, gathering, scattering."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

ROWS = (
    Kernel("transpose", "x=normal(r, r)", "tf.transpose(x)", "jnp.copy(x.T)", "x.T.contiguous()"),
    Kernel(
        "transpose_4d",
        "x=normal(n // 256, 4, 8, 8)",
        "tf.transpose(x, [0, 2, 3, 1])",
        "jnp.transpose(x, (0, 2, 3, 1))",
        "x.permute(0, 2, 3, 1).contiguous()",
    ),
    Kernel(
        "transpose_heads",
        "x=normal(n // 1024, 16, 4, 16)",
        "tf.transpose(x, [0, 2, 1, 3])",
        "jnp.transpose(x, (0, 2, 1, 3))",
        "x.permute(0, 2, 1, 3).contiguous()",
    ),
    Kernel(
        "concat_axis0",
        "x=normal(r, r); y=normal(r, r)",
        "tf.concat([x, y], 0)",
        "jnp.concatenate([x, y], 0)",
        "torch.cat([x, y], 0)",
    ),
    Kernel(
        "concat_axis1",
        "x=normal(r, r); y=normal(r, r)",
        "tf.concat([x, y], 1)",
        "jnp.concatenate([x, y], 1)",
        "torch.cat([x, y], 1)",
    ),
    Kernel(
        "stack",
        "x=normal(r, r); y=normal(r, r)",
        "tf.stack([x, y], -1)",
        "jnp.stack([x, y], -1)",
        "torch.stack([x, y], -1)",
    ),
    Kernel(
        "split", "x=normal(r, r)", "tf.split(x, 4, 1)", "jnp.split(x, 4, 1)", "[p.contiguous() for p in x.chunk(4, 1)]"
    ),
    Kernel("unstack", "x=normal(16, n // 16)", "tf.unstack(x)", "list(x)", "[p.clone() for p in x.unbind()]"),
    Kernel("tile", "x=normal(r, r)", "tf.tile(x, [2, 2])", "jnp.tile(x, (2, 2))", "x.repeat(2, 2)"),
    Kernel("repeat", "x=normal(r, r)", "tf.repeat(x, 2, 0)", "jnp.repeat(x, 2, 0)", "x.repeat_interleave(2, 0)"),
    Kernel("reverse", "x=normal(r, r)", "tf.reverse(x, [1])", "jnp.flip(x, 1)", "x.flip(1)"),
    Kernel("roll", "x=normal(r, r)", "tf.roll(x, 3, 1)", "jnp.roll(x, 3, 1)", "x.roll(3, 1)"),
    Kernel("pad", "x=normal(r, r)", "tf.pad(x, [[1, 1], [1, 1]])", "jnp.pad(x, 1)", "F.pad(x, (1, 1, 1, 1))"),
    Kernel("pad_reflect", "x=normal(r, r)", "tf.pad(x, [[1, 1], [1, 1]], 'REFLECT')", "jnp.pad(x, 1, 'reflect')", ""),
    Kernel("slice", "x=normal(r, r)", "x[1:, 1:]", "x[1:, 1:]", "x[1:, 1:].contiguous()"),
    Kernel("strided_slice", "x=normal(r, r)", "x[::2, ::2]", "x[::2, ::2]", "x[::2, ::2].contiguous()"),
    Kernel(
        "broadcast_to",
        "x=normal(r)",
        "tf.broadcast_to(x, [r, r])",
        "jnp.broadcast_to(x, (r, r)).copy()",
        "x.expand(r, r).contiguous()",
    ),
    Kernel("fill", "x=normal(1)", "tf.zeros([r, r])", "jnp.zeros((r, r))", "torch.zeros(r, r)"),
    Kernel("range", "x=normal(1)", "tf.range(n)", "jnp.arange(n)", "torch.arange(n)"),
    Kernel(
        "select",
        "c=normal(n) > 0; x=normal(n); y=normal(n)",
        "tf.where(c, x, y)",
        "jnp.where(c, x, y)",
        "torch.where(c, x, y)",
    ),
    Kernel("clip", "x=normal(n)", "tf.clip_by_value(x, -1., 1.)", "jnp.clip(x, -1., 1.)", "x.clamp(-1., 1.)"),
    Kernel(
        "one_hot",
        "i=integers(r, limit=r)",
        "tf.one_hot(i, r)",
        "jax.nn.one_hot(i, r)",
        "F.one_hot(i.long(), r).float()",
    ),
    Kernel("gather", "x=normal(1000, 16); i=integers(n // 16)", "tf.gather(x, i)", "x[i]", "x[i]"),
    Kernel("gather_scalars", "x=normal(n); i=integers(n)", "tf.gather(x, i)", "x[i]", "x[i]"),
    Kernel("gather_axis1", "x=normal(r, r); i=integers(r, limit=r)", "tf.gather(x, i, axis=1)", "x[:, i]", "x[:, i]"),
    Kernel(
        "gather_batch",
        "x=normal(r, r); i=integers(r, r, limit=r)",
        "tf.gather(x, i, batch_dims=1)",
        "jnp.take_along_axis(x, i, 1)",
        "x.gather(1, i.long())",
    ),
    Kernel(
        "gather_nd",
        "x=normal(r, r); i=integers(n // 4, 2, limit=r)",
        "tf.gather_nd(x, i)",
        "x[i[:, 0], i[:, 1]]",
        "x[i[:, 0], i[:, 1]]",
    ),
    Kernel(
        "scatter_nd",
        "u=normal(n // 4); i=integers(n // 4, 2, limit=r)",
        "tf.scatter_nd(i, u, [r, r])",
        "jnp.zeros((r, r)).at[i[:, 0], i[:, 1]].add(u)",
        "torch.zeros(r, r).index_put_((i[:, 0], i[:, 1]), u, accumulate=True)",
    ),
    Kernel(
        "scatter_nd_rows",
        "u=normal(n // 16, 16); i=integers(n // 16, 1)",
        "tf.scatter_nd(i, u, [1000, 16])",
        "jnp.zeros((1000, 16)).at[i[:, 0]].add(u)",
        "torch.zeros(1000, 16).index_add_(0, i[:, 0], u)",
    ),
    Kernel(
        "tensor_scatter_update",
        "x=normal(1000, 16); u=normal(n // 16, 16); i=integers(n // 16, 1)",
        "tf.tensor_scatter_nd_update(x, i, u)",
        "x.at[i[:, 0]].set(u)",
        "x.index_put((i[:, 0],), u)",
    ),
    Kernel(
        "tensor_scatter_add",
        "x=normal(1000, 16); u=normal(n // 16, 16); i=integers(n // 16, 1)",
        "tf.tensor_scatter_nd_add(x, i, u)",
        "x.at[i[:, 0]].add(u)",
        "x.index_add(0, i[:, 0], u)",
    ),
    Kernel(
        "tensor_scatter_max",
        "x=normal(1000, 16); u=normal(n // 16, 16); i=integers(n // 16, 1)",
        "tf.tensor_scatter_nd_max(x, i, u)",
        "x.at[i[:, 0]].max(u)",
        "x.index_reduce(0, i[:, 0], u, 'amax')",
    ),
    Kernel(
        "dynamic_stitch",
        "x=normal(n // 2); y=normal(n // 2); i=permutation(n)",
        "tf.dynamic_stitch([i[: n // 2], i[n // 2 :]], [x, y])",
    ),
    Kernel("dynamic_partition", "x=normal(n); i=integers(n, limit=4)", "tf.dynamic_partition(x, i, 4)"),
    Kernel(
        "sequence_mask",
        "i=integers(r, limit=r)",
        "tf.sequence_mask(i, r)",
        "jnp.arange(r) < i[:, None]",
        "torch.arange(r) < i[:, None]",
    ),
    Kernel(
        "space_to_depth", "x=normal(n // 1024, 16, 16, 4)", "tf.nn.space_to_depth(x, 2)", "", "F.pixel_unshuffle(x, 2)"
    ),
    Kernel("band_part", "x=normal(r, r)", "tf.linalg.band_part(x, -1, 0)", "jnp.tril(x)", "torch.tril(x)"),
    Kernel("diag", "x=normal(r)", "tf.linalg.diag(x)", "jnp.diag(x)", "torch.diag(x)"),
    Kernel(
        "diag_part", "x=normal(r, r)", "tf.linalg.diag_part(x)", "jnp.diagonal(x).copy()", "torch.diagonal(x).clone()"
    ),
    Kernel(
        "embedding_lookup",
        "x=normal(1000, 16); i=integers(n // 16)",
        "tf.nn.embedding_lookup(x, i)",
        "x[i]",
        "F.embedding(i, x)",
    ),
)
