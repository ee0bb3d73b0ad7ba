"""Errors of libraries, drivers and systems: one identity for an error's number, names and messages.

specs/<domain>/errors/<library>.yaml:

    domain: "cuda"                   # the first half of an identity: "cuda:802"
    title: "CUDA"
    layer: "driver"                  # unless a row says otherwise
    near: ["cuda*", "cuinit"]        # words near a number that mark it as one of these errors
    unless: ["habana*"]              # words that mark a text's numbers as another library's
    more: {text: "See the driver's words.", command: "nvidia-smi"}   # how to find out more if no cause is known
    sources: [{what: "CUDA toolkit: cuda.h", read: "2026-11-22"}]
    errors:
      - {code: "802", names: ["cudaErrorSystemNotReady"], says: ["system not yet initialized"],
         meaning: "the fabric is not set up yet", alone: true, cure: "Start the fabric manager."}

A row with `vague: true` can have any cause ("internal error") and says nothing about the fault.
A table may also have composite codes: see accel.specs.fault_codes.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.specs.fault_codes import FaultCodes

_FAULT_CODE: Final = pattern(r"(?:0x)?([0-9a-f]{8})", exact_case=True)


def plain_code(word: str) -> str | None:
    """Return an eight-digit fault code in lower case; None if the word is not one.

    >>> plain_code("0x80e18402"), plain_code("80e18402"), plain_code("507035")
    ('80e18402', '80e18402', None)
    """
    found = _FAULT_CODE.fullmatch(word)
    return found[1] if found else None


class Errors:
    """Every table of errors."""

    def __init__(self, compiled: Mapping[str, Any]) -> None:
        self._domains: Mapping[str, Any] = compiled["domains"]
        self._names: Mapping[str, Sequence[str]] = compiled["names"]
        self._codes: Mapping[str, Sequence[str]] = compiled["codes"]
        self._compiled_faults: Mapping[str, Any] = compiled.get("faults", {})

    @cached_property
    def _faults(self) -> "Mapping[str, FaultCodes]":
        from accel.specs.fault_codes import FaultCodes  # few texts hold such a code

        return {domain: FaultCodes(parts) for domain, parts in self._compiled_faults.items()}

    def named(self, word: str) -> tuple[str, str] | None:
        """Return (domain, code) of an enumerator in any case; None if no table has it."""
        found = self._names.get(word)
        return (found[0], found[1]) if found else None

    def domains_of(self, code: str) -> Sequence[str]:
        """Return the domains that use this code, in order of precedence."""
        if (found := self._codes.get(code)) is not None:
            return found
        fault = plain_code(code)
        return [] if fault is None else [one for one, codes in self._faults.items() if codes.row(fault) is not None]

    def is_fault(self, code: str) -> bool:
        """Return whether an eight-digit code is composite, or listed, in a domain of fault codes."""
        return plain_code(code) is not None and any(codes.row(code) is not None for codes in self._faults.values())

    @property
    def fault_lists(self) -> Iterable[str]:
        """Return the lower-case keys under which a configuration lists a level's fault codes: "separatenpucodes"."""
        return [f"{level.lower()}codes" for codes in self._faults.values() for level in codes.levels]

    def fault_codes(self, domain: str) -> "FaultCodes | None":
        """Return a domain's composite codes; None if it has none."""
        return self._faults.get(domain)

    @property
    def domains(self) -> Iterable[str]:
        """The names of all domains."""
        return self._domains.keys()

    @property
    def names(self) -> Iterable[str]:
        """The enumerators of all domains, in lower case."""
        return self._names.keys()

    def codes_of(self, domain: str) -> Iterable[str]:
        """Return the codes of a domain."""
        rows: Mapping[str, Any] = self._domains.get(domain, {}).get("rows", {})
        faults = self._faults.get(domain) if domain in self._compiled_faults else None
        return dict.fromkeys((*rows, *(faults.codes if faults else ())))

    def near(self, domain: str) -> Sequence[str]:
        """Return the words that mark a bare number as one of a domain's codes; a word that ends in "*" is a prefix."""
        near: Sequence[str] = self._domains[domain]["near"]
        return near

    def unless(self, domain: str) -> Sequence[str]:
        """Return the words that mark a text's numbers as not this domain's; a word that ends in "*" is a prefix."""
        unless: Sequence[str] = self._domains[domain].get("unless", ())
        return unless

    def backend(self, domain: str) -> str | None:
        """Return the backend of the devices that a domain's errors concern.

        None for an operating system's own errors.
        """
        backend: str | None = self._domains.get(domain, {}).get("backend")
        return backend

    def alone(self, domain: str, code: str) -> bool:
        """Return whether a number is unique enough to a domain that "error 802" is unambiguous."""
        return bool(self.row(domain, code).get("alone", self._domains[domain].get("alone", False)))

    def row(self, domain: str, code: str) -> Mapping[str, Any]:
        """Return an error's row; empty if there is none."""
        rows: Mapping[str, Any] = self._domains.get(domain, {}).get("rows", {})
        row: Mapping[str, Any] = rows.get(code, {})
        fault = plain_code(code) if domain in self._compiled_faults else None
        if fault is None:
            return row
        return {**(self._faults[domain].row(fault) or {}), **rows.get(fault, {})}

    def more(self, domain: str) -> Mapping[str, str] | None:
        """Return {text, command}: how to find out more about any error of a domain.

        None if its table has no such entry.
        """
        more: Mapping[str, str] | None = self._domains.get(domain, {}).get("more")
        return more

    def sources(self, domain: str) -> Sequence[str]:
        """Return the sources of a domain's tables, each with the day it was read."""
        sources: Sequence[str] = self._domains.get(domain, {}).get("sources", ())
        return sources

    def title(self, domain: str) -> str:
        return str(self._domains.get(domain, {}).get("title", domain))

    def layer(self, domain: str, code: str) -> str | None:
        """Return the layer at fault; None if the table does not say."""
        layer: str | None = self.row(domain, code).get("layer") or self._domains.get(domain, {}).get("layer")
        return layer

    def meaning(self, domain: str, code: str) -> str | None:
        meaning: str | None = self.row(domain, code).get("meaning")
        return meaning


def compiled_errors(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return what Errors reads."""
    from accel.specs.fault_codes import LISTS, compiled_fault_codes

    domains: dict[str, Any] = {}
    names: dict[str, list[str]] = {}
    codes: dict[str, list[str]] = {}
    faults: dict[str, Any] = {}
    for _, table in tables:
        domain = table["domain"]
        home = domains.setdefault(domain, {"rows": {}, "near": [], "sources": []})
        home |= {key: table[key] for key in ("title", "layer", "alone", "backend", "more", "unless") if key in table}
        told = [one for one in map(_source, table.get("sources", ())) if one not in home["sources"]]
        home["sources"] += told
        home["near"] += [word.lower() for word in table.get("near", ()) if word.lower() not in home["near"]]
        if all(key in table for key in LISTS):
            faults[domain] = compiled_fault_codes(table)
        for row in table["errors"]:
            code = str(row["code"]).lower()
            home["rows"][code] = {key: value for key, value in row.items() if key not in ("names", "says", "code")} | {
                "name": next(iter(row.get("names", ())), None)
            }
            if domain not in codes.setdefault(code, []):
                codes[code].append(domain)
            for name in row.get("names", ()):
                names.setdefault(name.lower(), [domain, code])
    return {"domains": domains, "names": names, "codes": codes, "faults": faults}


def _source(one: Mapping[str, Any]) -> str:
    """Return a citation: "CUDA toolkit: cuda.h, read 2026-11-22"; it says so if the source itself was not opened."""
    when = f"read {one['read']}" if "read" in one else "recalled"
    return ", ".join(part for part in (one.get("what"), one.get("url"), when) if part)


def error_phrases(tables: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any, tuple[str, ...]]]:
    """Yield the error messages of the tables as phrase-book rows tagged ["error", domain, code]."""
    for _, table in tables:
        for row in table["errors"]:
            for sentence in row.get("says", ()):
                yield sentence, ["error", table["domain"], str(row["code"]).lower()], tuple(row.get("unless", ()))
