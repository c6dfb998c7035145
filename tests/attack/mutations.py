"""Damage to bytes and messages, each kind a small function of the bytes and a seeded generator of random numbers.

Bytes are damaged without knowing what they mean: bits flip, ranges vanish or come twice, numbers become absurd. A
message is damaged through its descriptors, so that what is written again is a message still: fields are cleared,
repeated, exchanged with fields of the same kind elsewhere, or get the values that programs forget.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

Damage = Callable[[bytes, random.Random], bytes]


# --- bytes -------------------------------------------------------------------------------------------------------


def _random_offset(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _range(data: bytes, rng: random.Random) -> tuple[int, int]:
    """A range of the bytes: mostly a short one."""
    start = _random_offset(data, rng)
    return start, min(len(data), start + rng.choice((1, 1, 2, 4, 8, 13, 64, len(data))))


def flip_a_bit(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    offset = rng.randrange(len(data))
    return data[:offset] + bytes([data[offset] ^ (1 << rng.randrange(8))]) + data[offset + 1 :]


def change_a_byte(data: bytes, rng: random.Random) -> bytes:
    offset = _random_offset(data, rng)
    return data[:offset] + bytes([rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))]) + data[offset + 1 :]


def cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: _random_offset(data, rng)]


def cut_out(data: bytes, rng: random.Random) -> bytes:
    start, stop = _range(data, rng)
    return data[:start] + data[stop:]


def repeat(data: bytes, rng: random.Random) -> bytes:
    start, stop = _range(data, rng)
    return data[:stop] + data[start:stop] * rng.choice((1, 1, 2, 9)) + data[stop:]


def exchange(data: bytes, rng: random.Random) -> bytes:
    (a, b), (c, d) = sorted((_range(data, rng), _range(data, rng)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def insert_noise(data: bytes, rng: random.Random) -> bytes:
    offset = _random_offset(data, rng)
    return data[:offset] + rng.randbytes(rng.choice((1, 2, 8, 100))) + data[offset:]


def varint(number: int) -> bytes:
    """A number in the form of lengths in messages and tables."""
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


LENGTHS = (0, 1, 127, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 60, (1 << 63) - 1, (1 << 64) - 1)
"""Lengths and numbers that programs forget; 2**64 - 1 is -1."""


def insert_an_absurd_varint(data: bytes, rng: random.Random) -> bytes:
    offset = _random_offset(data, rng)
    return data[:offset] + varint(rng.choice(LENGTHS)) + data[offset + rng.choice((0, 1, 1, 2)) :]


def insert_an_absurd_number(data: bytes, rng: random.Random) -> bytes:
    size = rng.choice((4, 8))
    offset = _random_offset(data, rng)
    number = rng.choice(LENGTHS) & ((1 << 8 * size) - 1)
    return data[:offset] + number.to_bytes(size, rng.choice(("little", "little", "big"))) + data[offset + size :]


DAMAGES: tuple[Damage, ...] = (
    flip_a_bit,
    flip_a_bit,
    change_a_byte,
    cut_off,
    cut_out,
    repeat,
    exchange,
    insert_noise,
    insert_an_absurd_varint,
    insert_an_absurd_number,
)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes after one to three damages."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(DAMAGES)(data, rng)
    return data


# --- messages ----------------------------------------------------------------------------------------------------

_F = FieldDescriptor
_INTEGERS = (_F.CPPTYPE_INT32, _F.CPPTYPE_INT64, _F.CPPTYPE_UINT32, _F.CPPTYPE_UINT64)
_WIDTHS = {_F.CPPTYPE_INT32: (1 << 31, 32), _F.CPPTYPE_INT64: (1 << 63, 64)}

TEXTS = (
    "",
    "../../../../etc/passwd",
    "/etc/passwd",
    "..",
    "a/../../b",
    "assets/../../x",
    "C:\\x",
    "x\0y",
    "^x",
    "x:0",
    "x:99999999999999999999",
    "\u2028\U0001f600",
    "{}%s%n{0.__class__}",
    "__class__",
    "__init__",
    "__del__",
    "signatures",
    "pyfunc_0",
    "file:///tmp/escaped",
    "s3://nowhere/x",
    "y" * 5000,
)


def _fields(message: Any, depth: int = 0) -> Iterator[tuple[Any, FieldDescriptor]]:
    """All fields that are set in a message and the messages within, each with the message that holds it."""
    for field, value in message.ListFields():
        yield message, field
        if field.type != _F.TYPE_MESSAGE or depth > 60:
            continue
        is_map = field.message_type.GetOptions().map_entry
        parts = ([value[key] for key in sorted(value)] if is_map else value) if field.is_repeated else (value,)
        for part in parts:
            if hasattr(part, "ListFields"):
                yield from _fields(part, depth + 1)


def _integer(field: FieldDescriptor, rng: random.Random) -> int:
    number = rng.choice((*LENGTHS, *range(9), -1, -2, -(1 << 31), -(1 << 63), 200))
    bound, width = _WIDTHS.get(field.cpp_type, (0, 32 if field.cpp_type == _F.CPPTYPE_UINT32 else 64))
    number &= (1 << width) - 1
    return number - (1 << width) if bound and number >= bound else number


def _scalar(field: FieldDescriptor, old: Any, texts: list[Any], rng: random.Random) -> Any:
    """Another value for a field that is not a message."""
    if field.cpp_type in _INTEGERS:
        small = [old + 1, old - 1] if isinstance(old, int) and 0 < old < 1000 else []
        return rng.choice([_integer(field, rng), _integer(field, rng), *small])
    if field.cpp_type == _F.CPPTYPE_ENUM:
        return rng.choice([*(value.number for value in field.enum_type.values), 77, 999, 2**31 - 1, -1, -(2**31)])
    if field.cpp_type == _F.CPPTYPE_BOOL:
        return not old
    if field.cpp_type in (_F.CPPTYPE_FLOAT, _F.CPPTYPE_DOUBLE):
        return rng.choice((0.0, -1.0, float("nan"), float("inf"), 1e38))
    if field.type == _F.TYPE_BYTES:
        return rng.choice((damaged(old or b"", rng), b"", rng.randbytes(9)))
    return rng.choice((*texts, *TEXTS)) if texts and rng.random() < 0.7 else rng.choice(TEXTS)


def _texts(message: Any) -> list[str]:
    """The texts in a message: names, to which other texts may refer."""
    found: list[str] = []
    for holder, field in _fields(message):
        if field.type == _F.TYPE_STRING and not field.message_type:
            value = getattr(holder, field.name)
            found += list(value) if field.is_repeated else [value]
    return found


def damage_message(message: Any, rng: random.Random) -> None:
    """Changes one field somewhere in a message."""
    fields = list(_fields(message))
    if not fields:
        return
    holder, field = rng.choice(fields)
    if field.type == _F.TYPE_MESSAGE and field.message_type.GetOptions().map_entry:
        _damage_map(getattr(holder, field.name), field, message, rng)
    elif field.is_repeated:
        _damage_list(holder, field, message, fields, rng)
    elif field.type == _F.TYPE_MESSAGE:
        _damage_part(holder, field, fields, rng)
    elif rng.random() < 0.15:
        holder.ClearField(field.name)
    else:
        setattr(holder, field.name, _scalar(field, getattr(holder, field.name), _texts(message), rng))


def _damage_part(holder: Any, field: FieldDescriptor, fields: list[Any], rng: random.Random) -> None:
    """Clears a message within a message, or puts another one of the same type instead."""
    others = [getattr(h, f.name) for h, f in fields if f.message_type is field.message_type and not f.is_repeated]
    if rng.random() < 0.5:
        holder.ClearField(field.name)
        return
    copy = type(getattr(holder, field.name)).FromString(rng.choice(others).SerializeToString())
    getattr(holder, field.name).CopyFrom(copy)


def _damage_list(holder: Any, field: FieldDescriptor, message: Any, fields: list[Any], rng: random.Random) -> None:
    values = getattr(holder, field.name)
    index = rng.randrange(len(values))
    kind = rng.randrange(5)
    if kind == 0:
        del values[index]
    elif kind == 1:
        del values[rng.randrange(len(values) + 1) :]
    elif kind == 2:
        copies = [values[index]] * rng.choice((1, 1, 2, 50))
        values.extend(copies)
    elif field.type == _F.TYPE_MESSAGE:
        other = rng.choice([h for h, f in fields if f is field])
        theirs = getattr(other, field.name)
        values[index].CopyFrom(type(values[index]).FromString(rng.choice(list(theirs)).SerializeToString()))
    else:
        values[index] = _scalar(field, values[index], _texts(message), rng)


def _damage_map(values: Any, field: FieldDescriptor, message: Any, rng: random.Random) -> None:
    entry = field.message_type
    key_field, value_field = entry.fields_by_name["key"], entry.fields_by_name["value"]
    key = rng.choice(sorted(values))
    kind = rng.randrange(3)
    if kind == 0:
        del values[key]
        return
    other = key if kind == 1 else _scalar(key_field, key, [str(k) for k in values], rng)
    if value_field.type == _F.TYPE_MESSAGE:
        source = values[rng.choice(sorted(values))]
        copy = type(source).FromString(source.SerializeToString())
        values[other].CopyFrom(copy)
    else:
        values[other] = _scalar(value_field, values[key], _texts(message), rng)


def damaged_message(data: bytes, kind: Any, rng: random.Random) -> bytes:
    """The bytes of a message of class `kind` after one to four changes of fields."""
    message = kind.FromString(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        try:
            damage_message(message, rng)
        except (ValueError, TypeError, UnicodeError):  # a value that no such field can hold
            continue
    return bytes(message.SerializeToString(deterministic=True))
