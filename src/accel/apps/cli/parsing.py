"""The parser of every command: argparse's, extended to suggest the nearest option for a mistyped one."""

import argparse
import os
import sys
from typing import Any, NoReturn


class Help(argparse.HelpFormatter):
    """argparse's formatter, without the five modules that it loads to find the terminal's width."""

    def __init__(self, prog: str, *rest: Any, **named: Any) -> None:
        if not rest and named.get("width") is None:
            named["width"] = _columns() - 2
        super().__init__(prog, *rest, **named)


def _columns() -> int:
    """Return the terminal's width, as shutil.get_terminal_size does."""
    asked = os.environ.get("COLUMNS", "")
    stdout = sys.__stdout__
    if not asked.isdecimal() or len(asked) > 8 or not int(asked):
        try:
            return (os.get_terminal_size(stdout.fileno()).columns if stdout is not None else 0) or 80
        except (OSError, ValueError):  # it is closed, or not a terminal
            return 80
    return int(asked)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser with suggestions, also in its subcommands' parsers."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": Help, **named})

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, with a suggested option, and exit with 2."""
        given = [word.partition("=")[0] for word in message.split() if word.startswith("--")]
        near = [nearest for word in given[:1] if (nearest := near_option(word, self._options()))]
        hint = f". Did you mean  {near[0]} ?" if near and "unrecognized arguments" in message else ""
        super().error(message + hint)

    def _options(self) -> list[str]:
        """Return the options of this command and of its subcommands, whose unknown words also end here."""
        subparsers = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        below = [option for choices in subparsers for one in choices.values() for option in one._option_string_actions]
        return [*self._option_string_actions, *below]


def near_option(word: str, options: list[str]) -> str | None:
    """Return the option nearest to a mistyped one; None if none is near.

    >>> near_option("--jsn", ["--json", "--from"]), near_option("--colour", ["--json", "--from"])
    ('--json', None)
    """
    import difflib

    return next(iter(difflib.get_close_matches(word, options, 1, 0.7)), None)


def add_seconds(it: argparse.ArgumentParser, option: str, default: float, says: str) -> None:
    """Add an option for a time limit; its help says the default."""
    it.add_argument(option, type=seconds, default=default, metavar="SECONDS", help=f"{says} (default {default:g})")


def seconds(text: str) -> float:
    """Parse the seconds of an option such as "8", "0.5" or "2m"; for a parser's `type`."""
    from accel.text.durations import seconds_of

    value = seconds_of(text)
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no time above 0, such as 8, 0.5 or 2m")
    return value


def share(text: str) -> float:
    """Parse a share above 0 and up to 1, such as "0.8" or "80%"; for a parser's `type`."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share, such as 0.8 or 80%")
    return value
