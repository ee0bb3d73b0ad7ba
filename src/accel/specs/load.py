"""The spec database: products, toolkits, frameworks, errors and sentences, read on first use."""

import os
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from accel.specs.store import Folder, bundled, joined, user_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from accel.model.chip import Chip
    from accel.names.index import Index
    from accel.names.machines import Machine
    from accel.names.meaning import Named
    from accel.names.products import ProductNames
    from accel.specs.architectures import Architecture
    from accel.specs.companions import Companion
    from accel.specs.components import Components
    from accel.specs.errors import Errors
    from accel.specs.frameworks import Build, Release
    from accel.specs.hints import Hints
    from accel.specs.toolkits import Toolkit
    from accel.text.layouts.layout import ReaderRule
    from accel.text.layouts.tool import ToolRule
    from accel.text.phrase_book import PhraseBook
    from accel.text.translated import Translations

    Paths = Iterable[str]

_Made = TypeVar("_Made")


def load(extra: "Paths" = (), environment: "Mapping[str, str] | None" = None, strangers: "Paths" = ()) -> "Specs":
    """Return the database. A broken file disables only itself; `Specs.problems` and a Python warning say why.

    extra        folders laid out like specs/
    strangers    those of `extra` whose tables are ignored if accel has a table of the same name
    environment  variables in which ACCEL_SPECS names the user's folder; its tables take precedence over those of the
                 same name. None: the variables of this process; the result is cached by the folder's name. A caller
                 that passes an environment reports problems itself: no warning is given then.
    """
    users = (os.environ if environment is None else environment).get("ACCEL_SPECS", "")
    paths = tuple(os.fspath(path) for path in extra)
    if environment is None and not paths:
        return _of_process(users)
    return _opened((*paths, users) if users else paths, environment is None, frozenset(strangers))


@cache
def _of_process(users: str) -> "Specs":
    return _opened((users,) if users else (), warn=True)


def _opened(paths: tuple[str, ...], warn: bool, strangers: frozenset[str] = frozenset()) -> "Specs":
    if not paths:
        return _bundled()
    specs = Specs((bundled(), *(user_folder(path, path in strangers) for path in paths)), checked=False)
    if warn:
        from accel.specs.overlay import warn_of_problems

        warn_of_problems(specs.problems, specs.contradictions)
    return specs


@cache
def _bundled() -> "Specs":
    return Specs((bundled(),))


class Specs:
    """The contents of specs/. Nothing is parsed before first use; unknown is None, never a guess."""

    def __init__(self, folders: tuple[Folder, ...], checked: bool = True) -> None:
        self._folders = folders
        self._cached: dict[Any, Any] = {}
        self.contradictions: tuple[str, ...] = ()  # where further folders differ from accel's, which takes precedence
        if not checked:
            from accel.specs.overlay import lay_over

            self.contradictions = lay_over(folders)

    @property
    def problems(self) -> tuple[str, ...]:
        """Return sentences about files that were requested but could not be used."""
        return tuple(sentence for folder in self._folders for sentence in folder.problems)

    def table(self, name: str) -> Any:
        """Return the data of one table ("ascend/versions"), from the last folder that has it; None if none has."""
        found = [table for folder in self._folders if (table := folder.table(name)) is not None]
        return found[-1] if found else None

    def table_at(self, place: str) -> Any:
        """Return the table of an index entry: "nvidia/chips/ada", or "1:nvidia/chips/ada" in the first extra folder."""
        number, _, name = place.rpartition(":")
        table = self._folders[int(number or 0)].table(name)
        if table is not None and "outlines" in table and "chips" not in table:
            from accel.specs.outlines import outline_records

            table["chips"] = list(outline_records(table))
        return table

    def tables(self, start: str, part: str = "", depth: int | None = None) -> "Iterator[tuple[str, Any]]":
        """Yield (name, data) of every table whose name starts with `start`, contains `part` and has `depth` slashes."""
        for folder in self._folders:
            for name in folder.names:
                if name.startswith(start) and part in name and depth in (None, name.count("/")):
                    table = folder.table(name)
                    if table is not None:
                        yield name, table

    def chip(self, name: str | None = None, vendor: str | None = None, pci_id: str | None = None) -> "Chip | None":
        """Return the single chip that a name or PCI ID ("10de:2330") refers to; None if there are none or several."""
        from accel.model.chip import make_chip
        from accel.names.index import chip_entry, find, vocabulary_of
        from accel.names.tokens import other_memory

        index = self._index()
        entry = chip_entry(index, find(index, name, self.folder_of(vendor)) if name else [], pci_id)
        table = self.table_at(entry[3]) if entry else None
        if entry is None or table is None:
            return None
        chip = make_chip(table["chips"][entry[4]], table)
        return None if name and other_memory(chip, name, vocabulary_of(index)) else chip

    def find(self, name: str, vendor: str | None = None) -> "tuple[Chip, ...]":
        """Return every chip that the name can mean ("H100", "昇腾910B"), fastest first; () if there is none."""
        from accel.names.search import candidates

        one = self.chip(name, vendor)
        return (one,) if one is not None else candidates(self, self._index(), name, self.folder_of(vendor))

    def named(self, text: str) -> "Named":
        """Return what a typed or pasted name refers to: chips, a machine with chips, or a part of a chip."""
        from accel.names.meaning import plainly_named

        plain = plainly_named(text, self.chip)
        if plain is not None:
            return plain
        from accel.names.direct import directly_named, exactly_named

        exact = exactly_named(self, self._index(), text)
        if exact is not None:
            return exact
        direct = directly_named(self, self._index(), text, self.find)
        if direct is not None:
            return direct
        from accel.names.named import named

        return named(self, self._index(), text, self.find)

    def machine(self, text: str) -> "Machine | None":
        """Return the machine with this name ("p5.48xlarge"); None if unknown. Chip names are not considered."""
        from accel.names.named_machines import machine_named

        return machine_named(self, self._index(), text)

    def near(self, name: str, most: int = 6) -> tuple[str, ...]:
        """Return suggestions for a name that matches no chip, most likely first."""
        from accel.names.search import suggestions

        return suggestions(self, self._index(), name, most)

    def chips(self, vendor: str | None = None) -> "tuple[Chip, ...]":
        """Return every chip, or those of one vendor, in file order."""
        from accel.model.chip import chips_of

        return chips_of(self.tables("", "/chips/"), self.folder_of(vendor))

    @property
    def vendors(self) -> tuple[str, ...]:
        """Return the vendors that have chips in the database."""
        names = (name for folder in self._folders for name in folder.names)
        return tuple(dict.fromkeys(name.split("/")[0] for name in names if "/chips/" in name))

    def compute_capability(self, name: str) -> str | None:
        """Return a product's compute capability (NVIDIA); None if unknown, or if possible products differ in it."""
        return self._agreed(name, 1)

    def compute_target(self, name: str) -> str | None:
        """Return a product's target (AMD, "gfx1100"); None if unknown, or if possible products differ in it."""
        return self._agreed(name, 2)

    def architecture(
        self, vendor: str, name: str | None = None, compute_capability: str | None = None
    ) -> "Architecture | None":
        """Return the architecture by its name, or by one of its compute capabilities (for AMD: targets).

        With a capability, first_toolkit, last_toolkit and last_driver are those of the capability.
        """
        from accel.specs.architectures import architecture

        return architecture(self.table(f"{self.folder_of(vendor)}/architectures"), name, compute_capability)

    def toolkit(self, name: str, version: str) -> "Toolkit | None":
        """Return the toolkit ("cuda", "12.1"); a patch version gives the newest patch of its minor version."""
        from accel.specs.toolkits import toolkit

        return self.cached(("toolkit", name, version), lambda: toolkit(*self._toolkit_tables(name), name, version))

    def toolkits(self, name: str) -> "tuple[Toolkit, ...]":
        """Return the newest patch of every minor version of the toolkit, oldest first."""
        from accel.specs.toolkits import minors

        found = (self.toolkit(name, version) for version in minors(self._toolkit_tables(name)[0]))
        return tuple(toolkit for toolkit in found if toolkit is not None)

    def toolkit_of_driver(self, name: str, driver: str, system: str = "linux") -> str | None:
        """Return the newest toolkit that the driver supports natively ("12.2"); None if the driver is unknown."""
        from accel.specs.toolkits import toolkit_of_driver

        return toolkit_of_driver(self._toolkit_tables(name)[0], driver, system)

    def _toolkit_tables(self, name: str) -> tuple[Any, Any]:
        """Return a toolkit's table, <vendor>/<name>, and its vendor's architectures; (None, None) without one."""
        for folder in self._folders:
            for table in folder.names:
                vendor, _, rest = table.partition("/")
                if rest == name:
                    return self.table(table), self.table(f"{vendor}/architectures")
        return None, None

    def frameworks(self, name: str) -> "tuple[Release, ...]":
        """Return every known release of the framework, oldest first."""
        from accel.specs.frameworks import releases, tables_of

        return self.cached(("frameworks", name), lambda: releases(tables_of(self._folders, name), name))

    def framework(self, name: str, version: str) -> "Release | None":
        """Return one release; a local version suffix ("+cu121") is ignored."""
        from accel.specs.frameworks import releases, tables_of

        def read() -> "tuple[Release, ...]":
            return releases(tables_of(self._folders, name, version), name, version)[:1]

        found = self.cached(("framework", name, version), read)
        return found[0] if found else None

    def cached(self, key: Any, make: "Callable[[], _Made]") -> "_Made":
        """Return the cached value for a key, created with `make` on first use."""
        if key not in self._cached:
            self._cached[key] = make()
        found: _Made = self._cached[key]
        return found

    def build(
        self, name: str, version: str, variant: str | None = None, platform: str = "linux_x86_64"
    ) -> "Build | None":
        """Return one build; for variant None, the one that a plain install gets on the platform."""
        release = self.framework(name, version)
        for build in release.builds if release else ():
            if build.platform == platform and (build.default if variant is None else build.variant == variant):
                return build
        return None

    def companion(self, name: str, version: str) -> "Companion | None":
        """Return the requirements of this version of a framework's companion package ("flash-attn", "2.5.8")."""
        from accel.specs.companions import companion

        tables = [table for _, table in self.tables("frameworks/companions")]
        return companion(tables, lambda: self.frameworks("torch"), name, version)

    def companion_for(self, name: str, torch: str, base: str = "torch") -> str | None:
        """Return the newest version of a companion package that is built for this torch ("2.9.1"), or this `base`."""
        from accel.specs.companions import companion_for

        return companion_for((table for _, table in self.tables("frameworks/companions")), name, torch, base)

    @cached_property
    def phrase_books(self) -> "tuple[PhraseBook, ...]":
        """Return the phrase books of all tables, ready to search: one per folder."""
        from accel.text.phrase_book import PhraseBook

        def book(folder: Folder) -> PhraseBook:
            table = self._knowledge(folder, "phrases")
            return PhraseBook(table if "rows" in table else {**table, "rows": folder.rows("phrases").read})

        return tuple(book(folder) for folder in self._folders)

    @cached_property
    def errors(self) -> "Errors":
        """Return the errors of libraries, drivers and systems."""
        from accel.specs.errors import Errors

        return Errors(self.compiled("errors"))

    @cached_property
    def components(self) -> "Components":
        """Return the lookup from a library, symbol, module, package or command to its component."""
        from accel.specs.components import Components

        return Components(self.compiled("components"))

    @cached_property
    def inference(self) -> "Mapping[str, Any]":
        """Return the declarative inference rules: {"facts": …, "conditions": …}."""
        return self.compiled("inference")

    @cached_property
    def causes(self) -> "Mapping[str, Any]":
        """Return the causes of faults by the check's name: accel.specs.causes."""
        return self.compiled("causes")

    @cached_property
    def ambiguous(self) -> "Mapping[str, Any]":
        """Return the errors that can have several causes: accel.specs.ambiguous."""
        return self.compiled("ambiguous")

    @cached_property
    def product_names(self) -> "ProductNames":
        """Return the names of all products, ready to search texts for."""
        from accel.names.products import ProductNames

        return ProductNames(self._index(), self.table_at)

    @cached_property
    def commands(self) -> "Mapping[str, Any]":
        """Return the tools whose command lines appear in texts, by tool: specs/language/commands.yaml."""
        table = self.table("language/commands") or {"tools": []}
        return {name: tool for tool in table["tools"] for name in tool["names"]}

    @cached_property
    def translations(self) -> "Translations":
        """Return messages in other languages with their English wording: specs/language/translations.yaml."""
        from accel.text.translated import translations

        table = self.table("language/translations") or {"messages": []}
        return translations((row["english"], row["said"]) for row in table["messages"])

    @cached_property
    def hints(self) -> "Hints":
        """Return the hints on an error's layer and on next steps: specs/language/layers.yaml and subjects.yaml."""
        from accel.specs.hints import Hints

        return Hints(self.table("language/layers"), self.table("language/subjects"))

    def compiled(self, name: str) -> "Mapping[str, Any]":
        """Return what the build compiled under a name (accel.specs.knowledge), of all folders."""
        return cast("Mapping[str, Any]", joined([self._knowledge(folder, name) for folder in self._folders]))

    def _knowledge(self, folder: Folder, name: str) -> Any:
        """Return a folder's compiled data from the build, or compile it now."""
        ready = folder.table(name) if folder.compiled else None
        if ready is not None:
            return ready
        from accel.specs.knowledge import COMPILERS

        return COMPILERS[name](folder)

    def reader_rules(self) -> "tuple[ReaderRule, ...]":
        """Return the rules for reading the output of vendor tools, <vendor>/readers/<tool>."""
        from accel.text.layouts.layout import reader_rules
        from accel.text.layouts.tool import record_stated

        found = [(name.partition("/")[0], table) for name, table in self.tables("", "/readers/")]
        return reader_rules((table, record_stated(self.table(f"{vendor}/tools"))) for vendor, table in found)

    def tool_rules(self) -> "tuple[ToolRule, ...]":
        """Return how to call vendor tools, <vendor>/tools."""
        from accel.text.layouts.tool import tool_rules

        return tool_rules((name, table) for name, table in self.tables("", depth=1) if name.endswith("/tools"))

    def fault_tables(self) -> "Iterator[dict[str, Any]]":
        """Yield every table of fault codes (specs/<vendor>/<name>.yaml): {"name": "Xid", "codes": [{"code", …}, …]}."""
        for _, table in self.tables("", depth=1):
            if isinstance(table, dict) and {"name", "codes"} <= set(table):
                yield table

    def _agreed(self, name: str, field: int) -> str | None:
        from accel.names.index import find_namesakes

        index = self._index()
        values = {index["entries"][number][field] for meaning in find_namesakes(index, name) for number in meaning}
        found: str | None = values.pop() if len(values) == 1 else None
        return found

    def _index(self) -> "Index":
        from accel.specs.indexing import index_of

        return self.cached("index", lambda: index_of(self._folders))

    def outlines(self) -> "Index":
        """Return the index of products for which only outlines are kept."""
        from accel.specs.outlines import outlines_of

        return self.cached("outlines", lambda: outlines_of(self._folders, self._index()))

    def folder_of(self, vendor: str | None) -> str | None:
        """Return the folder name of a vendor's products: "ascend" for "Huawei", whose product names imply it."""
        return None if vendor is None else self.cached(("folder", vendor), lambda: self._folder_of(vendor.lower()))

    def _folder_of(self, wanted: str) -> str:
        products = (f"{wanted}/chips/", f"{wanted}/architectures")  # a folder of checks alone may be of a backend
        if any(name.startswith(products) for folder in self._folders for name in folder.names):
            return wanted
        from accel.names.index import vocabulary_of
        from accel.names.tokens import brand_of

        return brand_of(wanted, vocabulary_of(self._index())) or wanted
