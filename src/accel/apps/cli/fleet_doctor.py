"""`accel fleet doctor`: one round over live nodes."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from accel.apps.cli import fleet_merge
from accel.apps.cli.parsing import Parser
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.fleet.model import NodeAnswer


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel fleet doctor",
        description="Ask live nodes once, by ssh or by a Ray cluster, and merge what they say. Each node runs "
        "accel fleet probe , which reads and changes nothing. The round ends at its deadline whatever happens, and "
        "every node has its row.",
        epilog="exit code: 0 all nodes are well, 1 something was found, 2 accel could not do it, 3 incomplete",
        allow_abbrev=False,
    )
    it.add_argument(
        "--hosts", nargs="+", metavar="NODES", help="gpu[01-40], a,b,c, user@host, or a file with a name a line"
    )
    it.add_argument("--ray", metavar="ADDRESS", help="instead: the nodes of a Ray cluster; auto for this machine's")
    it.add_argument(
        "--expect", nargs="+", metavar="NODES", help="nodes that should be there too: Ray knows none that never joined"
    )
    it.add_argument("--deadline", type=float, default=60.0, metavar="SECONDS", help="for the whole round (default 60)")
    it.add_argument(
        "--timeout", type=float, default=20.0, metavar="SECONDS", help="for the probe on a node (default 20)"
    )
    it.add_argument(
        "--connect-timeout", type=float, default=5.0, metavar="SECONDS", help="for a connection (default 5)"
    )
    it.add_argument("--at-once", type=int, default=64, metavar="N", help="connections at one time (default 64)")
    it.add_argument("--ssh-option", action="append", default=[], metavar="WORD", help="a word for ssh; may be repeated")
    it.add_argument(
        "--remote",
        metavar="PATH",
        help="how accel is called on the nodes (default accel; with Ray, that of its workers)",
    )
    it.add_argument("--save", metavar="FILE", help="also write every node's line there, for a merge later")
    fleet_merge.add_output(it)
    return it


def run(words: list[str]) -> int:
    """Ask; return the exit code that --help states."""
    options = parser().parse_args(words)
    from accel.fleet.merging import merge, placed
    from accel.fleet.node import expected_names, places_of

    if bool(options.hosts) == bool(options.ray):
        raise BadInput("Name the nodes:  accel fleet doctor --hosts gpu[01-40]  or a Ray cluster:  --ray auto")
    if min(options.deadline, options.timeout, options.connect_timeout, options.at_once) <= 0:
        raise BadInput("--deadline, --timeout, --connect-timeout and --at-once are above 0.")
    hosts = expected_names(fleet_merge.named(options.hosts))
    expected = expected_names(fleet_merge.named(options.expect))
    answers = _watched(_asked(options, hosts, expected), len({*hosts, *expected}))
    problems: list[str] = []
    if options.save:
        answers = _saved(answers, options.save, problems)
    merged = merge(
        placed(answers, places_of(fleet_merge.places(options.place))),
        expected=(*hosts, *expected),
        max_bad_share=fleet_merge.share(options.max_bad_share),
    )
    return fleet_merge.show(replace(merged, problems=tuple(problems)), options)


def _asked(options: argparse.Namespace, hosts: Sequence[str], expected: Sequence[str]) -> Iterator["NodeAnswer"]:
    if options.ray:
        from accel.fleet.carriers.ray import Ray

        command = None if options.remote is None else (options.remote, "fleet", "probe")
        ray = Ray(address=options.ray, probe_seconds=options.timeout, command=command)
        return ray.answers(expected, options.deadline)
    from accel.fleet.carriers.ssh import Ssh

    ssh = Ssh(
        at_once=options.at_once,
        connect_seconds=options.connect_timeout,
        probe_seconds=options.timeout,
        command=(options.remote or "accel", "fleet", "probe"),
        options=tuple(options.ssh_option),
    )
    return ssh.answers(hosts, options.deadline)


def _watched(answers: Iterable["NodeAnswer"], count: int) -> Iterator["NodeAnswer"]:
    """Pass the answers on; on a terminal, show how many have come, and who is ill."""
    told = sys.stderr.isatty()
    of = f" of {count}" if count else ""
    for number, answer in enumerate(answers, 1):
        if told:
            sys.stderr.write(f"\r\x1b[K{number}{of}: {printable(answer.node)} {answer.state.replace('_', ' ')}")
            sys.stderr.flush()
        yield answer
    if told:
        sys.stderr.write("\r\x1b[K")


def _saved(answers: Iterable["NodeAnswer"], path: str, problems: list[str]) -> Iterator["NodeAnswer"]:
    """Pass the answers on, and write each to a file; where that fails, say so once and go on."""
    from accel.fleet.node import node_line

    try:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")
    except OSError as error:
        problems.append(f"{path}: cannot be written: {error.strerror}. The answers are not saved.")
        yield from answers
        return
    broken = False
    for answer in answers:
        if not broken:
            try:
                file.write(node_line(answer))
                file.flush()
            except OSError as error:
                broken = True
                problems.append(f"{path}: cannot be written: {error.strerror}. Not all answers are saved.")
        yield answer
    try:
        file.close()
    except OSError:
        pass
