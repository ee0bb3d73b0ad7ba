"""Queries to the chips' own network ports through hccn_tool: for one chip, or for each of a node. Pure."""

from typing import Final

from accel.vendors.contract.command import chained, command_line, number_word

_OF_A_NODE: Final = "for i in 0 1 2 3 4 5 6 7; do"  # a missing chip costs one line of output


def each_chip(chip: str | None, *options: str) -> str | None:
    """Return the queries for one chip; None: for each that a node may have. options: constants, "-link -g"."""
    if chip is None:
        asked = chained(*(command_line("hccn_tool -i $i", option) for option in options), by=";")
        return command_line(_OF_A_NODE, asked, "; done")
    number = number_word(chip)
    return chained(*(command_line("hccn_tool -i", number, option) for option in options), by=";")
