"""How record files are compressed: `tf.io.TFRecordOptions`."""

from __future__ import annotations

import zlib
from typing import Any, ClassVar

from millrace._src.core import errors
from millrace._src.ops.io.byte_source import WINDOW_BITS
from millrace._src.util.export import export


class TFRecordCompressionType:
    """The kinds of compression of record files.

    >>> tf.compat.v1.io.TFRecordCompressionType.GZIP
    2
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
    TFRecordCompressionType.NONE: "",
}


@export("io.TFRecordOptions", v1=["io.TFRecordOptions", "python_io.TFRecordOptions"])
class TFRecordOptions:
    """The options of a `tf.io.TFRecordWriter`.

    >>> tf.io.TFRecordOptions("GZIP", compression_level=9).compression_level
    9
    """

    compression_type_map: ClassVar[dict[int, str]] = _NAMES

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        """Creates options; None leaves the choice to zlib.

        Args:
          compression_type: "GZIP", "ZLIB", "" or None, or a number of `TFRecordCompressionType`.
          flush_mode: how zlib flushes after `input_buffer_size` bytes, 0 (not at all) to 5, but not 4 (the end).
          input_buffer_size: how many bytes are compressed at a time, if `flush_mode` is not 0.
          output_buffer_size: accepted for TensorFlow's sake; compressed bytes are written as they arise.
          window_bits: 9 to 15 for zlib's format, 25 to 31 for gzip's, -9 to -15 for neither's header; whatever
            `compression_type` says.
          compression_level: 0 to 9, or -1 for zlib's choice.
          compression_method: 8, the only one there is.
          mem_level: 1 to 9.
          compression_strategy: 0 to 4.

        Raises: ValueError: for an unknown compression type.
        """
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: object) -> str:
        """Returns "", "ZLIB" or "GZIP": what options, a name, a number or None say.

        Raises: ValueError: for what is none of these.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in _NAMES:
            return _NAMES[options]
        if options in _NAMES.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')


class Compressor:
    """zlib's compressor, set up by options.

    Raises: tf.errors.InvalidArgumentError: if zlib refuses the options.
    """

    def __init__(self, compression_type: str, options: TFRecordOptions) -> None:
        self._flush_mode = options.flush_mode or zlib.Z_NO_FLUSH
        self._chunk_size = options.input_buffer_size or 256 * 1024
        _check_range("flush_mode", self._flush_mode, (zlib.Z_NO_FLUSH, 1, 2, 3, 5))
        for name in ("input_buffer_size", "output_buffer_size"):
            if (getattr(options, name) or 0) < 0:
                raise errors.InvalidArgumentError(None, None, f"{name} must be >= 0, got {getattr(options, name)}")
        settings = (
            _default_to(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
            _default_to(options.compression_method, zlib.DEFLATED),
            _default_to(options.window_bits, WINDOW_BITS[compression_type]),
            _default_to(options.mem_level, zlib.DEF_MEM_LEVEL),
            _default_to(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
        )
        try:
            self._compressor = zlib.compressobj(*settings)
        except (ValueError, zlib.error):
            names = "compression_level, compression_method, window_bits, mem_level, compression_strategy"
            message = f"zlib refuses these options ({names}): {settings}"
            raise errors.InvalidArgumentError(None, None, message) from None

    def compress(self, data: bytes) -> bytes:
        """Returns what is ready of the compressed data."""
        if self._flush_mode == zlib.Z_NO_FLUSH:
            return self._compressor.compress(data)
        pieces = []
        for start in range(0, len(data), self._chunk_size):
            pieces.append(self._compressor.compress(data[start : start + self._chunk_size]))
            pieces.append(self._compressor.flush(self._flush_mode))
        return b"".join(pieces)

    def flush(self) -> bytes:
        """Returns the compressed rest of the data so far; more may follow."""
        return self._compressor.flush(zlib.Z_PARTIAL_FLUSH)

    def finish(self) -> bytes:
        """Returns the compressed rest of the data; nothing may follow."""
        return self._compressor.flush()


def _default_to(value: int | None, default: int) -> int:
    return default if value is None else value


def _check_range(name: str, value: int, allowed_values: tuple[int, ...]) -> None:
    if value not in allowed_values:
        raise errors.InvalidArgumentError(None, None, f"{name} must be one of {allowed_values}, got {value}")
