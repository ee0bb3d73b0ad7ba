"""Proxies for a third-party plugin in a command, whose code runs in a process of its own.

Its import, hooks, readers, checks, rules and masks all run in one process (accel.plugins.guest_host), which starts when
something is first needed and ends with the command. A function that hangs, exits or damages that process is not called
again; everything else of the plugin continues in a new process. When a probe's child process needs the plugin's backend
(accel.collect.isolate), the plugin is imported in that child.
"""

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from accel.model.device import Device
from accel.model.errors import PluginError
from accel.plugins import answers, guard
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.contract.rule import Rule

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.plugins.discovery import Installed
    from accel.specs import Specs
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.check import Check, Problem
    from accel.vendors.contract.rule import Seen

LOAD_SECONDS: Final = 3.0  # for its import, and for a hook
CALL_SECONDS: Final = 2.0  # for a reader, a check, a rule or a mask
SECONDS_A_CHARACTER: Final = 2e-6  # of a text, more
_MOST_FAULTS: Final = 3  # after which nothing more is asked of a plugin
_MOST_LINES: Final = 8  # of all that it prints
_ITSELF: Final = ("accel_specs", "accel_machines")  # hooks that give a folder


class Guest:
    """A plugin and the process that runs it.

    specs   returns the arguments for accel.specs.load, for checks and rules that look things up there
    backend returns the backend with a given name, whose device records are used
    hooks   the names of the hooks that it implements
    """

    def __init__(
        self, found: "Installed", specs: Callable[[], Mapping[str, Any]], backend: "Callable[[str], Backend | None]"
    ) -> None:
        self.found, self._specs = found, specs
        self.types: dict[str, type[Device]] = _Types(backend)
        self.hooks: tuple[str, ...] = ()
        self._process: guard.GuestProcess | None = None
        self._left_out: dict[str, str] = {}
        self._lines = 0  # that it has printed
        self._sent: object = None  # the facts that the process has
        self._turn = RLock()

    def load(self) -> None:
        """Import it, after which `hooks` is known. Raises PluginError."""
        self.hooks = tuple(str(name) for name in self._value("its import", "loaded"))

    def offer(self, hook: str) -> Any:
        """Return the result of a hook, with proxies for anything that has code. Raises PluginError."""
        given = self._value("it", "offer", hook)
        if hook in _ITSELF:
            return str(given)
        from accel.plugins.guest_backend import GuestBackend

        makers: dict[str, Callable[[Any], Any]] = {
            "accel_backend": partial(GuestBackend, self),
            "accel_readers": self._readers,
            "accel_checks": self._checks,
            "accel_rules": self._rules,
        }
        try:
            return makers[hook](given)
        except Exception as error:  # a description that its process may have forged
            raise PluginError(f"it gave what cannot be used: {type(error).__name__}: {error}") from None

    def call(self, what: str, seconds: float, kind: str, *given: Any) -> Any:
        """Return the result of one of the plugin's functions as plain values. Raises PluginError, which names both."""
        whose = f"plugin {self.found.name}, {what}"
        with self._turn:
            if len(self._left_out) >= _MOST_FAULTS:
                raise PluginError(
                    f"{whose}: it was skipped, because {_MOST_FAULTS} others of this plugin failed in the same way"
                )
            if what in self._left_out:
                raise PluginError(f"{whose}: {self._left_out[what]}")
            try:
                told = self._told(kind, given, seconds)
            except guard.Fault as fault:
                self._left_out[what] = str(fault)
                raise PluginError(f"{whose}: {fault}") from None
        if "error" in told:
            raise PluginError(f"{whose}: {told['error']}")
        return told.get("value")

    def sent(self, facts: object) -> bool:
        """Return whether the process already has these facts."""
        return self._process is not None and self._process.is_alive and self._sent is facts

    def call_with(self, what: str, kind: str, number: int, facts: object, blob: Callable[[], bytes]) -> Any:
        """Like `call`, for a function that takes facts, which are sent only once."""
        with self._turn:
            places = self._specs()  # first: it may ask the plugin, too
            data = None if self.sent(facts) else blob()
            value = self.call(what, CALL_SECONDS, kind, number, data, places)
            self._sent = facts
            return value

    def end(self) -> None:
        """End the process; report on stderr what it left running."""
        if self._process is None:
            return
        self._say_what_it_printed()
        for left in self._process.end():
            _say(f"plugin {self.found.name} left a process running, which was ended: {left}")
        self._process = None

    def _value(self, what: str, kind: str, *given: Any) -> Any:
        """Return what is needed to load the plugin; error messages start with its import or its hook."""
        with self._turn:
            try:
                told = self._told(kind, given, LOAD_SECONDS)
            except guard.Fault as fault:
                raise PluginError(f"{what} {fault}") from None
        if "error" in told:
            raise PluginError(str(told["error"]))
        return told.get("value")

    def _told(self, kind: str, given: tuple[Any, ...], seconds: float) -> dict[str, Any]:
        if self._process is None or not self._process.is_alive:
            from accel.plugins.guest_host import serve

            self._process, self._sent = guard.GuestProcess(partial(serve, self.found)), None
            if kind != "loaded":
                self._told("loaded", (), LOAD_SECONDS)
        try:
            answer = self._process.answer(pickle.dumps((kind, *given)), seconds)
        finally:
            self._say_what_it_printed()
        try:
            told = answers.data_of(answer)
        except Exception:
            told = None
        if not isinstance(told, dict) or "fault" in told:
            self.end()
            raise guard.Fault(str(told["fault"]) if told else "wrote to a pipe that is not its own")
        return told

    def _say_what_it_printed(self) -> None:
        said = self._process.printed() if self._process is not None else ""
        for line in said.splitlines():
            self._lines += 1
            if self._lines <= _MOST_LINES:
                _say(f"plugin {self.found.name} printed: {line[:200]}")
            elif self._lines == _MOST_LINES + 1:
                _say(f"plugin {self.found.name} printed more, which is left out")

    def _readers(self, given: Any) -> tuple[Reader, ...]:
        return tuple(
            Reader(name=str(row["name"]), signs=tuple(map(str, row["signs"])), read=_Read(self, number, row))
            for number, row in enumerate(answers.taken(given))
        )

    def _checks(self, given: Any) -> "tuple[Check, ...]":
        rows = enumerate(answers.taken(given))
        return tuple(answers.check_of(row["fields"], _RunCheck(self, number, row)) for number, row in rows)

    def _rules(self, given: Any) -> tuple[Rule, ...]:
        return tuple(
            Rule(
                name=str(row["name"]),
                gives={str(name): str(meaning) for name, meaning in row["gives"].items()},
                run=_RunRule(self, number, row),
                triggers=tuple(map(str, row["triggers"])),
            )
            for number, row in enumerate(answers.taken(given))
        )


_Record = TypeVar("_Record")


class _Types(dict[str, type[Device]]):
    """The classes of device records, each looked up when a device of its backend appears."""

    def __init__(self, backend: "Callable[[str], Backend | None]") -> None:
        super().__init__()
        self._backend = backend

    def get(self, backend: str, default: Any = None) -> Any:
        if backend not in self:
            self[backend] = getattr(self._backend(backend), "device_type", Device)
        return self[backend]


class _Function:
    """The proxy of one of the plugin's functions, with its docstring and origin."""

    def __init__(self, guest: Guest, number: int, row: Mapping[str, Any]) -> None:
        self._guest, self._number = guest, number
        page = row.get("page")
        self.__doc__ = page if isinstance(page, str) else None
        self.__module__ = str(row.get("module"))
        self._name = str(row["fields"]["name"] if "fields" in row else row["name"])

    def _records(self, value: Any, what: str, make: Callable[[Any], _Record]) -> Iterator[_Record]:
        """Yield the function's results as records, up to the end or its exception. Raises PluginError."""
        whose = f"plugin {self._guest.found.name}, {what}"
        try:
            for row in answers.taken(value["values"]):
                yield make(row)
        except Exception as error:  # its process may have forged the answer
            raise PluginError(f"{whose}: returned an unusable value: {type(error).__name__}: {error}") from None
        if "error" in value:
            raise PluginError(f"{whose}: {value['error']}")


class _Read(_Function):
    def __call__(self, text: str) -> Iterator[Reading]:
        what = f"reader {self._name}"
        seconds = CALL_SECONDS + len(text) * SECONDS_A_CHARACTER
        value = self._guest.call(what, seconds, "read", self._number, text)
        yield from self._records(value, what, lambda row: answers.reading_of(row, self._guest.types))


class _RunCheck(_Function):
    def __call__(self, facts: "Facts", specs: "Specs") -> "Iterator[Problem]":
        from accel.vendors.contract.check import DoesNotApply, NotKnown

        what = f"check {self._name}"

        def blob() -> bytes:
            return pickle.dumps((facts.snapshot, facts.inferred, tuple(facts.clear)))

        value = self._guest.call_with(what, "check", self._number, facts, blob)
        yield from self._records(value, what, answers.problem_of)
        if "wants" in value:
            raise NotKnown(str(value["wants"]))
        if "not_applicable" in value:
            raise DoesNotApply(str(value["not_applicable"]))


class _RunRule(_Function):
    def __call__(self, seen: "Seen", specs: "Specs") -> "Iterator[Fact]":
        what = f"rule {self._name}"

        def blob() -> bytes:
            return pickle.dumps((seen.snapshot, seen.observations, seen.facts()))

        value = self._guest.call_with(what, "rule", self._number, seen, blob)
        yield from self._records(value, what, answers.fact_of)


def _say(sentence: str) -> None:
    try:
        print(f"accel: {sentence}", file=sys.stderr)
    except (OSError, ValueError):
        pass
