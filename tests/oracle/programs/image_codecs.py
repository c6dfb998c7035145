"""Image files: pixels by format and argument, files that are written, and refusals."""

from __future__ import annotations

import base64

from tests.oracle.support import attempt

_FILES = {
    "jpeg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d",
        "Hx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e",
        "Hh4eHh4eHh7/wAARCAAFAAYDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF",
        "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW",
        "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi",
        "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC",
        "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm",
        "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq",
        "8vP09fb3+Pn6/9oADAMBAAIRAxEAPwC74VgnspYk8OXkui39zZR3ct3H8+6KTBEO04GFOPmzzjpRRRXv+yhScoRWib31693dnxmZ",
        "Zvi6WIlGErK8ukf5pLt2R//Z",
    ),
    "jpeg_gray": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d",
        "Hx8fExciJCIeJBweHx7/wAALCAAFAAQBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF",
        "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW",
        "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi",
        "4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AOn+GuqeKdU0q/i8O+IW0Kz0++a0MMtuLtpWEcb+YXYgg7XVSPVS38RA/9k=",
    ),
    "jpeg_cmyk": (
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAFAwQEBAMFBAQEBQUFBgcMCAcHBwcPCwsJDBEPEhIRDxERExYcFxMUGhURERghGBodHR8f",
        "HxMXIiQiHiQcHh8e/8AAFAgABAADBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIB",
        "AwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZH",
        "SElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV",
        "1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwDJ8eXlxoPiu90ywlkW3Ty5VXzXQKZI1kIAQqoALkAAdMde",
        "tebeH/Es11o1rcvpOjb5k8x91kshLMcklnyxySepNVV0b+292qy6xrtk9yxcwWOqTQQR8kYSNWwo46Divsuv/9k=",
    ),
    "png": (
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAECAIAAADETxJQAAAAMUlEQVR4nGNMaq1mXChlLifIeNDtwWKJ8h/u61keOpx//d9I9+w/",
        "xg0sycr67HVS6gBAjA/GCqpnBAAAAABJRU5ErkJggg==",
    ),
    "png_gray": (
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAECAAAAABuRtrbAAAAGElEQVR4nGOouBrAKGHnzZJgtp7J5fNDACf7BaPXpps6AAAAAElF",
        "TkSuQmCC",
    ),
    "png_alpha": (
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAJElEQVR4nGNcZ7at+r/0LXmW9ypvv73l/MbL9MB2t9hD/o8XAbfz",
        "Db+szx5AAAAAAElFTkSuQmCC",
    ),
    "png_palette": (
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAEAgMAAAA2Q22UAAAADFBMVEVsjW5mX2q6P6WKFXyHYuONAAAAEElEQVR4nGOwYIpg+sLw",
        "BAAHHAJtn2rLxgAAAABJRU5ErkJggg==",
    ),
    "png_clear": (
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAABnRSTlMAqwBUAIjhhyRoAAAAHklEQVR4nGPsW9J3/gozy+eX3/zu",
        "sDBpP/v+V80KAHZyCtMtjQ1JAAAAAElFTkSuQmCC",
    ),
    "png_bits": (
        "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAEAQAAAAB0dChjAAAAFElEQVR4nGP4yMB0hYFx+U2mlQwAGR4D9G27IK4AAAAASUVORK5C",
        "YII=",
    ),
    "png_wide_g": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAEEAAAAAAzyHbfAAAAN0lEQVR4nAEsANP/AH/yDds38iXe5DwAi4kOgdHTArMRqwDkA67r",
        "Nj7Cbi9mAMl/mYDfk8NdMQ3NMxRI/z9G1AAAAABJRU5ErkJggg==",
    ),
    "png_wide_ga_f3": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAEEAQAAAC8quGIAAAAX0lEQVR4nAFUAKv/A+Cejia8181nuS1bpZrVMPrIZHq/A6HgFODh",
        "WThRJ63a8Jo3qukTQNx9Aw2O1wu8MuBks4tPfxNLeM8pjp4PAwkCRigyLutgxSMB0GCQ1pb28KVNCWYopYV0zqMAAAAASUVORK5C",
        "YII=",
    ),
    "png_wide_rgb_f4": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAEEAIAAACZwb5UAAAAh0lEQVR4nAF8AIP/BBlcQNz7OrhLw4xpu9061efSHP+MJTFIKRcR",
        "eFSJrQQ3GGDDsUo4qKOrrpvYNBLTzhi/2/oXImL2s2RV5RgEy5cmiBBwCs5FZXtycbBYUhlH5QyFyswDLNpsNyA6BJNXm22W6Z5c",
        "5BAFYgZFhNp9Xt3+rGctMXP7ZEvrSfUTOPapkcWXAAAAAElFTkSuQmCC",
    ),
    "png_wide_rgba_f2": (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAEEAYAAAAWoykDAAAAr0lEQVR4nAGkAFv/Aonh81bTJdOqKV525HTJ4rGxhhLCDNupDTYe",
        "RKKDbT7cdl6t8oewxL0CJd3jc1DgNjCjqt8lbXTUzrqgUINIIhAOfkTFmStZ01NbwHXrJfEqHQLXJyVMojFgCWohwdXAolEVMCYI",
        "EHbFsPt2wr6F4vgttjR8j3gLOWVxAvfBgE+4fQF9Keuiddp+QzIA9Y3sB7Zr0w/unB6ndxsdVcpdOMUtohburE4JpO+7ZAAAAABJ",
        "RU5ErkJggg==",
    ),
    "bmp": (
        "Qk1aAAAAAAAAADYAAAAoAAAAAwAAAAMAAAABABgAAAAAACQAAADEDgAAxA4AAAAAAAAAAAAAm5IraHiVULdbAAAAo5Aqi3W6Uo+v",
        "AAAAx6BFhJefsHNVAAAA",
    ),
    "bmp_alpha": (
        "Qk1OAAAAAAAAADYAAAAoAAAAAgAAAAMAAAABACAAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAAXpd9h3dya3ijWp1xhmOKp7Y2rnuQ",
        "Ua2a",
    ),
    "gif": ("R0lGODdhAwAEAIEAAGyNbmZfaro/pYoVfCwAAAAAAwAEAAAIDwABDBAgIAAAAQACDAwQEAA7",),
    "gif_film": (
        "R0lGODlhBQAEAIEAAAAAAMgAMgAAAAAAACH5BAkFAAAALAAAAAAFAAQAAAgNAAMEAEBQIMGDCBEGBAAh+QQJBQAAACwAAAAABQAE",
        "AIEAAADIHjIAAAAAAAAIDQABCBwYIABBgwMHBgQAIfkECQUAAAAsAAAAAAUABACBAAAAyDwyAAAAAAAACA4AAQgcSFBggAADDwII",
        "CAA7",
    ),
    "broken_jpeg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEYGh0d",
        "Hx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e",
        "Hh4eHh4eHh7/wAARCAAFAAYDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF",
        "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW",
        "V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi",
        "4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC",
        "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm",
        "Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq",
        "8vP09fb3+Pn6/9oADAMBAAIRAxEAPwC74VgnspYk8OXkui39zZR3ct3H8+6KTBEO04GFOPmzzjpRRRXv+yhScoRWib31693dnxmZ",
        "Zvi6WIlGErK8ukf5pLt2Rw==",
    ),
    "broken_png": (
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAECAIAAADETxJQAAAAMUlEQVR4nGNMaq1mXChlLifIeNDtwWKJ8h/u61keOpx//d9I9+w/",
        "xg0sycr67HVS6gBAjA/GCqo=",
    ),
    "broken_bmp": ("Qk1aAAAAAAAAADYAAAAoAAAAAwAAAAMAAAABABgAAAAAACQAAADEDg==",),
    "broken_gif": ("R0lGODdhAwAEAIEAAGyNbmZfaro=",),
    "text": ("bmVpdGhlciBpbWFnZSBub3IgYW55dGhpbmc=",),
    "empty": ("",),
}
FILES = {name: base64.b64decode("".join(text)) for name, text in _FILES.items()}


def _pixels(np, shape=(9, 7, 3)):
    """Pixels that change slowly, so that a JPEG file keeps them well."""
    rows, columns, channels = np.ogrid[: shape[0], : shape[1], : shape[2]]
    return ((rows * 17 + columns * 11 * (channels + 1) + rows * columns) % 256).astype("uint8")


def _brief(tf, np, pixels):
    """What tells pixels from others: shape, dtype, the sum, and sums that depend on the place."""
    numbers = pixels.numpy().astype("float64")
    places = np.arange(numbers.size).reshape(numbers.shape) % 97
    return [pixels.shape, pixels.dtype.name, float(numbers.sum().round(3)), float((numbers * places).sum().round(2))]


def _each(tf, np, call, names=tuple(FILES)):
    return {name: attempt(lambda: _brief(tf, np, call(FILES[name]))) for name in names}


def prog_jpeg_settings(tf, np):
    """Every way to decode a JPEG file."""
    image = _pixels(np, (16, 12, 3))
    found = []
    for options in ({}, {"quality": 40}, {"chroma_downsampling": False}, {"progressive": True}):
        data = tf.io.encode_jpeg(image, **options)
        for fancy in (True, False):
            for method in ("", "INTEGER_ACCURATE"):
                for ratio in (1, 2, 8):
                    pixels = tf.io.decode_jpeg(data, ratio=ratio, fancy_upscaling=fancy, dct_method=method)
                    found.append(_brief(tf, np, pixels))
    return found


def prog_decode_jpeg(tf, np):
    """DecodeJpeg on files of all formats."""
    return [_each(tf, np, lambda f: tf.io.decode_jpeg(f, channels=c)) for c in (0, 1, 2, 3, 4)]


def prog_decode_png(tf, np):
    """DecodePng by channels and dtype."""
    names = [n for n in FILES if n.startswith("png")]
    return [
        _each(tf, np, lambda f: tf.io.decode_png(f, channels=c, dtype=t), names)
        for c in (0, 1, 3, 4)
        for t in (tf.uint8, tf.uint16)
    ]


def prog_decode_bmp_and_gif(tf, np):
    """DecodeBmp and DecodeGif."""
    return [
        *(_each(tf, np, lambda f: tf.io.decode_bmp(f, channels=c)) for c in (0, 1, 3, 4)),
        _each(tf, np, tf.io.decode_gif),
    ]


def prog_decode_image(tf, np):
    """DecodeImage by dtype, with and without animations."""
    return [
        _each(tf, np, lambda f: tf.io.decode_image(f, dtype=t, expand_animations=e))
        for t in (tf.uint8, tf.uint16, tf.float32, tf.float16, tf.int32)
        for e in (True, False)
    ]


def prog_crops_of_jpeg(tf, np):
    """Windows of a gray file, whose pixels need no neighbours."""
    data = tf.io.encode_jpeg(_pixels(np, (20, 19, 1)))
    windows = ([0, 0, 20, 19], [3, 5, 7, 9], [8, 8, 8, 8], [0, 0, 21, 3], [-1, 0, 2, 2], [0, 0, 0, 2], [1, 2, 3])
    return [attempt(lambda: _brief(tf, np, tf.io.decode_and_crop_jpeg(data, window))) for window in windows]


def prog_shapes_of_jpeg(tf, np):
    """ExtractJpegShape and is_jpeg."""
    return [_each(tf, np, tf.io.extract_jpeg_shape), _each(tf, np, tf.io.is_jpeg), tf.io.is_jpeg(list(FILES.values()))]


def prog_cut_off_jpeg(tf, np):
    """How much of a file must be there."""
    data = tf.io.encode_jpeg(_pixels(np, (64, 48, 3))).numpy()
    found = []
    for share in (0.45, 0.6, 0.8, 0.97):
        cut = data[: int(len(data) * share)]
        for fraction in (0.0, 0.2, 0.5, 0.8, 1.0):
            found.append(attempt(lambda: _brief(tf, np, tf.io.decode_jpeg(cut, acceptable_fraction=fraction))))
    return found


def prog_encode_jpeg(tf, np):
    """The bytes of JPEG files."""
    options = (
        {},
        {"quality": 0},
        {"quality": 100},
        {"quality": 101},
        {"progressive": True},
        {"optimize_size": True},
        {"chroma_downsampling": False},
        {"density_unit": "cm", "x_density": 5, "y_density": 6},
        {"x_density": -1},
        {"xmp_metadata": "hello"},
        {"format": "rgb"},
        {"format": "grayscale"},
    )
    found = [attempt(lambda: tf.io.encode_jpeg(_pixels(np), **given)) for given in options]
    shapes = ((9, 7, 1), (9, 7, 2), (1, 1, 3), (0, 7, 3))
    return [*found, *(attempt(lambda: tf.io.encode_jpeg(_pixels(np, shape))) for shape in shapes)]


def prog_encode_jpeg_of_quality(tf, np):
    """EncodeJpegVariableQuality."""
    encode = tf.raw_ops.EncodeJpegVariableQuality
    return [attempt(lambda: encode(images=_pixels(np), quality=quality)) for quality in (0, 30, 100, -1, 101, [5])]


def prog_encode_png(tf, np):
    """PNG files: read again, and what is refused."""
    found = []
    for channels in (1, 2, 3, 4, 5):
        for dtype in ("uint8", "uint16"):
            image = tf.constant(_pixels(np, (5, 4, channels)).astype(dtype) * 3)
            found.append(attempt(lambda: tf.io.decode_png(tf.io.encode_png(image), dtype=dtype)))
    batch = np.zeros((2, 3, 4, 5, 1), "uint8")
    refused = [attempt(lambda: tf.io.encode_png(batch, compression)) for compression in (-2, 10)]
    shapes = ((5, 4), (0, 4, 3), (0, 5, 4, 3))
    return [
        found,
        refused,
        tf.io.encode_png(batch).shape,
        *(attempt(lambda: tf.shape(tf.io.encode_png(np.zeros(shape, "uint8")))) for shape in shapes),
    ]


def prog_files_in_graphs(tf, np):
    """Static shapes."""
    io = tf.io
    functions = (
        io.decode_jpeg,
        lambda x: io.decode_png(x, 3),
        io.decode_gif,
        io.decode_bmp,
        io.decode_image,
        lambda x: io.decode_image(x, 3, expand_animations=False),
        lambda x: io.decode_and_crop_jpeg(x, [1, 2, 3, 4]),
        io.extract_jpeg_shape,
        io.is_jpeg,
    )
    found = []
    for rank in (0, 1):
        spec = [tf.TensorSpec([None] * rank, tf.string)]
        for f in functions:
            found.append(
                attempt(lambda: str(tf.function(f, spec, autograph=False).get_concrete_function().output_shapes))
            )
    return found
