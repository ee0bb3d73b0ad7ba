"""The parser of every command: argparse's, and a wrong option is answered with the nearest right one."""

import argparse
import os
import sys
from typing import Any, NoReturn


class Help(argparse.HelpFormatter):
    """argparse's own formatter, without the five modules that it loads to ask how wide the terminal is."""

    def __init__(self, prog: str, *rest: Any, **named: Any) -> None:
        if not rest and named.get("width") is None:
            named["width"] = _columns() - 2
        super().__init__(prog, *rest, **named)


def _columns() -> int:
    """Return the columns of the terminal, as shutil.get_terminal_size has them."""
    asked = os.environ.get("COLUMNS", "")
    stdout = sys.__stdout__
    if not asked.isdecimal() or len(asked) > 8 or not int(asked):
        try:
            return (os.get_terminal_size(stdout.fileno()).columns if stdout is not None else 0) or 80
        except (OSError, ValueError):  # it is closed, or no terminal
            return 80
    return int(asked)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that suggests; its subcommands' parsers do too."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": Help, **named})

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, with the option that was meant, and end with 2."""
        given = [word.partition("=")[0] for word in message.split() if word.startswith("--")]
        near = [nearest for word in given[:1] if (nearest := near_option(word, self._options()))]
        hint = f". Did you mean  {near[0]} ?" if near and "unrecognized arguments" in message else ""
        super().error(message + hint)

    def _options(self) -> list[str]:
        """Return the options of this command and of its subcommands, whose unknown words end here, too."""
        subparsers = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        below = [option for choices in subparsers for one in choices.values() for option in one._option_string_actions]
        return [*self._option_string_actions, *below]


def near_option(word: str, options: list[str]) -> str | None:
    """Return the option that a mistyped one is nearest to.

    >>> near_option("--jsn", ["--json", "--from"]), near_option("--colour", ["--json", "--from"])
    ('--json', None)
    """
    import difflib

    return next(iter(difflib.get_close_matches(word, options, 1, 0.7)), None)


def seconds(text: str) -> float:
    """Return the seconds of an option; for a parser's `type`.

    >>> seconds("2.5")
    2.5
    """
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds above 0")
    return value
