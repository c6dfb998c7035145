"""Comparing protocol buffers: a message with another one, or with the text of one.

A failure shows both messages as text, line by line. Numbers may be compared with a tolerance, since a message holds
what a program computed.
"""

from __future__ import annotations

import math
import unittest
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import Message

from millrace._src.util.version import GRAPH_DEF_VERSION


class ProtoAssertions(unittest.TestCase):
    """The assertions about protocol buffers."""

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: Any = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fails unless two messages are equal.

        Args:
          expected_message_maybe_ascii: The expected message, or its text.
          validate_message: The message to look at.
          msg: What to say besides when they differ.
          relative_tolerance: How far numbers may be apart, as a part of the greater of them; not at all if None.

        Raises: google.protobuf.text_format.ParseError: if the text is not one of such a message.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = text_format.Parse(expected, type(validate_message)(), descriptor_pool=None)
        elif type(expected) is not type(validate_message):
            self.fail(f"Can't compare protos of type {type(expected)} and {type(validate_message)}.")
        if not _are_equal(expected, validate_message, relative_tolerance or 0.0):
            first, second = (text_format.MessageToString(m, descriptor_pool=None) for m in (expected, validate_message))
            self.assertMultiLineEqual(first, second, msg)
            self.fail(self._formatMessage(msg, f"The messages differ in numbers that look alike:\n{first}"))

    def assertProtoEqualsVersion(
        self,
        expected: Any,
        actual: object,
        producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = 0,
        msg: object = None,
    ) -> None:
        """Fails unless a `GraphDef` has nodes as expected, and the versions of its producer.

        Args:
          expected: A `GraphDef` without versions, or its text.
          actual: The `GraphDef` to look at.
          producer: The version that wrote the graph.
          min_consumer: The least version that may read the graph.
          msg: What to say besides when they differ.
        """
        text = expected if isinstance(expected, str) else text_format.MessageToString(expected)
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
        self.assertProtoEquals(f"{versions}\n{text}", actual, msg)


def _are_equal(expected: Any, actual: Any, tolerance: float) -> bool:
    """Returns whether two values of fields are equal: messages, maps, lists, numbers or others."""
    if isinstance(expected, Message):
        return _messages_are_equal(expected, actual, tolerance)
    if isinstance(expected, float):
        close = math.isclose(expected, actual, rel_tol=tolerance, abs_tol=0.0)
        return close or math.isnan(expected) and math.isnan(actual)
    return bool(expected == actual)


def _messages_are_equal(expected: Any, actual: Any, tolerance: float) -> bool:
    first, second = ({field.name: (field, value) for field, value in m.ListFields()} for m in (expected, actual))
    if first.keys() != second.keys():
        return False
    return all(_fields_are_equal(field, value, second[name][1], tolerance) for name, (field, value) in first.items())


def _fields_are_equal(field: Any, expected: Any, actual: Any, tolerance: float) -> bool:
    """Returns whether two values of one field are equal; those of maps are matched by key."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return expected.keys() == actual.keys() and all(_are_equal(expected[k], actual[k], tolerance) for k in expected)
    if _is_repeated(expected):
        return len(expected) == len(actual) and all(_are_equal(a, b, tolerance) for a, b in zip(expected, actual))
    return _are_equal(expected, actual, tolerance)


def _is_repeated(value: object) -> bool:
    """Returns whether the value of a field is a list of values; messages, text and numbers are single."""
    return not isinstance(value, (Message, str, bytes, int, float))
