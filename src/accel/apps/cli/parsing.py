"""The parser of every command: argparse's, and a wrong option is answered with the nearest right one."""

import argparse
import difflib
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that suggests; its subcommands' parsers do too."""

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
    return next(iter(difflib.get_close_matches(word, options, 1, 0.7)), None)
