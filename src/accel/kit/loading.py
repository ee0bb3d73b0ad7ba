"""Imports the plugin and calls its hooks, in the kit's child, under the watch."""

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pluggy

from accel.kit.caller import Step, sentence
from accel.kit.evidence import Loading, SeenCheck, SeenReader
from accel.kit.subject import Subject
from accel.kit.watch import Watch
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.plugins.stated import hooks_of, marked
from accel.plugins.yaml_plugin import data_plugin
from accel.vendors.contract import hookspecs

if TYPE_CHECKING:
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Backend, Reader
    from accel.vendors.contract.check import Check

_METHODS: Final = ("detect", "probe", "memory", "sample", "processes", "visible")
_SECONDS: Final = 5.0
_SECONDS_OF_OTHERS: Final = 20.0  # time spent in other plugins


@dataclass(slots=True)
class Loaded:
    """The plugin's objects. backend: None if it has none, or none that can be called."""

    seen: Loading
    backend: "Backend | None" = None
    readers: "tuple[Reader, ...]" = ()
    checks: "tuple[Check, ...]" = ()
    registry: "Registry | None" = None


def load(subject: Subject, watch: Watch, step: Step) -> Loaded:
    """Import the plugin's module, call its hooks, and record what each returned."""
    import time

    step("import", f"import {subject.module}", "", "", _SECONDS)
    watch.roots = () if subject.data else _roots(subject.module)
    start, worked = time.perf_counter(), time.process_time()
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    with watch.watching() as effects:
        try:
            module = data_plugin(subject.module) if subject.data else hooks_of(importlib.import_module(subject.module))
        except (Exception, SystemExit) as error:
            where = watch.line_of(error.__traceback__)
            return Loaded(Loading(error=sentence(error), where=where, effects=tuple(effects)))
    try:
        manager.register(marked(module), name=subject.name)
        manager.check_pending()
    except Exception as error:  # pluggy's errors for hooks that do not exist or take unknown arguments
        return Loaded(Loading(error=sentence(error), effects=tuple(effects)))
    wrong: list[tuple[str, str]] = []
    given: dict[str, Any] = {}
    hooks = sorted(caller.name for caller in manager.get_hookcallers(module) or ())
    for hook in hooks:
        step("hook", f"the hook {hook}", "", "", _SECONDS)
        with watch.watching() as more:
            try:
                given[hook] = getattr(manager.hook, hook).get_hookimpls()[0].function()
            except (Exception, SystemExit) as error:
                wrong.append((hook, f"raises {sentence(error)}"))
        effects += more
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    backend, name, vendor, members = _backend(given, wrong)
    readers = _objects(given, "accel_readers", ("name", "signs", "read"), wrong)
    checks = _objects(given, "accel_checks", ("code", "name", "layer", "run"), wrong)
    folders = {hook: _folder(given, hook, wrong) for hook in ("accel_specs", "accel_machines")}
    step("others", "loading the other plugins", "", "", _SECONDS_OF_OTHERS)
    registry = _everybody(subject)
    taken = _taken(subject)
    specs = folders["accel_specs"]
    return Loaded(
        Loading(
            seconds=seconds,
            processor_seconds=worked,
            effects=tuple(effects),
            hooks=tuple(hooks),
            wrong=tuple(wrong),
            backend=name,
            vendor=vendor,
            members=tuple(members),
            documented=bool(backend is not None and _documented(type(backend))),
            readers=tuple(_seen_reader(reader) for reader in readers),
            checks=tuple(_seen_check(check, taken) for check in checks),
            specs=specs,
            specs_problems=tuple(_specs_problems(specs)) if specs else (),
            machines=folders["accel_machines"],
        ),
        backend=backend,
        readers=readers,
        checks=tuple(c for c in checks if callable(c.run)),
        registry=registry,
    )


def _roots(module: str) -> tuple[str, ...]:
    """Return the plugin's package folder, or its single file."""
    try:
        spec = importlib.util.find_spec(module)
    except Exception:  # the parent package's import may raise anything; the import itself then says so
        return ()
    if spec is None:
        return ()
    folders = [os.path.join(folder, "") for folder in spec.submodule_search_locations or ()]
    return tuple(folders) or ((spec.origin,) if spec.origin else ())


def _backend(
    given: Mapping[str, Any], wrong: list[tuple[str, str]]
) -> tuple[Any, str | None, str | None, list[tuple[str, str]]]:
    if "accel_backend" not in given:
        return None, None, None, []
    backend = given["accel_backend"]
    members = []
    for member in ("name", "vendor"):
        value = getattr(backend, member, None)
        if not isinstance(value, str) or not value:
            members.append((member, f"is {value!r:.40}, where a text is wanted"))
    for member in _METHODS:
        if not callable(getattr(backend, member, None)):
            members.append((member, "is missing" if not hasattr(backend, member) else "cannot be called"))
    try:
        kind = backend.device_type
        if not (isinstance(kind, type) and issubclass(kind, Device)):
            members.append(("device_type", f"is {kind!r:.60}, where Device or a subclass of it is wanted"))
    except Exception as error:  # a property of a plugin may raise anything
        members.append(("device_type", f"raises {sentence(error)}"))
    missing = {member for member, _ in members}
    if missing & {"name", "detect", "probe"}:
        wrong.append(("accel_backend", f"gave {backend!r:.60}, which lacks {', '.join(sorted(missing))}"))
        return None, None, None, members
    return backend, backend.name, str(getattr(backend, "vendor", None)), members


def _objects(given: Mapping[str, Any], hook: str, members: Sequence[str], wrong: list[tuple[str, str]]) -> Any:
    if hook not in given:
        return ()
    try:
        objects = tuple(given[hook])
    except Exception as error:  # a hook may return anything
        wrong.append((hook, f"gave {given[hook]!r:.60}, which cannot be gone through: {sentence(error)}"))
        return ()
    fit = []
    for item in objects:
        missing = [member for member in members if not hasattr(item, member)]
        if missing:
            wrong.append((hook, f"gave {item!r:.60}, which has no {', '.join(missing)}"))
        else:
            fit.append(item)
    return tuple(fit)


def _folder(given: Mapping[str, Any], hook: str, wrong: list[tuple[str, str]]) -> str | None:
    if hook not in given:
        return None
    folder = given[hook]
    if not isinstance(folder, str | os.PathLike) or not os.path.isabs(folder) or not os.path.isdir(folder):
        wrong.append((hook, f"gave {str(folder)!r:.80}, which is no folder given by its absolute path"))
        return None
    return str(folder)


def _everybody(subject: Subject) -> "Registry":
    from accel.plugins.registry import Registry

    return Registry(os.environ, guarded=True, trusted={subject.name})  # the kit kills this process if it hangs


def _taken(subject: Subject) -> Mapping[str, str]:
    """Return the owner of each check's code and name, excluding this plugin's own."""
    from accel.checks import core_checks
    from accel.plugins.registry import Registry

    core = {key for check in core_checks() for key in (check.code, check.name)}
    disabled = ",".join(filter(None, (os.environ.get("ACCEL_DISABLE"), subject.name)))
    others = Registry({**os.environ, "ACCEL_DISABLE": disabled}, guarded=True).checks
    return {
        key: "accel itself" if key in core else str(getattr(check.run, "__module__", "another plugin")).split(".")[0]
        for check in others
        for key in (check.code, check.name)
    }


def _seen_check(check: Any, taken: Mapping[str, str]) -> SeenCheck:
    code, name = str(check.code), str(check.name)
    return SeenCheck(
        code=code,
        name=name,
        layer=str(check.layer),
        page=inspect.cleandoc(getattr(check.run, "__doc__", None) or ""),
        taken_by=taken.get(code) or taken.get(name),
        explains=tuple(map(str, check.explains)),
    )


def _seen_reader(reader: Any) -> SeenReader:
    signs = tuple(str(sign) for sign in reader.signs) if isinstance(reader.signs, tuple | list) else ()
    return SeenReader(name=str(reader.name), signs=signs, documented=_documented(reader.read))


def _documented(item: Any) -> bool:
    function = getattr(item, "func", item)  # unwrap a functools.partial
    module = sys.modules.get(getattr(function, "__module__", ""))
    return bool(getattr(function, "__doc__", None) or getattr(module, "__doc__", None))


def _specs_problems(folder: str) -> Sequence[str]:
    from accel.specs.validate import problems

    try:
        return problems(folder)
    except Exception as error:  # the folder is not a folder of records
        return [sentence(error)]
