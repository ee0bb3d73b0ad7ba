"""Runs in a guest process: imports the plugin, describes what it registers, and calls it.

Requests are pickles, because accel wrote them; answers are JSON, because third-party code may have. An answer is one of

    {"value": …}                    the result, as plain values
    {"error": "KeyError: 'row'"}    the plugin's code raised it; with what it had yielded before
    {"fault": "replaced json.dumps"}   it changed Python itself: nothing else from this process is used
"""

import pickle
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from json import dumps  # under this name nothing replaces it
from typing import TYPE_CHECKING, Any, Final

from accel.model.device import Device
from accel.model.to_builtins import plain
from accel.plugins.answers import make_devices_by
from accel.plugins.discovery import NAMED
from accel.plugins.guard import received, send

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.plugins.discovery import Installed
    from accel.specs import Specs
    from accel.vendors.contract.rule import Seen

_WATCHED: Final = ("builtins", "json", "os", "time", "select", "subprocess", "pickle", "signal", "re", "pluggy")
_OF_SYS: Final = ("stdout", "stderr", "exit", "excepthook", "displayhook", "argv")
_SPELLED: Final = {"str": str, "int": int, "float": float, "bool": bool}
_CHECK_FIELDS: Final = (
    *("code", "name", "layer", "severity", "family", "reads", "needs", "asks", "requires", "explained_by", "explains"),
    "last_resort",
)
_VENDOR_FIELDS: Final = (
    *("name", "maker", "kind", "package", "pci_ids", "no_boards", "nodes", "shared_nodes", "traces", "modules"),
    *("driver", "held_nodes", "memory_nodes", "daemons", "reset"),
)
_MEMBERS: Final = ("memory", "sample", "processes", "visible", "mask")


def serve(found: "Installed", ask: int, answer: int) -> None:
    """Answer requests until the command ends."""
    host = Host(found)
    make_devices_by(host.device)
    for name in _WATCHED:  # the plugin may be the first to load it
        import_module(name)
    before = _state_of_python()
    act, reply, wait, changed, load = host.act, _as_bytes, received, _changed, pickle.loads
    while True:
        request = load(wait(ask))
        told = act(*request)
        send(answer, reply({"fault": f"replaced {wrong}"} if (wrong := changed(before)) else told))


class Host:
    """The plugin in this process. Nothing of it is imported before something is requested."""

    def __init__(self, found: "Installed") -> None:
        self._found = found
        self._offered: dict[str, Any] = {}
        self._facts: Facts | None = None
        self._seen: Seen | None = None
        self._specs: Specs | None = None

    def act(self, kind: str, *given: Any) -> dict[str, Any]:
        """Return the result of a request as plain values."""
        try:
            return {"value": getattr(self, kind)(*given)}
        except (Exception, SystemExit) as error:
            return {"error": _sentence(error)}
        except BaseException as error:
            return {"fault": f"raised {_sentence(error)}"}

    @cached_property
    def hooks(self) -> Any:
        """The plugin's hooks; it is imported here."""
        import pluggy

        from accel.plugins.stated import hooks_of_installed, marked
        from accel.vendors.contract import hookspecs

        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        manager.register(marked(hooks_of_installed(self._found)), name=self._found.name)
        manager.check_pending()  # a hook that does not exist is most likely misspelt
        return manager.hook

    def loaded(self) -> list[str]:
        """Import the plugin; return the hooks that it implements."""
        from accel.vendors.contract import hookspecs

        return [name for name in vars(hookspecs) if name.startswith("accel_") and self._function(name) is not None]

    def offer(self, hook: str) -> Any:
        """Return a description of a hook's result."""
        given = self._given(hook)
        if hook in ("accel_specs", "accel_machines"):
            return given
        return _DESCRIBED[hook](given)

    def _given(self, hook: str) -> Any:
        if hook not in self._offered:
            function = self._function(hook)
            self._offered[hook] = _FITTED[hook](function() if function is not None else ())
        return self._offered[hook]

    def _function(self, hook: str) -> Callable[[], Any] | None:
        return next((one.function for one in getattr(self.hooks, hook).get_hookimpls()), None)

    def read(self, number: int, text: str) -> Any:
        """Return what a reader yields for a text, up to its end or exception."""
        from accel.plugins.validation import validate_reader

        named = self._found.distribution == NAMED
        reader = validate_reader(self._given("accel_readers")[number], self._found.name, may_speak_for_others=named)
        return _until_it_ends(reader.read(text))

    def check(self, number: int, facts: bytes | None, places: Mapping[str, Any]) -> Any:
        """Return the problems that a check yields, and how it ended."""
        from accel.facts.questions import Facts
        from accel.plugins.validation import validate_check
        from accel.vendors.contract.check import DoesNotApply, NotKnown, Problem

        if facts is not None:
            self._facts = Facts(*pickle.loads(facts))
        facts_here = self._facts
        assert facts_here is not None
        check, end = validate_check(self._given("accel_checks")[number]), {}

        def problems() -> Iterable[Any]:
            try:
                for problem in check.run(facts_here, self._records(places)):
                    if not isinstance(problem, Problem):
                        raise TypeError(f"it gave {problem!r:.60}, no Problem")
                    yield problem
            except NotKnown as missing:
                end["wants"] = str(missing.fact)
            except DoesNotApply as reason:
                end["not_applicable"] = str(reason)

        return {**_until_it_ends(problems()), **end}

    def rule(self, number: int, seen: bytes | None, places: Mapping[str, Any]) -> Any:
        """Return the facts that a rule infers."""
        from accel.plugins.validation import validate_rule
        from accel.vendors.contract.rule import Seen

        if seen is not None:
            self._seen = Seen(*pickle.loads(seen))
        assert self._seen is not None
        rule = validate_rule(self._given("accel_rules")[number])
        return _until_it_ends(rule.run(self._seen, self._records(places)))

    def visible(self, rows: Sequence[Mapping[str, Any]], variables: Mapping[str, str]) -> Any:
        """Return the devices with visibility set by the plugin."""
        return [plain(one) for one in self.backend.visible(self._devices(rows), variables)]

    def mask(
        self, chosen: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]], variables: Mapping[str, str]
    ) -> Any:
        return plain(self.backend.mask(self._devices(chosen), self._devices(rows), variables))

    def labels(self, number: int, row: Mapping[str, Any], host: str) -> Any:
        return plain(dict(self.backend.metric_names[number].labels(self._devices([row])[0], host)))

    @property
    def backend(self) -> Any:
        return self._given("accel_backend")

    def _devices(self, rows: Iterable[Mapping[str, Any]]) -> list[Device]:
        return [self.device(row) for row in rows]

    def device(self, row: Mapping[str, Any]) -> Device:
        """Return a device as the plugin's own record, or as a plain Device if it belongs to another backend."""
        from accel.model.codec import device_of_row

        own = self._function("accel_backend") is not None and row.get("backend") == self.backend.name
        return device_of_row(row, {self.backend.name: getattr(self.backend, "device_type", Device)} if own else {})

    def _records(self, places: Mapping[str, Any]) -> "Specs":
        if self._specs is None:
            from accel.specs import load

            self._specs = load(**places)
        return self._specs


def _until_it_ends(given: Iterable[Any]) -> dict[str, Any]:
    """Collect what is yielded until the end or an exception, keeping everything up to that point."""
    values: list[Any] = []
    try:
        for one in given:
            values.append(plain(one))
    except (Exception, SystemExit) as error:
        return {"values": values, "error": _sentence(error)}
    return {"values": values}


def _readers(readers: Iterable[Any]) -> Any:
    return [{"name": str(one.name), "signs": [str(sign) for sign in one.signs], **_page(one.read)} for one in readers]


def _checks(checks: Iterable[Any]) -> Any:
    return [{"fields": {name: plain(getattr(one, name)) for name in _CHECK_FIELDS}, **_page(one.run)} for one in checks]


def _rules(rules: Iterable[Any]) -> Any:
    return [
        {"name": str(one.name), "gives": plain(dict(one.gives)), "triggers": plain(one.triggers), **_page(one.run)}
        for one in rules
    ]


def _page(function: Any) -> dict[str, Any]:
    page = getattr(function, "__doc__", None)
    return {"page": page if isinstance(page, str) else None, "module": str(getattr(function, "__module__", ""))}


def _backend(backend: Any) -> Any:
    """Return what accel needs to know about a backend without calling it."""
    from accel.vendors.contract.vendor import Vendor

    stated = getattr(backend, "stated", None)
    return {
        "name": str(backend.name),
        "vendor": str(backend.vendor),
        "members": [name for name in _MEMBERS if hasattr(backend, name)],
        "device": _record(getattr(backend, "device_type", Device)),
        "columns": {str(name): str(field) for name, field in getattr(backend, "columns", {}).items()},
        "metric_names": [
            {"exporter": plain(one.exporter), "names": plain(one.names)} for one in getattr(backend, "metric_names", ())
        ],
        "stated": {name: plain(getattr(stated, name)) for name in _VENDOR_FIELDS}
        if isinstance(stated, Vendor)
        else None,
    }


def _record(kind: Any) -> Any:
    """Return the fields of a plugin's device record that a plain Device does not have."""
    from dataclasses import MISSING, fields
    from typing import get_type_hints

    if not (isinstance(kind, type) and issubclass(kind, Device)):
        raise TypeError(f"its device_type is {kind!r:.60} instead of Device or a subclass of it")
    common, own = {field.name for field in fields(Device)}, []
    try:
        hints = get_type_hints(kind)
    except Exception:  # a name that is imported for type checkers only
        hints = {}
    for field in fields(kind):
        if field.name not in common:
            given = field.default_factory() if field.default_factory is not MISSING else field.default
            default = [] if given is MISSING else [plain(given)]
            own.append([field.name, _spelled(hints.get(field.name)), default])
    return {
        "name": kind.__name__,
        "fields": own,
        "identifying": plain(kind.identifying),
        "readings_from": plain(kind.readings_from),
    }


def _spelled(hint: Any) -> Any:
    """Return a type as plain values: "int", ["union", …], ["tuple", "str"]; "any" for anything else."""
    from typing import get_args, get_origin

    if hint is type(None):
        return "none"
    name = getattr(hint, "__name__", "")
    if _SPELLED.get(name) is hint and hint is not None:
        return name
    arguments = get_args(hint)
    if get_origin(hint) is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return ["tuple", _spelled(arguments[0])]
    if (arguments and type(None) in arguments) or str(get_origin(hint)).endswith(("Union'>", "Union")):
        return ["union", *map(_spelled, arguments)]
    return "any"


def _fitted(name: str) -> Callable[[Any], Any]:
    def fit(given: Any) -> Any:
        from accel.plugins import fitting

        return getattr(fitting, name)(given)

    return fit


_FITTED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "accel_backend": _fitted("fit_backend"),
    "accel_readers": _fitted("fit_readers"),
    "accel_checks": _fitted("fit_checks"),
    "accel_rules": _fitted("fit_rules"),
    "accel_specs": str,
    "accel_machines": str,
}
_DESCRIBED: Final[Mapping[str, Callable[[Any], Any]]] = {
    "accel_backend": _backend,
    "accel_readers": _readers,
    "accel_checks": _checks,
    "accel_rules": _rules,
}


def _as_bytes(told: dict[str, Any]) -> bytes:
    try:
        return dumps(told, ensure_ascii=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return dumps({"error": f"what it gave cannot be sent: {_sentence(error)}"}).encode()


def _sentence(error: BaseException) -> str:
    from accel.model.errors import in_words

    return " ".join(in_words(error).split())[:400]


def _state_of_python() -> Mapping[str, Any]:
    """Return the functions and classes of accel's modules and of some standard modules, by name."""
    found: dict[str, Any] = {f"sys.{name}": getattr(sys, name, None) for name in _OF_SYS}
    for name, module in list(sys.modules.items()):
        found[f"sys.modules[{name!r}]"] = module
        if name in _WATCHED or name.startswith("accel.") or name == "accel":
            for key, value in list(vars(module).items()):
                if not callable(value):
                    continue
                found[f"{name}.{key}"] = value
                if isinstance(value, type) and value.__module__ == name:
                    found.update((f"{name}.{key}.{member}", one) for member, one in vars(value).items())
    found |= {f"sys.path[{place!r}]": True for place in sys.path}
    return found


def _changed(before: Mapping[str, Any]) -> str:
    """Return what has been replaced, at most three names; additions do not count."""
    after = _state_of_python()
    return ", ".join([name for name, value in before.items() if after.get(name) is not value][:3])
