"""`tf.compat.v1.flags` and `tf.compat.v1.app`: flags of the command line, by the package absl-py.

TensorFlow 1's flags are absl's, but for two things: old names of the arguments of `DEFINE_string` and its kin, and
`FLAGS`, which reads the command line when a flag is asked for first. absl-py is an extra (`millrace[v1]`, and Keras
brings it along); all other names are absl's own objects, fetched when they are asked for.
"""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

from millrace._src.util.export import export, export_all
from millrace._src.util.lazy_import import import_optional

_absl: Any = import_optional("absl.flags", "tf.compat.v1.flags", "v1")

export_all(
    __name__,
    "compat.v1.flags",
    [
        "ArgumentParser",
        "ArgumentSerializer",
        "BaseListParser",
        "BooleanFlag",
        "BooleanParser",
        "CantOpenFlagFileError",
        "CsvListSerializer",
        "DEFINE",
        "DEFINE_alias",
        "DEFINE_bool",
        "DEFINE_boolean",
        "DEFINE_enum",
        "DEFINE_enum_class",
        "DEFINE_flag",
        "DEFINE_float",
        "DEFINE_integer",
        "DEFINE_list",
        "DEFINE_multi",
        "DEFINE_multi_enum",
        "DEFINE_multi_enum_class",
        "DEFINE_multi_float",
        "DEFINE_multi_integer",
        "DEFINE_multi_string",
        "DEFINE_spaceseplist",
        "DEFINE_string",
        "DuplicateFlagError",
        "EnumClassFlag",
        "EnumClassListSerializer",
        "EnumClassParser",
        "EnumClassSerializer",
        "EnumFlag",
        "EnumParser",
        "Error",
        "FLAGS",
        "Flag",
        "FlagHolder",
        "FlagNameConflictsWithMethodError",
        "FlagValues",
        "FloatParser",
        "IllegalFlagValueError",
        "IntegerParser",
        "ListParser",
        "ListSerializer",
        "MultiEnumClassFlag",
        "MultiFlag",
        "UnparsedFlagAccessError",
        "UnrecognizedFlagError",
        "ValidationError",
        "WhitespaceSeparatedListParser",
        "adopt_module_key_flags",
        "declare_key_flag",
        "disclaim_key_flags",
        "doc_to_help",
        "flag_dict_to_args",
        "get_help_width",
        "mark_bool_flags_as_mutual_exclusive",
        "mark_flag_as_required",
        "mark_flags_as_mutual_exclusive",
        "mark_flags_as_required",
        "multi_flags_validator",
        "override_value",
        "register_multi_flags_validator",
        "register_validator",
        "set_default",
        "text_wrap",
        "validator",
    ],
)


def __getattr__(name: str) -> Any:
    return getattr(_absl, name)


_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_old_names(define: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a function that defines a flag take TensorFlow 1's names of its arguments."""

    @functools.wraps(define)
    def wrapper(*args: object, **kwargs: object) -> Any:
        if _OLD_NAMES.keys() & kwargs.keys():
            logging.warning(
                "Use of the keyword argument names (flag_name, default_value, docstring) is deprecated, please use "
                "(name, default, help) instead."
            )
            kwargs = {_OLD_NAMES.get(name, name): value for name, value in kwargs.items()}
        return define(*args, **kwargs)

    return wrapper


DEFINE_string = _with_old_names(_absl.DEFINE_string)
DEFINE_boolean = DEFINE_bool = _with_old_names(_absl.DEFINE_boolean)
DEFINE_float = _with_old_names(_absl.DEFINE_float)
DEFINE_integer = _with_old_names(_absl.DEFINE_integer)


class _Flags:
    """The flags of the program, which read the command line when a flag is asked for and it was not read yet."""

    def __getattr__(self, name: str) -> Any:
        flags = _absl.FLAGS
        if not flags.is_parsed():
            flags(sys.argv)
        return getattr(flags, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_absl.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_absl.FLAGS, name)

    def __dir__(self) -> list[str]:
        return dir(_absl.FLAGS)

    def __getitem__(self, name: str) -> Any:
        return _absl.FLAGS[name]

    def __setitem__(self, name: str, flag: object) -> None:
        _absl.FLAGS[name] = flag

    def __contains__(self, name: str) -> bool:
        return name in _absl.FLAGS

    def __len__(self) -> int:
        return len(_absl.FLAGS)

    def __iter__(self) -> Iterator[str]:
        return iter(_absl.FLAGS)

    def __call__(self, argv: object, known_only: bool = False) -> list[str]:
        remaining: list[str] = _absl.FLAGS(argv, known_only)
        return remaining


FLAGS = _Flags()


@export(v1=["app.run"])
def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> None:
    """Runs a program: reads the flags, calls the program's function with the other arguments, and ends the process.

    A flag without a definition is left to the program.

    Args:
      main: A function of a list of strings; `main` of the module that runs as the program, if None.
      argv: The command line; `sys.argv` if None.

    Raises: SystemExit: with what the function returns.
    """
    program = main or sys.modules["__main__"].main

    def parse(arguments: list[str]) -> list[str]:
        remaining: list[str] = _absl.FLAGS(arguments, known_only=True)
        return remaining

    import_optional("absl.app", "tf.compat.v1.app.run", "v1").run(main=program, argv=argv, flags_parser=parse)
