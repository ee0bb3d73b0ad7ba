"""A backend out of a tool rule: no line of the vendor's code is needed to list its devices on a live machine."""

from collections.abc import Sequence

from accel.facts.readers.ruled import ruled_readers
from accel.model.device import Device
from accel.text.layouts.layout import ReaderRule
from accel.text.layouts.tool import ToolRule
from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel.vendors.toolkit.vendor_backend import VendorBackend


def data_backend(rule: ToolRule, rules: Sequence[ReaderRule]) -> VendorBackend:
    """Return the Backend of a tool rule and the reader rules of its backend."""
    readers = ruled_readers(reader for reader in rules if reader.backend == rule.backend)
    return VendorBackend(stated_vendor(rule), lambda: readers)


def stated_vendor(rule: ToolRule) -> Vendor[Device]:
    """Return the statement that a tool rule is. The tool itself is a sign, by name or where its package puts it."""
    tool, *places = rule.command
    names = (rule.runtime,) if rule.runtime else ()
    return Vendor(
        name=rule.backend,
        maker=rule.vendor,
        kind=rule.kind,
        package="",
        record=Device,
        pci_ids=rule.pci_ids,
        nodes=rule.nodes,
        traces=(f"tool:{tool}", *places),
        tool=Tool(
            names=rule.command,
            hint=rule.hint,
            calls=(rule.arguments,),
            more=rule.more,
            memory_call=rule.arguments,
        ),
        masks=Masks(lists=((rule.mask,),) if rule.mask else (), names=names),
    )
