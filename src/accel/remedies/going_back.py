"""The version that works according to the text, and how to return to it: specs/system/going_back.yaml. Pure.

    It works with driver 535 but not with 550       install 535 and hold it
    Since kernel 6.18 it hangs, 6.17 works          boot 6.17, and keep it

It only counts if the text says that another version fails, or another one is running; the running version is no way
back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.query import holds
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.diagnosis import Remedy
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.command import filled

FACT: Final = "version-told-apart"
_NEWER_FAIL: Final = {"kernel": "kernel-update-told", "driver": "newer-driver-fails-said"}
_TABLE: Final = "system/going_back"
_BARE_KERNEL: Final = pattern(r"\d+\.\d+\.\d+-\d+", exact_case=True)  # of Ubuntu, without its flavour
_FULL: Final = pattern(r"\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+~-]{0,60}", exact_case=True)
_NUMBERS: Final = pattern(r"\d{1,9}\.\d{1,9}\.\d{1,9}", exact_case=True)
_STATED: Final = pattern(r"(?P<numbers>\d{1,9}(?:\.\d{1,9}){0,6})", exact_case=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """A version that works, and one that does not. evidence: where the text says so."""

    row: Mapping[str, Any]
    works: str
    fails: str | None
    evidence: tuple[Fact, ...]

    @property
    def is_forward(self) -> bool:
        """Whether the version that works is newer than the one that fails."""
        first, second = _STATED.match(self.works), _STATED.match(self.fails or "")
        if first is None or second is None:
            return False
        works, fails = ([int(part) for part in found["numbers"].split(".")] for found in (first, second))
        return len(works) == len(fails) and works > fails

    def name(self, version: str) -> str:
        """Return the product with a version: "Linux 6.17"."""
        title: str = self.row["title"]
        return title.format(version=version)


def ways_back(facts: Facts, specs: Specs) -> Iterator[WayBack]:
    """Yield the version that works for each product for which another one is known to fail or to be running."""
    told = facts.stated(FACT)
    table = specs.table(_TABLE) if told else None
    for row in (table or {}).get("products", ()):
        of_it = [fact for fact in told if fact.value("what") == row["what"]]
        works = _versions(of_it, "works")
        fails = _versions(of_it, "fails")
        running = _running(row["what"], facts)
        worse = [one for one in fails if one not in works]
        good = [one for one in works if one not in fails and (worse or not _is_same(one, running))]
        bad = next(iter(worse), running)
        bad = bad if bad is not None else next(iter(_versions(of_it, "named")), None)
        newer = _NEWER_FAIL.get(row["what"])
        updated = newer is not None and bool(facts.stated(newer))  # the one that fails is the newer one
        if good and (updated if bad is None else not _is_same(good[0], bad)):
            yield WayBack(row=row, works=good[0], fails=bad, evidence=tuple(of_it))


def leads_to(name: str, way: WayBack, specs: Specs) -> bool:
    """Return whether going back to a working version takes precedence over the remedies of this finding."""
    return name in (specs.table(_TABLE) or {}).get("leads", ()) or name in way.row.get("leads", ())


def remedy_of(way: WayBack, facts: Facts) -> Remedy | None:
    """Return the step back to the working version on this system."""
    row = next((one for one in way.row["back"] if _fits(one, facts, way.works)), None)
    if row is None:
        return None
    command = filled(row["command"], lambda name: _value(name, way.works, row)) if "command" in row else None
    says = row["says"][:1].lower() + row["says"][1:]
    action: Any = "env" if (command or "").startswith("pip ") else "admin"
    if way.is_forward:  # the rows hold a version back, which only an installer of packages of Python does not
        command = command if action == "env" else None
        return Remedy(text=f"Update to {way.name(way.works)}, which works.", command=command, action=action)
    return Remedy(text=f"Go back to {way.name(way.works)}, which works here: {says}", command=command, action=action)


def known_of(way: WayBack, facts: Facts) -> tuple[str | None, tuple[Remedy, ...]]:
    """Return what is known to break with the version that fails, and the step that mends it there."""
    from accel.specs.known_faults import is_in  # few ways back need it

    for one in way.row.get("known", ()) if way.fails else ():
        if is_in(way.fails or "", one["fails"]) and holds(one["when"], facts):
            return one["fault"], (Remedy(text=one["says"], command=one["command"], action="admin"),)
    return None, ()


def _versions(told: Sequence[Fact], outcome: str) -> list[str]:
    """Return the versions with an outcome, the most specific first."""
    found = [fact.value("version") or "" for fact in told if fact.value("outcome") == outcome]
    return sorted(dict.fromkeys(one for one in found if one), key=len, reverse=True)


def _running(what: str, facts: Facts) -> str | None:
    if what == "kernel":
        return facts.host.kernel
    if what == "driver":
        driver = facts.driver("nvidia")
        return driver.version if driver is not None else None
    package = facts.package(what)
    return package.version if package is not None else None


def _is_same(one: str, other: str | None) -> bool:
    """Return whether one version equals another or is a prefix of it, as 6.17 is of 6.17.3."""
    first, second = _STATED.match(one), _STATED.match(other or "")
    if first is None or second is None:
        return False
    short, long = sorted((one, other or ""), key=len)
    return long == short or (long.startswith(short) and not long[len(short)].isalnum())


def _fits(row: Mapping[str, Any], facts: Facts, version: str) -> bool:
    here = " ".join(filter(None, (facts.host.distribution, "WSL" if facts.host.wsl else None))).lower()
    named = row.get("distribution")
    if named is not None and not any(one.lower() in here for one in named.split("|")):
        return False
    if "system" in row and (facts.host.system or "linux") != row["system"]:
        return False
    if row.get("built") and "-" not in version:
        return False
    if row.get("numbers") and not _NUMBERS.fullmatch(version):
        return False
    return not row.get("full") or _FULL.fullmatch(version) is not None


def _value(name: str, version: str, row: Mapping[str, Any]) -> str | None:
    kernel = f"{version}-generic" if _BARE_KERNEL.fullmatch(version) else version
    return {
        "version": version.removeprefix("v"),
        "release": f"{version}-1",
        "package": f"nvidia-driver-{version.split('.', 1)[0]}",
        "channel": f"{version}/stable",
        "image": f"linux-image-{kernel}",
        "headers": f"linux-headers-{kernel}",
        "vmlinuz": f"/boot/vmlinuz-{kernel}",
        "initrd": f"/boot/initrd.img-{kernel}",
        "archive": f"/var/cache/pacman/pkg/{row.get('archive', '').replace('{}', version)}",
    }.get(name)
