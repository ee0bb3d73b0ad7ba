"""Texts that somebody gives away, such as the report of a case: without what names its owner, and read as before. Pure.

What is replaced is what `accel.apps.privacy.redact` replaces in a snapshot; what stands for it keeps the form that
readers know: a GPU's id stays one, a container's id too. Hosts and people are replaced wherever they stand, once a text
names them as such.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from accel.apps.privacy.disguise import Disguise
from accel.apps.privacy.home_folders import owners
from accel.apps.privacy.named import named
from accel.apps.privacy.tables import tables
from accel.model.merge import merged_devices

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot

_SHORTEST = 4  # letters of a name that is replaced wherever it stands; three with a digit


def disguised(texts: Sequence[str], snapshot: "Snapshot", salt: str) -> tuple[str, ...]:
    """Return the texts without what names somebody. snapshot: what was read from them; salt: what nobody can guess."""
    packages = {package.name for environment in snapshot.environments for package in environment.packages or ()}
    kept = tables().stock_names | packages
    devices = merged_devices(snapshot.reports)[0]
    hosts = [*_known(snapshot.host.name), *_told(texts, "host")]
    users = [*(p.user for d in devices for p in d.processes or () if p.user), *_told(texts, "user"), *_homes(texts)]
    disguise = Disguise(
        devices,
        [name for name in dict.fromkeys(hosts) if _is_a_name(name, kept)],
        [name for name in dict.fromkeys(users) if _is_a_name(name, kept)],
        salt,
    )
    return tuple(disguise.of(text) for text in texts)


def _known(host: str | None) -> tuple[str, ...]:
    return (host, host.partition(".")[0]) if host else ()


def _told(texts: Iterable[str], wanted: str) -> Iterable[str]:
    for text in texts:
        for begin, end, kind in named(text):
            if kind == wanted:
                yield text[begin:end]
                if kind == "host":
                    yield text[begin:end].partition(".")[0]


def _homes(texts: Iterable[str]) -> Iterable[str]:
    return (text[begin:end] for text in texts for begin, end in owners(text))


def _is_a_name(name: str, kept: Iterable[str]) -> bool:
    long_enough = len(name) >= _SHORTEST or (len(name) == _SHORTEST - 1 and any(sign.isdecimal() for sign in name))
    return long_enough and name.lower() not in kept
