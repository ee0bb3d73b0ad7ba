"""What is derived from a vendor's tool rule and reader rules, without any code by the vendor."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from accel.checks.driver_not_loaded import driver_not_loaded
from accel.facts.driver_absent import driver_absent
from accel.facts.readers.ruled import ruled_readers
from accel.model.device import Device
from accel.text.layouts.layout import ReaderRule, reader_rules
from accel.text.layouts.tool import ToolRule, tool_rule
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.contract.vendor import Given, Masks, Tool, Vendor
from accel.vendors.toolkit.link_matrix import matrix_readings
from accel.vendors.toolkit.lspci_reader import lspci_reader
from accel.vendors.toolkit.vendor_backend import VendorBackend


def own_vendor(folder: str, package: str, record: type[Device] | None = None) -> Vendor[Any]:
    """Return the vendor declaration made from a folder of accel's own specs.

    package  the package of accel's own with the code that the tables cannot express
    record   the class of its device records, if the package has one
    """
    from accel.specs import load

    specs = load(environment={})
    table = specs.table(f"{folder}/tools")
    if table is None:
        raise LookupError(f"specs/{folder}/tools.yaml is missing")
    rule = tool_rule(table["tools"][0], table, record)

    def given() -> Given:
        rules = reader_rules((table, rule.record) for _, table in specs.tables(f"{folder}/readers/"))
        return given_by(rule, rules, package)

    return stated_vendor(rule, package, given)


def data_backend(rule: ToolRule, rules: Sequence[ReaderRule]) -> VendorBackend:
    """Return the Backend of a tool rule and the reader rules for it."""
    given = given_by(rule, [reader for reader in rules if reader.backend == rule.backend])
    return VendorBackend(stated_vendor(rule), lambda: given.readers)


def stated_vendor(rule: ToolRule, package: str = "", given: Callable[[], Given] | None = None) -> Vendor[Device]:
    """Return the vendor declaration of a tool rule. If it has no `traces`, the tool itself is a sign."""
    tool, *places = rule.command
    return Vendor(
        name=rule.backend,
        maker=rule.vendor,
        kind=rule.kind,
        package=package,
        record=rule.record,
        tool=Tool(
            names=rule.command,
            hint=rule.hint,
            no_health=rule.no_health,
            calls=rule.calls,
            more=rule.more,
            memory_call=rule.memory,
        ),
        masks=Masks(lists=rule.masks, names=rule.runtimes, first_counts=rule.first_counts),
        given=given,
        **{"traces": (f"tool:{tool}", *places), **rule.vendor_fields},
    )


def given_by(rule: ToolRule, rules: Iterable[ReaderRule], package: str = "") -> Given:
    """Return the readers, checks and rules derived from a tool rule, and the readers of the reader rules."""
    vendor = stated_vendor(rule, package)
    absent = rule.not_loaded
    return Given(
        readers=(*ruled_readers(rules), *_of_bus(rule, vendor), *_of_links(rule, vendor)),
        checks=(driver_not_loaded(vendor, **absent),) if absent else (),
        rules=(driver_absent(vendor),) if absent else (),
    )


def _of_bus(rule: ToolRule, vendor: Vendor[Any]) -> Iterator[Reader]:
    if rule.lspci is not None:
        names, kinds = rule.lspci.get("names"), rule.lspci.get("kinds") or ()
        form = pattern(names) if names else None
        yield lspci_reader(vendor, rule.lspci.get("maker") or "", names=form, kinds=tuple(kinds))


def _of_links(rule: ToolRule, vendor: Vendor[Any]) -> Iterator[Reader]:
    if rule.matrix is not None:
        words, only = pattern(rule.matrix["words"]), pattern(rule.matrix["only"])
        read = partial(_links, vendor, rule.matrix["name"], rule.matrix["device"], words, only)
        yield Reader(name=rule.matrix["name"], signs=("CPU Affinity",), read=read)


def _links(vendor: Vendor[Any], name: str, device: str, words: Pattern, only: Pattern, text: str) -> Iterator[Reading]:
    return matrix_readings(text, vendor, name, device, words) if only.search(text) else iter(())
