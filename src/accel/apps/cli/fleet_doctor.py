"""`accel fleet doctor`: one round over live nodes."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from accel.apps.cli import fleet_merge
from accel.apps.cli.parsing import add_seconds
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.fleet.carriers.ray import Ray
    from accel.fleet.model import Merged, NodeAnswer


def add(actions: Any) -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "doctor",
        help="probe live nodes once, over ssh, Ray or Slurm, and merge the results",
        description="Probe live nodes once, over ssh, a Ray cluster or Slurm, and merge the results. Each node runs  "
        "accel fleet probe , which only reads. The round ends at its deadline whatever happens, and every "
        "node gets a row.",
        epilog="exit code: 0 all nodes are healthy, 1 something was found, 2 accel failed, 3 incomplete",
        allow_abbrev=False,
    )
    add_carriers(it)
    add_round(it)
    it.add_argument("--snapshots", metavar="DIR", help="with --ray: also download every node's full snapshot to DIR")
    fleet_merge.add_output(it)


def add_carriers(it: argparse.ArgumentParser) -> None:
    """Add the options that select the nodes and the transport."""
    who = it.add_mutually_exclusive_group(required=True)
    who.add_argument(
        "--hosts",
        nargs="+",
        metavar="NODES",
        help="over ssh: gpu[01-40], a,b,c, user@host, or a file with one name per line",
    )
    who.add_argument(
        "--ray", metavar="ADDRESS", help="the nodes of a Ray cluster; auto: the one this machine belongs to"
    )
    who.add_argument("--slurm", metavar="PARTITION|JOB", help="the nodes of a partition or a running job, using srun")
    add_seconds(it, "--timeout", 20.0, "time limit for the probe on a node")
    add_seconds(it, "--connect-timeout", 5.0, "time limit for ssh to connect, or Slurm to start a step")
    it.add_argument(
        "--at-once", type=int, default=64, metavar="N", help="nodes probed in parallel over ssh or Slurm (default 64)"
    )
    it.add_argument(
        "--ssh-option", action="append", default=[], metavar="WORD", help="extra argument for ssh; may be repeated"
    )
    it.add_argument(
        "--copy",
        action="store_true",
        help="with --hosts: send accel as a single file to nodes without it, and remove it afterwards",
    )
    it.add_argument(
        "--remote", metavar="PATH", help="accel command on the nodes (default accel; with Ray, that of its workers)"
    )


def add_round(it: argparse.ArgumentParser) -> None:
    """Add the options of a round."""
    it.add_argument("--expect", nargs="+", metavar="NODES", help="further nodes that should answer, or a file of them")
    add_seconds(it, "--deadline", 60.0, "time limit for the whole round")
    it.add_argument("--save", metavar="FILE", help="also write every node's line to this file, for a later merge")


def run(options: argparse.Namespace) -> int:
    """Run the round; return the exit code documented in --help."""
    if options.snapshots and not options.ray:
        raise BadInput("--snapshots goes with --ray.")
    hosts, answers = asked(options)
    found = merged(options, answers, hosts)
    if options.snapshots:
        found = replace(found, problems=(*found.problems, *_fetched(options)))
    return fleet_merge.show(found, options)


def _fetched(options: argparse.Namespace) -> Iterator[str]:
    """Write the nodes' snapshots to the folder; yield the reason for each missing one."""
    try:
        os.makedirs(options.snapshots, mode=0o700, exist_ok=True)
        for node, text, why in ray_of(options).snapshots(options.deadline):
            name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in node).lstrip(".") or "node"
            if text is None:
                yield f"{node}: no snapshot: {why}"
                continue
            path = os.path.join(options.snapshots, f"{name}.json")
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        yield f"{options.snapshots}: cannot be written: {error.strerror}. Not all snapshots are there."


def ray_of(options: argparse.Namespace) -> "Ray":
    """Return the Ray cluster that the options name."""
    from accel.fleet.carriers.ray import Ray

    return Ray(address=options.ray, probe_seconds=options.timeout, command=_command(options))


def _command(options: argparse.Namespace) -> tuple[str, ...] | None:
    return None if options.remote is None else (options.remote, "fleet", "probe")


def asked(options: argparse.Namespace) -> tuple[Sequence[str], Iterator["NodeAnswer"]]:
    """Return the named nodes, and the answers of one round as they arrive."""
    from accel.fleet.carriers.outcome import PROBE
    from accel.fleet.node import expected_names

    command = _command(options)
    if options.at_once < 1:
        raise BadInput("--at-once is 1 or more.")
    if options.copy and not options.hosts:
        raise BadInput("--copy goes with --hosts: only ssh sends a file.")
    if options.ray:
        return (), ray_of(options).answers(expected_names(fleet_merge.named(options.expect)), options.deadline)
    if options.slurm:
        from accel.fleet.carriers.slurm import Slurm

        slurm = Slurm(
            where=options.slurm,
            at_once=options.at_once,
            wait_seconds=options.connect_timeout,
            probe_seconds=options.timeout,
            command=command or PROBE,
        )
        return (), slurm.answers(options.deadline)
    from accel.fleet.carriers.ssh import Ssh

    hosts = expected_names(fleet_merge.named(options.hosts))
    ssh = Ssh(
        at_once=options.at_once,
        connect_seconds=options.connect_timeout,
        probe_seconds=options.timeout,
        options=tuple(options.ssh_option),
        copy=options.copy,
        command=command or PROBE,
    )
    return hosts, ssh.answers(hosts, options.deadline)


def merged(options: argparse.Namespace, answers: Iterable["NodeAnswer"], hosts: Sequence[str]) -> "Merged":
    """Return the merged answers, saved as they arrive if --save is given."""
    from accel.fleet.clocks import seen_now
    from accel.fleet.merging import merge, placed
    from accel.fleet.node import expected_names, places_of

    expected = (*hosts, *expected_names(fleet_merge.named(options.expect)))
    answers = seen_now(_watched(answers, len(set(expected))))
    problems: list[str] = []
    if options.save:
        answers = _saved(answers, options.save, problems)
    found = merge(
        placed(answers, places_of(fleet_merge.places(options.place))),
        expected=expected,
        max_bad_share=options.max_bad_share,
    )
    return replace(found, problems=tuple(problems))


def _watched(answers: Iterable["NodeAnswer"], count: int) -> Iterator["NodeAnswer"]:
    """Pass the answers on; on a terminal, show how many have arrived and which nodes have faults."""
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
    """Pass the answers on, and write each to a file; report the first write error and continue."""
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
