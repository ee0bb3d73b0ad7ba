"""Requirements in their written form: [tool.accel] in pyproject.toml, accel.yaml, keyword arguments, options.

    vendors = ["nvidia", "amd"]      any of these; also  vendor = "nvidia"
    kind = "gpu"
    count = 2
    memory = "16GiB"                 of each, in total; a number is bytes
    capability = "8.0"
    dtypes = ["bf16", "fp8"]         all of these; also  dtype = "bf16"
    driver = ">=550"
    links = "nvlink"                 must connect every pair of devices
    shm = "8GiB"
    memlock = "unlimited"            or an amount
    frameworks = {torch = {version = ">=2.4", build = "cu12*"}, jax = ">=0.4"}
    any = [{vendor = "nvidia", capability = "8.0"}, {vendor = "amd"}]

`any` is a group of alternatives in the same form, one of which must be met; a list of such lists is several
groups. The other keys apply to each alternative that does not set them itself.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, Final, NoReturn

from accel.model.errors import BadInput
from accel.resolver.builds_here import Build, check_bounds
from accel.resolver.requirement import Requirement, check_names
from accel.specs import Specs
from accel.text.amounts import size_bytes

Place = Callable[[str], str]  # where a key is written: "accel.yaml, line 3: "

_SAME: Final = {
    "vendor": "vendors",
    "dtype": "dtypes",
    "memory_bytes": "memory",
    "compute_capability": "capability",
    "link": "links",
}
KEYS: Final = (
    *("vendors", "kind", "count", "memory", "capability", "dtypes", "driver", "links", "frameworks", "shm", "memlock"),
    "any",
)
_MOST_ALTERNATIVES: Final = 64


def parse_table(
    table: Mapping[str, Any],
    specs: Specs,
    vendors: Sequence[str],
    place: Place = lambda _: "",
    over: Mapping[str, Any] | None = None,
) -> tuple[Requirement, ...]:
    """Return the alternatives, one of which must be met, in order.

    vendors  the known vendors
    place    where a key is written, for messages
    over     values that take precedence over the table and its alternatives
    Raises BadInput, with the place and the closest valid word, for an unknown key or an invalid value.
    """
    above = _named(over or {}, lambda _: "")
    kept = {**_named(table, place), **({"any": above.pop("any")} if "any" in above else {})}
    return tuple(_Reader(specs, vendors, place).requirement({**one, **above}) for one in _alternatives(kept, place))


def _alternatives(plain: dict[str, Any], place: Place) -> list[dict[str, Any]]:
    groups = plain.pop("any", None)
    if groups is None:
        return [plain]
    if not isinstance(groups, Sequence) or isinstance(groups, str) or not groups:
        _refuse(place, "any", groups, "a list of tables, or a list of such lists")
    several = groups if isinstance(groups[0], list | tuple) else [groups]
    found = []
    for chosen in product(*several):
        made = dict(plain)
        seen: set[str] = set()
        for one in chosen:
            if not isinstance(one, Mapping):
                _refuse(place, "any", one, "tables such as {vendor = 'nvidia'}")
            more = _named(one, place)
            if twice := seen.intersection(more) or {"any"}.intersection(more):
                raise BadInput(f"{place('any')}{sorted(twice)[0]} is in several groups of any, or within one.")
            seen.update(more)
            made |= more
        found.append(made)
        if len(found) > _MOST_ALTERNATIVES:
            raise BadInput(f"{place('any')}the groups of any are more than {_MOST_ALTERNATIVES} alternatives together.")
    return found


def _named(table: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return a table with aliases replaced by the keys' own names."""
    found: dict[str, Any] = {}
    for given, value in table.items():
        key = _SAME.get(given, given)
        if key not in KEYS:
            near = get_close_matches(given, [*KEYS, *_SAME], 1, 0.6)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise BadInput(f"{place(given)}{given!r} is no requirement.{meant} There are: {', '.join(KEYS)}.")
        if value is None:
            continue
        if key in found:
            raise BadInput(f"{place(given)}{given!r} and another key of the same meaning are both given.")
        found[key] = value
    return found


class _Reader:
    """Reads the values of a table."""

    def __init__(self, specs: Specs, vendors: Sequence[str], place: Place) -> None:
        self._specs, self._vendors, self._place = specs, vendors, place

    def requirement(self, table: Mapping[str, Any]) -> Requirement:
        vendors, dtypes = self._words(table, "vendors"), self._words(table, "dtypes")
        kind = self._text(table, "kind")
        try:
            check_names("require", lambda: self._specs, self._vendors, vendors=vendors, kind=kind, dtypes=dtypes)
        except BadInput as error:
            key = "vendors" if "vendor=" in str(error) else "kind" if "kind=" in str(error) else "dtypes"
            raise BadInput(f"{self._place(key)}{error}") from None
        memlock = table.get("memlock")
        return Requirement(
            vendors=vendors,
            kind=kind,
            count=self._count(table),
            memory_bytes=self._size(table, "memory"),
            compute_capability=self._version(table, "capability"),
            dtypes=dtypes,
            driver=self._bounds(table.get("driver"), "driver"),
            link=self._link(table),
            frameworks=self._frameworks(table),
            shm_bytes=self._size(table, "shm"),
            memlock_bytes=-1 if memlock == "unlimited" else self._size(table, "memlock"),
        )

    def _words(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, ())
        words = (value,) if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            _refuse(self._place, key, value, "a text or a list of texts")
        return tuple(words)

    def _text(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            _refuse(self._place, key, value, "a text")
        return value

    def _count(self, table: Mapping[str, Any]) -> int:
        value = table.get("count", 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            _refuse(self._place, "count", value, "a whole number, one device at least")
        if value == 0:
            raise BadInput(f"{self._place('count')}require(count=0): ask for one device at least.")
        return value

    def _size(self, table: Mapping[str, Any], key: str) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        size = size_bytes(value) if isinstance(value, str) else None
        if size is None:
            _refuse(self._place, key, value, "an amount such as '16GiB', or bytes")
        return size

    def _version(self, table: Mapping[str, Any], key: str) -> str | None:
        value = table.get(key)
        if isinstance(value, float):
            _refuse(self._place, key, value, f"a text, in quotes: '{value}'")
        return self._text(table, key)

    def _bounds(self, value: Any, key: str) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            _refuse(self._place, key, value, "a bound such as '>=550'")
        try:
            return check_bounds(value)
        except BadInput as error:
            raise BadInput(f"{self._place(key)}{error}") from None

    def _link(self, table: Mapping[str, Any]) -> str | None:
        value = self._text(table, "links")
        if value is None:
            return None
        known = sorted({row["link"] for row in self._specs.table("system/paths")["paths"] if row.get("link")})
        if value.lower() not in known:
            near = get_close_matches(value.lower(), known, 1, 0.6)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise BadInput(f"{self._place('links')}{value!r} is no kind of link.{meant} There are: {', '.join(known)}.")
        return value.lower()

    def _frameworks(self, table: Mapping[str, Any]) -> tuple[Build, ...]:
        told = table.get("frameworks", {})
        if not isinstance(told, Mapping):
            _refuse(self._place, "frameworks", told, "a table: {torch = '>=2.4'}")
        found = []
        for name, value in told.items():
            given = value if isinstance(value, Mapping) else {"version": value}
            if unknown := [key for key in given if key not in ("version", "build")]:
                raise BadInput(
                    f"{self._place(unknown[0])}{unknown[0]!r} cannot be required of {name}. There are: version, build."
                )
            build = given.get("build")
            if build is not None and not isinstance(build, str):
                _refuse(self._place, name, build, "the name of a build: 'cu12*'")
            version = given.get("version")
            bounds = None if version == "*" else self._bounds(version, name)
            found.append(Build(name=name.lower().replace("_", "-"), version=bounds, build=build))
        return tuple(found)


def _refuse(place: Place, key: str, value: object, wanted: str) -> NoReturn:
    raise BadInput(f"{place(key)}{key} is {value!r:.60}: expected {wanted}.")
