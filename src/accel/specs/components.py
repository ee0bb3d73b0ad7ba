"""Software components: which library, symbol, module, package, command or file belongs to which component.

specs/<domain>/components.yaml lists each component once, with everything that belongs to it; readers, rules and
remedies look it up here. A name in the tables may end in "*"; the longest match wins. Matching ignores case.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from accel.text.pattern import pattern

KINDS: Final = ("libraries", "symbols", "modules", "packages", "commands", "files", "kernel_modules", "aliases")
# The prefix of the first name in a mangled C++ symbol: macOS's underscore, and the marks of tables and of const
# or reference members: "__ZN3c10…", "_ZNK3c10…", "_ZTVN3c10…" and "_ZNR5torch…" are all of the scope of "_ZN…".
_MARKS: Final = pattern(r"_{1,2}Z(?:T[VISTHW]|GV|GR)?N[KVRO]{0,3}(?=\d)")
_SCOPE_INSIDE: Final = pattern(r"N[KVRO]{0,3}(?=[1-9]\d?[A-Za-z_])", re.IGNORECASE)


class Components:
    """Lookup of the spec database's components, by everything that belongs to them."""

    def __init__(self, compiled: Mapping[str, Any]) -> None:
        self._records: Mapping[str, Any] = compiled["records"]
        self._exact: Mapping[str, Mapping[str, str]] = compiled["exact"]
        self._prefix: Mapping[str, Mapping[str, str]] = compiled["prefix"]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._records)

    def title(self, name: str) -> str:
        """Return a component's display name; its own name if it has no record."""
        return str(self._records.get(name, {}).get("title", name))

    def layer(self, name: str | None) -> str | None:
        """Return the layer that a component belongs to; None if unknown."""
        record = self._records.get(name) if name else None
        return record["layer"] if record else None

    def get(self, name: str, key: str) -> Any:
        """Return another field of a component's record; None if it has none."""
        return self._records.get(name, {}).get(key)

    def version(self, name: str, printed: str | None) -> str | None:
        """Return a version in its usual form if the component prints it as one number: cuDNN's 8907 is 8.9.7.

        Any other text, including a requirement, is returned unchanged.
        """
        scheme = self.get(name, "numbers")
        if printed is None or scheme is None or not printed.isdecimal() or int(printed) < 1000:
            return printed
        number = int(printed)
        if scheme == "cuda":
            return f"{number // 1000}.{number % 1000 // 10}"
        wide = number >= {"cudnn": 90000, "nccl": 10000}.get(scheme, 100000)
        major, rest = divmod(number, 10000 if wide else 1000)
        return f"{major}.{rest // 100}.{rest % 100}"

    def of_library(self, path: str) -> str | None:
        """Return the component of a shared library, from its path or file name.

        A Python extension is looked up by its module.
        """
        file = path.replace("\\", "/").rsplit("/", 1)[-1]
        return self._of("libraries", file) or self._of("files", path) or self._of("modules", file.split(".")[0])

    def of_symbol(self, symbol: str) -> str | None:
        """Return the component of a symbol; a mangled C++ name is looked up by its scope.

        For an instantiation of a std template with another component's types, such as
        "_ZNSt6vectorIN3c1010TensorImplE…", return the owner of those types. On macOS, C names have a leading
        underscore: "_torch_library_impl".
        """
        plain = _MARKS.sub("_ZN", symbol, count=1)
        if plain[:5].lower().startswith(("_znst", "_zst")):
            owners = (self._of("symbols", "_ZN" + plain[found.end() :]) for found in _SCOPE_INSIDE.finditer(plain, 3))
            inner = next((owner for owner in owners if owner), None)
            if inner is not None:
                return inner
        known = self._of("symbols", plain)
        return known or (self._of("symbols", plain[1:]) if plain[:1] == "_" and plain[1:2].isalpha() else None)

    def of_module(self, module: str) -> str | None:
        """Return the component of an importable module: "torch_npu.utils" belongs to the same one as "torch_npu"."""
        return self._of("modules", module) or self._of("modules", module.split(".")[0])

    def of_package(self, name: str) -> str | None:
        return self._of("packages", name.lower().replace("_", "-"))

    def of_command(self, name: str) -> str | None:
        return self._of("commands", name.replace("\\", "/").rsplit("/", 1)[-1])

    def of_file(self, path: str) -> str | None:
        """Return the component of a file; a bare name may be a command or a library: "No such file: 'nvcc'"."""
        plain = path.replace("\\", "/")
        found = self._of("files", plain)
        if found is None and ("/" not in plain or "/bin/" in plain.lower()):
            found = self.of_command(plain)
        return found or self._of("libraries", plain.rsplit("/", 1)[-1])

    def of_kernel_module(self, name: str) -> str | None:
        return self._of("kernel_modules", name.replace("-", "_"))

    def named(self, words: str) -> str | None:
        """Return the component with this alias, package, module or name."""
        plain = " ".join(words.lower().replace("_", "-").split())
        if plain in self._records:
            return plain
        return (
            self._exact["aliases"].get(plain)
            or self._of("packages", plain.replace(" ", "-"))
            or self._of("modules", plain.replace("-", "_"))
        )

    def _of(self, kind: str, name: str) -> str | None:
        plain = name.lower()
        found = self._exact[kind].get(plain)
        if found is not None:
            return found
        prefixes = self._prefix[kind]
        return next((prefixes[plain[:end]] for end in range(len(plain), 0, -1) if plain[:end] in prefixes), None)


def compiled_components(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the data that Components reads, compiled from (table name, table) pairs.

    The first component to claim a name keeps it. Another table may extend a component under the same name.
    """
    records: dict[str, Any] = {}
    exact: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    prefix: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for _, table in tables:
        for record in table["components"]:
            fields = {key: value for key, value in record.items() if key not in (*KINDS, "name")}
            records[record["name"]] = {**fields, **records.get(record["name"], {})}
            for kind in KINDS:
                for name in record.get(kind, ()):
                    plain = name.lower().replace("_", "-") if kind in ("packages", "aliases") else name.lower()
                    home = prefix if plain.endswith("*") else exact
                    home[kind].setdefault(plain.rstrip("*"), record["name"])
    return {"records": records, "exact": exact, "prefix": prefix}
