"""A snapshot as the checks see it: devices merged over their sources, the rest by name.

Every question returns None (or an empty tuple) if the answer is unknown; `need` in a check turns that into undecided.
"""

import re
from collections.abc import Callable, Hashable, Iterable, KeysView
from functools import cache, cached_property
from typing import Any, TypeVar

from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.environment import Environment, Framework, Library, Package, Toolkit
from accel.model.grade import Grade
from accel.model.merge import filled, merged_devices, merged_driver
from accel.model.merge_environment import merged_environment, of_one_interpreter
from accel.model.observation import Fact
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot

_Made = TypeVar("_Made")


class Facts:
    """Questions about a snapshot. Pure; each answer is computed when it is first needed."""

    def __init__(self, snapshot: Snapshot, inferred: Iterable[Fact] = (), clear: Iterable[str] = ()) -> None:
        """clear  the names of checks that found no fault and knew enough to say so, once they have run"""
        self.snapshot = snapshot
        self.clear: frozenset[str] = frozenset(clear)
        self.inferred: tuple[Fact, ...] = tuple(inferred)
        self._made: dict[Hashable, Any] = {}

    def cached(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return a value computed once per key, from these facts alone."""
        if key not in self._made:
            self._made[key] = make()
        found: _Made = self._made[key]
        return found

    @property
    def live(self) -> bool:
        """Whether the facts come from the machine itself, not from a text about it."""
        return self.snapshot.origin == "live"

    @cached_property
    def host(self) -> Host:
        """The host; of a text also what its writer says of the system, if nothing else in it shows one."""
        known = self.snapshot.host
        said = () if self.live else self.stated("system-said")
        systems = {fact.value("system") for fact in said}
        if not systems and any(fact.value("shell") in ("powershell", "cmd") for fact in self.stated("shell-said")):
            systems = {"windows"}
        if known.wsl or known.system is not None:
            systems &= {known.system, "linux" if known.wsl else known.system}
        elif self.first("wsl-named") is not None:
            systems &= {"linux"}
        if len(systems) != 1:
            return known
        names = {name for fact in said if (name := fact.value("distribution"))} if "linux" in systems else set()
        named = names.pop() if len(names) == 1 else None
        if named is not None and (known.distribution or " ").isalpha():
            known = replace(known, distribution=None)  # a kernel's name tells the host of a container, at best
        return filled(known, Host(system=systems.pop(), distribution=named))

    @cached_property
    def _merged(self) -> tuple[tuple[Device, ...], tuple[Gap, ...]]:
        return merged_devices(self.snapshot.reports)

    @property
    def devices(self) -> tuple[Device, ...]:
        """Whole devices and partitions of all backends, merged over their sources."""
        return self._merged[0]

    def of(self, backend: str) -> tuple[Device, ...]:
        """Return the whole devices (no partitions) of one backend."""
        return self.cached(
            ("of", backend), lambda: tuple(d for d in self.devices if d.backend == backend and d.is_top_level)
        )

    def parts(self, backend: str) -> tuple[Device, ...]:
        """Return the partitions of one backend's devices."""
        return tuple(d for d in self.devices if d.backend == backend and not d.is_top_level)

    @cached_property
    def accelerators(self) -> tuple[Device, ...]:
        return tuple(d for d in self.devices if d.kind != "cpu")

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """All gaps of the snapshot, and the disagreements found in merging."""
        s = self.snapshot
        found = [*s.gaps, *s.host.gaps, *(s.wiring.gaps if s.wiring is not None else ())]
        for environment in s.environments:
            found += environment.gaps
        for report in s.reports:
            found += report.gaps
        return tuple(dict.fromkeys([*found, *self._merged[1]]))

    def reports(self, backend: str) -> tuple[Report, ...]:
        """Return one backend's reports, the most trusted first."""
        return tuple(sorted((r for r in self.snapshot.reports if r.backend == backend), key=lambda r: -r.trust))

    def driver(self, backend: str) -> Driver | None:
        """Return the driver merged from all sources; None if no source mentions one."""
        return merged_driver(self.reports(backend))

    def grade_of(self, source: str | None) -> Grade:
        """Return how certain a source of records is: "said" for prose, else "measured" if live, "printed" in texts."""
        return self._grades.get(source or "", "measured" if self.live else "printed")

    @cached_property
    def _grades(self) -> dict[str, Grade]:
        sources = [(r.source, r.grade) for r in self.snapshot.reports]
        sources += [(e.source or "", e.grade) for e in self.environments]
        return {source: grade for source, grade in sources if grade in ("said", "implied")}

    @cached_property
    def _by_name(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self.inferred:
            found.setdefault(fact.name, []).append(fact)
        return found

    def stated(self, *names: str) -> tuple[Fact, ...]:
        """Return the inferred facts with these names, in the order of the text."""
        if len(names) == 1:
            return tuple(self._by_name.get(names[0], ()))
        found = [fact for name in dict.fromkeys(names) for fact in self._by_name.get(name, ())]
        return tuple(sorted(found, key=lambda fact: fact.line or 0)) if found else ()

    @property
    def names(self) -> KeysView[str]:
        """The names of all inferred facts, each once."""
        return self._by_name.keys()

    def states(self, names: Iterable[str]) -> bool:
        """Return whether any of these facts was inferred."""
        return not self._by_name.keys().isdisjoint(names)

    def first(self, *names: str) -> Fact | None:
        """Return the first inferred fact with one of these names."""
        return next(iter(self.stated(*names)), None)

    @property
    def on_wsl(self) -> bool:
        """Whether anything indicates the Windows Subsystem for Linux."""
        return self.host.wsl is True or self.first("wsl-named") is not None

    def seen(self, backend: str) -> bool:
        """Return whether a device of a backend is listed or named, or its driver responds."""
        driver = self.driver(backend)
        answers = driver is not None and driver.version is not None
        return bool(self.of(backend)) or answers or self.first(f"{backend}-gpu-named") is not None

    @cached_property
    def _text(self) -> str:
        return "\n".join(one.text for one in self.snapshot.observations)

    def mentions(self, *words: str) -> bool:
        """Return whether the text has a word that begins with one of these: "vllm" for "vllm-openai" and "VllmConfig".

        Of names of libraries and Python packages also what follows lib and py: "torch" for "libtorch.so", "pytorch".
        """
        return any(_beginning(word).search(self._text) for word in words)

    @property
    def environments(self) -> tuple[Environment, ...]:
        return self.snapshot.environments

    @cached_property
    def environment(self) -> Environment:
        """The environment that programs run in, merged over its readings: that of the container, if there is one."""
        known = of_one_interpreter(self.environments)
        inside = any(environment.scope == "container" for environment in known)
        return merged_environment(e for e in known if not (inside and e.scope == "host"))

    def package(self, name: str) -> Package | None:
        """Return the first installed distribution with this (normalised) name."""
        found = self.packages(name)
        return found[0] if found else None

    def packages(self, *names: str) -> tuple[Package, ...]:
        return tuple(p for p in self.environment.packages or () if not names or p.name in names)

    def lacks_package(self, *names: str) -> bool:
        """Return whether the whole environment is known and has none of these. False also if it is unknown."""
        return self.environment.complete and not self.packages(*names)

    def framework(self, name: str) -> Framework | None:
        return next((f for f in self.environment.frameworks if f.name == name), None)

    def toolkit(self, name: str) -> Toolkit | None:
        return next((t for t in self.environment.toolkits if t.name == name), None)

    def libraries(self, name: str) -> tuple[Library, ...]:
        """Return the copies of a library in the order in which the loader would find them."""
        return tuple(item for item in self.environment.libraries if item.name == name)

    def variable(self, name: str) -> str | None:
        """Return an environment variable; None if it is unset or unknown: see `variables_known`."""
        return dict(self.environment.variables or ()).get(name)

    @property
    def variables_known(self) -> bool:
        return self.environment.variables is not None


@cache
def _beginning(word: str) -> re.Pattern[str]:
    start = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?i:(?<=lib)|(?<=py)))" if word[0].isalpha() else ""
    return re.compile(f"{start}(?i:{re.escape(word)})")


def texts(values: Iterable[object]) -> str:
    """Join values for an evidence line."""
    return ", ".join(str(v) for v in values)
