"""The plugins of this installation: found, loaded when needed, and asked for what they register.

To list devices, only plugins whose signs are on the machine are loaded; for everything else, all of them. A plugin that
fails is reported in `Registry.plugins` and affects nothing else. accel's own come first: names and the letters of check
codes belong to them, and then to the first distribution that uses them (accel.plugins.reserved).

ACCEL_PLUGINS="module,folder,…"  adds modules, and folders of YAML, that no distribution registers
ACCEL_DISABLE="name,…"           leaves plugins out
ACCEL_SPECS="folder"             adds the user's own spec records
"""

import os
import sys
import time
from _thread import RLock
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from accel.model.dataclass import replace
from accel.model.errors import in_words
from accel.plugins.discovery import CORE, NAMED, OWN, Installed, installed, named_extra, words
from accel.plugins.fitting import Offer, Plugin, fit_backend, fit_checks, fit_readers, fit_rules, validated

if TYPE_CHECKING:
    import pluggy

    from accel.machine.protocol import Machine
    from accel.plugins.catalogue import Catalogue
    from accel.plugins.guest import Guest
    from accel.plugins.reserved import Reserved
    from accel.specs import Specs
    from accel.vendors.contract.backend import Backend, Reader, Readers
    from accel.vendors.contract.check import Check
    from accel.vendors.contract.rule import Rule

_Value = TypeVar("_Value")
_Offered = TypeVar("_Offered")


class Registry:
    """What the installed plugins register. Each kind of object is loaded when it is first needed.

    guarded  run the code of third-party plugins in separate processes (accel.plugins.guest), for a process that belongs
             to accel
    trusted  names of plugins that are imported all the same: this process exists for them, and may end with them
    whole    import accel's own plugins, too, even if the build has recorded what they register
             (accel.plugins.catalogue)
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        paths: Sequence[str] | None = None,
        *,
        guarded: bool = False,
        trusted: Collection[str] = (),
        whole: bool = False,
    ) -> None:
        self._guarded = guarded
        self._trusted = frozenset(trusted)
        self._whole = whole
        self._users_specs = environment.get("ACCEL_SPECS", "")
        self._disabled = frozenset(words(environment.get("ACCEL_DISABLE", "")))
        found = (*installed(sys.path if paths is None else paths), *named_extra(environment))
        by_name = {plugin.name: plugin for plugin in found}  # of one name, what the user names wins
        self._found = dict(sorted(by_name.items(), key=lambda item: item[1].distribution != OWN))  # own ones first
        self._plugins: dict[str, Plugin] = {}
        self._backends: dict[str, Backend | None] = {}
        self._turn = RLock()
        self._own: dict[str, object] = {}  # the hooks of plugins in the catalogue, which the build has tried
        self._guests: dict[str, Guest] = {}  # that run in processes of their own

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """All plugins found, sorted by name, with their current status."""
        self._load(self._found)
        return self.looked_at

    @property
    def looked_at(self) -> tuple[Plugin, ...]:
        """The plugins that were needed so far."""
        return tuple(self._plugins[name] for name in sorted(self._plugins))

    @property
    def backends(self) -> "tuple[Backend, ...]":
        """The backends, sorted by the names of their plugins."""
        return self._backends_of(tuple(self._found))

    def backends_on(self, machine: "Machine") -> "tuple[Backend, ...]":
        """Return the backends of the plugins that the machine may need. Loads no other plugin."""
        from accel.plugins.needed import needed

        usable = (plugin for name, plugin in self._found.items() if name not in self._disabled)
        return self._backends_of([plugin.name for plugin in needed(usable, machine)])

    @property
    def signs(self) -> tuple[str, ...]:
        """What the plugins declare as signs of their hardware."""
        return tuple(sign for plugin in self._found.values() for sign in plugin.signs)

    @property
    def guests(self) -> frozenset[str]:
        """The names of loaded backends that come from other distributions."""
        given = ((backend, self._plugins[name]) for name, backend in self._backends.items() if backend is not None)
        return frozenset(backend.name for backend, plugin in given if plugin.distribution != OWN)

    @property
    def apart(self) -> Collection[str]:
        """The names of loaded plugins whose code runs in separate processes."""
        return self._guests.keys()

    @property
    def backend_names(self) -> Mapping[str, str]:
        """The name of each plugin's backend, by the name of the plugin; plugins without one are left out."""
        known = {n: name for n in self._found if (c := self._known(n)) and (name := c.backend_name(n)) is not None}
        others = tuple(n for n in self._found if self._known(n) is None)
        self._backends_of(others)
        asked = {n: backend.name for n in others if (backend := self._backends[n]) is not None}
        return {n: {**known, **asked}[n] for n in self._found if n in known or n in asked}

    def _backends_of(self, names: Sequence[str]) -> "tuple[Backend, ...]":
        if any(name not in self._backends for name in names):
            with self._turn:  # a thread that comes second waits for what the first one loads
                new = {name for name in names if name not in self._backends}
                for name, given in self._ask("accel_backend", fit_backend, new):
                    if self._is_guest(name) and self._is_taken(name, given.name):
                        self._note(name, f"accel_backend: it calls itself {given.name!r}, as another plugin does")
                    else:
                        self._backends[name] = given
                self._backends |= dict.fromkeys(new - self._backends.keys())
        return tuple(backend for name in names if (backend := self._backends[name]) is not None)

    @cached_property
    def readers(self) -> "tuple[Reader, ...]":
        """The plugins' readers; those that belong to no vendor are in accel.facts.readers."""
        offered = self._offered("accel_readers", fit_readers, lambda told, name: tuple(told.readers(name)))
        return tuple(reader for name, group in offered for reader in self._unreserved(name, "reader", group))

    @cached_property
    def all_readers(self) -> "Readers":
        """All readers: those of no vendor, and the plugins'."""
        from accel.vendors.contract.backend import Readers

        if self._catalogue is not None:
            return Readers((*self._catalogue.readers(CORE), *self.readers))
        from accel.facts.readers import core_readers

        return Readers((*core_readers(), *self.readers))

    @cached_property
    def checks(self) -> "tuple[Check, ...]":
        """All checks, of the core and the plugins, premises first."""
        from accel.diagnose.outcome import InOrder, in_order

        told = self._catalogue
        if told is not None:
            core = tuple(told.checks(CORE))
        else:
            from accel.checks import core_checks

            core = core_checks()
        checks = {check.code: check for check in core}
        for name, group in self._offered("accel_checks", fit_checks, lambda told, name: tuple(told.checks(name))):
            for check in self._unreserved(name, "check", group):
                checks[check.code] = check
        codes = [code for code in (told.order if told is not None else ()) if code in checks]  # the build sorted them
        ordered = [checks[code] for code in (*codes, *sorted(checks.keys() - set(codes)))]
        return InOrder(ordered) if len(codes) == len(ordered) else in_order(ordered)

    @cached_property
    def rules(self) -> "tuple[Rule, ...]":
        """All inference rules, of the core and the plugins."""
        told = self._catalogue
        if told is not None:
            core = tuple(told.rules(CORE))
        else:
            from accel.facts.rules import core_rules

            core = core_rules()
        groups = self._offered("accel_rules", fit_rules, lambda told, name: tuple(told.rules(name)))
        return (*core, *(rule for name, group in groups for rule in self._unreserved(name, "rule", group)))

    @cached_property
    def specs(self) -> "Specs":
        """The spec database, with the plugins' own records and the user's."""
        from accel.specs import load

        return load(**self._spec_places)

    @cached_property
    def _spec_places(self) -> dict[str, Any]:
        """The arguments for accel.specs.load."""
        asked = tuple(self._ask("accel_specs", str, self._with_hook("accel_specs")))
        strangers = [path for name, path in asked if self._found[name].distribution not in (OWN, NAMED)]
        given = {"extra": [path for _, path in asked], "strangers": strangers}
        return {**given, "environment": {"ACCEL_SPECS": self._users_specs}}

    def backend_of(self, plugin: str) -> "Backend | None":
        """Return the backend of a plugin, by the plugin's name; None if it has none."""
        return next(iter(self._backends_of((plugin,))), None)

    def checks_of(self, plugin: str) -> "tuple[Check, ...]":
        """Return the checks of a plugin, by its name."""
        return tuple(check for _, group in self._ask("accel_checks", fit_checks, {plugin}) for check in group)

    def offers(self) -> "Mapping[str, Offer]":
        """Return what each plugin registers, with everything imported."""
        from accel.vendors.contract import hookspecs

        readers, checks = dict(self._ask("accel_readers", fit_readers)), dict(self._ask("accel_checks", fit_checks))
        rules = dict(self._ask("accel_rules", fit_rules))
        hooks = [name for name in vars(hookspecs) if name.startswith("accel_")]
        having = {hook: self._implementations(hook) for hook in hooks}
        return {
            name: Offer(
                module=found.module,
                hooks=tuple(hook for hook in hooks if name in having[hook]),
                readers=readers.get(name, ()),
                checks=checks.get(name, ()),
                rules=rules.get(name, ()),
            )
            for name, found in self._found.items()
        }

    @property
    def spec_problems(self) -> tuple[str, ...]:
        """Problems of the spec files that were needed so far, as sentences."""
        return self.specs.problems if "specs" in self.__dict__ else ()

    @cached_property
    def machines(self) -> Mapping[str, str]:
        """The folder of recorded machines that each plugin ships, by the plugin's name."""
        return dict(self._ask("accel_machines", str))

    def backend(self, name: str) -> "Backend | None":
        """Return the backend with this name; None if there is none."""
        in_use = next((b for b in self._backends.values() if b is not None and b.name == name), None)
        if in_use is None:
            plugin = next((plugin for plugin, backend in self.backend_names.items() if backend == name), None)
            in_use = self.backend_of(plugin) if plugin is not None else None
        return in_use

    @cached_property
    def _catalogue(self) -> "Catalogue | None":
        from accel.plugins.catalogue import catalogue

        return None if self._whole else catalogue()

    def _known(self, name: str) -> "Catalogue | None":
        """Return the catalogue if it contains this plugin and the plugin may be used."""
        found, told = self._found[name], self._catalogue
        usable = found.distribution == OWN and name not in self._disabled and not found.clash
        return told if told is not None and usable and told.knows(name, found.module) else None

    def _with_hook(self, hook: str) -> tuple[str, ...]:
        """Return the names of the plugins that implement a hook, or may."""
        return tuple(name for name in self._found if (told := self._known(name)) is None or told.has_hook(name, hook))

    def _offered(
        self, hook: str, fitting: Callable[[Any], _Value], told: "Callable[[Catalogue, str], _Value]"
    ) -> Iterator[tuple[str, _Value]]:
        """Yield what each plugin registers, from the catalogue if it is in there, otherwise from its hook."""
        asked = dict(self._ask(hook, fitting, [name for name in self._found if self._known(name) is None]))
        for name in self._found:
            known = self._known(name)
            if known is not None:
                yield name, told(known, name)
            elif name in asked:
                yield name, asked[name]

    @cached_property
    def _manager(self) -> "pluggy.PluginManager":
        """pluggy's manager, with the plugins outside the catalogue, which most commands do not need."""
        import pluggy

        from accel.vendors.contract import hookspecs

        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        return manager

    def _implementations(self, hook: str) -> Mapping[str, Callable[[], Any]]:
        """Return the implementations of a hook in the loaded plugins, by the plugin's name."""
        own = {name: function for name, hooks in self._own.items() if (function := getattr(hooks, hook, None))}
        own |= {name: partial(guest.offer, hook) for name, guest in self._guests.items() if hook in guest.hooks}
        if "_manager" not in self.__dict__:
            return own
        return own | {one.plugin_name: one.function for one in getattr(self._manager.hook, hook).get_hookimpls()}

    def _load(self, names: Collection[str]) -> None:
        if all(name in self._plugins for name in names):
            return
        with self._turn:
            for name, found in self._found.items():
                if name in names and name not in self._plugins:
                    self._plugins[name] = self._loaded(found, name in self._disabled)

    def _loaded(self, found: Installed, disabled: bool) -> Plugin:
        plugin = Plugin(
            name=found.name,
            module=found.module,
            distribution=found.distribution,
            version=found.version,
            api=found.api,
            status="loaded",
        )
        if disabled:
            return replace(plugin, status="disabled", reason="named in ACCEL_DISABLE")
        if found.clash:
            return replace(plugin, status="clash", reason=found.clash)
        from accel.plugins.stated import hooks_of_installed, marked

        start = time.perf_counter()
        try:
            if self._is_apart(found):
                self._guest(found).load()
                return replace(plugin, seconds=time.perf_counter() - start)
            # A command's stdout holds only the answer, whatever a plugin prints. In a library's process others print
            # meanwhile, and two threads that put stdout aside at once would leave it so.
            with redirect_stdout(sys.stderr) if self._guarded else nullcontext():
                if self._known(found.name) is not None:
                    self._own[found.name] = hooks_of_installed(found)
                    return replace(plugin, seconds=time.perf_counter() - start)
                self._manager.register(marked(hooks_of_installed(found)), name=found.name)
            self._check_hooks(found.name)
        except (Exception, SystemExit) as error:  # a plugin's import may raise anything
            return replace(plugin, status="failed", reason=in_words(error), seconds=time.perf_counter() - start)
        return replace(plugin, seconds=time.perf_counter() - start)

    def _is_apart(self, found: Installed) -> bool:
        """Return whether a plugin's code runs in a separate process. A folder of YAML has no code."""
        if found.data or found.distribution == OWN or found.name in self._trusted:
            return False
        return self._guarded and hasattr(os, "fork")

    def _guest(self, found: Installed) -> "Guest":
        from accel.plugins.guest import Guest

        new = Guest(found, lambda: self._spec_places, self.backend)
        return self._guests.setdefault(found.name, new)

    def _check_hooks(self, name: str) -> None:
        """Reject hooks that do not exist: their names are most likely misspelt."""
        import pluggy

        try:
            self._manager.check_pending()
        except pluggy.PluginValidationError:
            self._manager.unregister(name=name)
            raise

    def _ask(
        self, hook: str, fitting: Callable[[Any], _Value], of: Collection[str] | None = None
    ) -> Iterator[tuple[str, _Value]]:
        """Yield what the hook of each plugin named in `of` (None: all) returns, converted and checked by `fitting`."""
        names = self._found if of is None else of
        self._load(names)
        functions = self._implementations(hook)
        for name in self._found:
            if name not in names or name not in functions:
                continue
            start = time.perf_counter()
            try:
                yield name, fitting(functions[name]())
            except (Exception, SystemExit) as error:  # a plugin's code may raise anything
                self._note(name, f"{hook}: {in_words(error)}")
            finally:
                plugin = self._plugins[name]
                spent = plugin.seconds + time.perf_counter() - start
                self._plugins[plugin.name] = replace(plugin, seconds=spent)

    def _is_guest(self, name: str) -> bool:
        return self._found[name].distribution != OWN

    def _is_taken(self, plugin: str, backend: str) -> bool:
        """Return whether a backend's name belongs to another plugin or to another plugin's backend."""
        others = {one.name for name, one in self._backends.items() if one is not None and name != plugin}
        return backend in others or (backend != plugin and backend in self._found)

    def _unreserved(self, name: str, kind: str, group: "Sequence[_Offered]") -> "Iterator[_Offered]":
        """Yield what may be used of what a plugin registers: without names and codes that belong to others."""
        if self._is_guest(name):
            for one in self._reserved.unreserved(self._found[name], kind, group, partial(self._note, name)):
                yield validated(kind, one, name, named=self._found[name].distribution == NAMED)
            return
        if self._catalogue is None and any(map(self._is_guest, self._found)):
            self._reserved.take(name, kind, group)
        yield from group

    @cached_property
    def _reserved(self) -> "Reserved":
        from accel.plugins.reserved import Reserved

        return Reserved(self._catalogue)

    def _note(self, name: str, reason: str) -> None:
        self._plugins[name] = replace(self._plugins[name], status="failed", reason=reason)
