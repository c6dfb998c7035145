"""Products and factorizations of matrices: one large, many small."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

_MATRICES = "x=normal(n // 16, 4, 4)"
_POSITIVE = "x=positive(n // 16, 4)"
ROWS = (
    Kernel("matmul", "x=normal(r, r); y=normal(r, r)", "tf.matmul(x, y)", "x @ y", "x @ y", large=1 << 18),
    Kernel("matmul_small", f"{_MATRICES}; y=normal(n // 16, 4, 4)", "tf.matmul(x, y)", "x @ y", "x @ y"),
    Kernel("matmul_8x8", "x=normal(n // 64, 8, 8); y=normal(n // 64, 8, 8)", "tf.matmul(x, y)", "x @ y", "x @ y"),
    Kernel(
        "matmul_batch", "x=normal(n // 1024, 32, 32); y=normal(n // 1024, 32, 32)", "tf.matmul(x, y)", "x @ y", "x @ y"
    ),
    Kernel(
        "matmul_transposed",
        "x=normal(r, r); y=normal(r, r)",
        "tf.matmul(x, y, transpose_b=True)",
        "x @ y.T",
        "x @ y.T",
        large=1 << 18,
    ),
    Kernel("matmul_int32", "x=integers(r, r); y=integers(r, r)", "tf.matmul(x, y)", "x @ y", "x @ y", large=1 << 14),
    Kernel(
        "matmul_float16",
        "x=typed('float16', r, r); y=typed('float16', r, r)",
        "tf.matmul(x, y)",
        "x @ y",
        "x @ y",
        large=1 << 16,
    ),
    Kernel(
        "matmul_bfloat16",
        "x=typed('bfloat16', r, r); y=typed('bfloat16', r, r)",
        "tf.matmul(x, y)",
        "x @ y",
        "x @ y",
        large=1 << 16,
    ),
    Kernel("matvec", "x=normal(r, r); y=normal(r)", "tf.linalg.matvec(x, y)", "x @ y", "x @ y"),
    Kernel(
        "tensordot",
        "x=normal(r, r); y=normal(r, 16)",
        "tf.tensordot(x, y, 1)",
        "jnp.tensordot(x, y, 1)",
        "torch.tensordot(x, y, 1)",
    ),
    Kernel(
        "einsum_attention",
        "q=normal(n // 1024, 8, 4, 32); k=normal(n // 1024, 8, 4, 32)",
        "tf.einsum('bqhd,bkhd->bhqk', q, k)",
        "jnp.einsum('bqhd,bkhd->bhqk', q, k)",
        "torch.einsum('bqhd,bkhd->bhqk', q, k)",
    ),
    Kernel(
        "einsum_attention_long",
        "q=normal(max(n // 32768, 1), 128, 8, 32); k=normal(max(n // 32768, 1), 128, 8, 32)",
        "tf.einsum('bqhd,bkhd->bhqk', q, k)",
        "jnp.einsum('bqhd,bkhd->bhqk', q, k)",
        "torch.einsum('bqhd,bkhd->bhqk', q, k)",
    ),
    Kernel(
        "einsum_outer",
        "x=normal(r); y=normal(r)",
        "tf.einsum('i,j->ij', x, y)",
        "jnp.einsum('i,j->ij', x, y)",
        "torch.einsum('i,j->ij', x, y)",
    ),
    Kernel(
        "einsum_batch",
        "x=normal(n // 256, 16, 16); y=normal(n // 256, 16, 16)",
        "tf.einsum('bij,bjk->bik', x, y)",
        "jnp.einsum('bij,bjk->bik', x, y)",
        "torch.einsum('bij,bjk->bik', x, y)",
    ),
    Kernel(
        "einsum_trace", "x=normal(r, r)", "tf.einsum('ii->', x)", "jnp.einsum('ii->', x)", "torch.einsum('ii->', x)"
    ),
    Kernel("norm", "x=normal(r, r)", "tf.norm(x, axis=1)", "jnp.linalg.norm(x, axis=1)", "torch.linalg.norm(x, dim=1)"),
    Kernel(
        "cross",
        "x=normal(n // 3, 3); y=normal(n // 3, 3)",
        "tf.linalg.cross(x, y)",
        "jnp.cross(x, y)",
        "torch.linalg.cross(x, y)",
    ),
    Kernel(
        "trace", _MATRICES, "tf.linalg.trace(x)", "jnp.trace(x, axis1=1, axis2=2)", "x.diagonal(dim1=1, dim2=2).sum(1)"
    ),
    *(
        Kernel(f"{name}_{size}", inputs, tf, jax, torch, large)
        for size, make, large in (
            ("4x4", "(n // 16, 4)", 1 << 20),
            ("16x16", "(n // 256, 16)", 1 << 18),
            ("big", "(1, r)", 1 << 16),
        )
        for name, inputs, tf, jax, torch in (
            (
                "cholesky",
                f"x=positive{make}",
                "tf.linalg.cholesky(x)",
                "jnp.linalg.cholesky(x)",
                "torch.linalg.cholesky(x)",
            ),
            ("inv", f"x=positive{make}", "tf.linalg.inv(x)", "jnp.linalg.inv(x)", "torch.linalg.inv(x)"),
            ("det", f"x=positive{make}", "tf.linalg.det(x)", "jnp.linalg.det(x)", "torch.linalg.det(x)"),
            ("eigh", f"x=positive{make}", "tf.linalg.eigh(x)", "jnp.linalg.eigh(x)", "torch.linalg.eigh(x)"),
            ("svd", f"x=positive{make}", "tf.linalg.svd(x)", "jnp.linalg.svd(x)", "torch.linalg.svd(x)"),
            ("qr", f"x=positive{make}", "tf.linalg.qr(x)", "jnp.linalg.qr(x)", "torch.linalg.qr(x)"),
            (
                "solve",
                f"x=positive{make}; y=positive{make}",
                "tf.linalg.solve(x, y)",
                "jnp.linalg.solve(x, y)",
                "torch.linalg.solve(x, y)",
            ),
            (
                "triangular_solve",
                f"x=triangular{make}; y=positive{make}",
                "tf.linalg.triangular_solve(x, y)",
                "lax.linalg.triangular_solve(x, y, left_side=True, lower=True)",
                "torch.linalg.solve_triangular(x, y, upper=False)",
            ),
        )
    ),
)
