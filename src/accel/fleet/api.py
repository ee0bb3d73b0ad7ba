"""`accel.fleet.merge` and `accel.fleet.diagnose`: diagnosis of many machines together, for programs."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from accel.fleet import merging
from accel.fleet.clocks import seen_now
from accel.fleet.model import Merged, NodeAnswer
from accel.fleet.node import expected_names, places_of
from accel.model.dataclass import replace
from accel.model.errors import BadInput

Places = Mapping[str, Mapping[str, str]]


def merge(
    paths: Sequence[str],
    *,
    expected: Sequence[str] = (),
    since: Sequence[str] = (),
    places: Places | None = None,
    max_bad_share: float | None = None,
) -> Merged:
    """Return the merged answers of the nodes that wrote these files, or files in these folders.

    paths          output of `accel fleet probe`, `accel snapshot` or `accel doctor --json`; compressed or not
    expected       nodes that should be among them: "gpu[001-480]"
    since          the files of an earlier round: `changed` lists the differences
    places         the nodes' locations: {"gpu[001-016]": {"rack": "12"}}
    max_bad_share  a cause on more than this share of the nodes is marked `suspect`
    Files that could not be read are named in `notes`. Raises BadInput if nothing could be read.
    """
    from accel.fleet.reading import Answers
    from accel.plugins.registry import Registry

    registry: list[Registry] = []

    def needed() -> Registry:
        registry.extend([] if registry else [Registry(os.environ, guarded=True)])
        return registry[0]

    answers = Answers(paths, needed)
    before = Answers(since, needed) if since else None
    merged = merging.merge(
        merging.placed(answers, places_of(places or {})),
        expected=expected_names(expected),
        before=before,
        max_bad_share=max_bad_share,
    )
    problems = (*answers.problems, *(before.problems if before is not None else ()))
    if not merged.rows:
        raise BadInput(" ".join(problems[:3]) or "No node's answer was found.")
    return replace(merged, problems=problems)


def asked(
    *,
    hosts: Sequence[str] = (),
    ray_address: str | None = None,
    expected: Sequence[str] = (),
    deadline_seconds: float = 60.0,
    probe_seconds: float = 20.0,
) -> Iterator[NodeAnswer]:
    """Yield the answers of live nodes as they arrive, by ssh to `hosts` or through a Ray cluster; see `diagnose`."""
    if bool(hosts) == (ray_address is not None):
        raise BadInput("Pass either hosts, which are reached by ssh, or the address of a Ray cluster.")
    if min(deadline_seconds, probe_seconds) <= 0:
        raise BadInput("A deadline is above 0.")
    if ray_address is not None:
        from accel.fleet.carriers.ray import Ray

        ray = Ray(address=ray_address, probe_seconds=probe_seconds)
        return ray.answers(expected_names(expected), deadline_seconds)
    from accel.fleet.carriers.ssh import Ssh

    return Ssh(probe_seconds=probe_seconds).answers(expected_names(hosts), deadline_seconds)


def diagnose(
    *,
    hosts: Sequence[str] = (),
    ray_address: str | None = None,
    expected: Sequence[str] = (),
    deadline_seconds: float = 60.0,
    probe_seconds: float = 20.0,
    places: Places | None = None,
    max_bad_share: float | None = None,
) -> Merged:
    """Query live nodes once, and return their merged answers. Read-only: nothing is changed on any node.

    hosts             nodes reachable by the system's ssh: "gpu[01-40]", "user@host"
    ray_address       instead: a Ray cluster, "auto" for the one of this machine or this program
    expected          nodes that should be there: Ray does not know nodes that never joined
    deadline_seconds  of the whole round, which ends then, even if nodes are missing
    probe_seconds     limit for probing one node
    Raises BadInput if the round could not be started.
    """
    answers: Iterable[NodeAnswer] = asked(
        hosts=hosts,
        ray_address=ray_address,
        expected=expected,
        deadline_seconds=deadline_seconds,
        probe_seconds=probe_seconds,
    )
    return merging.merge(
        merging.placed(seen_now(answers), places_of(places or {})),
        expected=expected_names([*hosts, *expected]),
        max_bad_share=max_bad_share,
    )
