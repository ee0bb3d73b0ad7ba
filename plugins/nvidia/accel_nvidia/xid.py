"""What checks need from the Xid facts: the catalogue, the codes of several lines, the GPUs concerned."""

from collections.abc import Iterable
from typing import Any, Final

from accel.facts.questions import Facts
from accel.facts.row_subjects import at_address
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.command import command_line, number_word, pci_word

_ORDER: Final = ("79", "95", "94", "48", "140", "149", "137", "74", "120", "62", "119", "13", "31")


def catalogue(specs: Specs) -> dict[str, dict[str, Any]]:
    """Return the rows of NVIDIA's Xid catalogue by code, as text; {} if there is none."""
    table = specs.table("nvidia/xid")
    return {str(row["code"]): row for row in table["codes"]} if table else {}


def codes(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return the codes of several lines without duplicates: decisive ones first, else in text order."""
    found = tuple(dict.fromkeys(code for fact in facts if (code := fact.value("code"))))
    return tuple(sorted(found, key=lambda code: _ORDER.index(code) if code in _ORDER else len(_ORDER)))


def named(found: Iterable[str]) -> str:
    """Return codes as shown in a title.

    >>> named(("13", "31")), named(("79",))
    ('Xid 13, Xid 31', 'Xid 79')
    """
    return ", ".join(f"Xid {code}" for code in found)


def addresses(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return the PCI addresses in the lines, without duplicates."""
    return tuple(dict.fromkeys(pci for fact in facts if (pci := fact.value("pci"))))


def gpus_at(facts: Facts, found: Iterable[Fact]) -> tuple[str, ...]:
    """Return the IDs of the listed GPUs that the lines refer to."""
    return tuple(sorted({gpu for pci in addresses(found) for gpu in at_address(facts, pci)}))


def where(found: Iterable[Fact], most: int = 4) -> str:
    """Return " (0000:3b:00, 0000:5e:00)", or "" if no address is given."""
    known = addresses(found)
    return f" ({', '.join(known[:most])}{', …' if len(known) > most else ''})" if known else ""


def reset_command(found: Iterable[Fact]) -> str | None:
    """Return the command that resets the GPU; None if there are several, since they are reset one at a time."""
    known = addresses(found)
    return command_line("sudo nvidia-smi --gpu-reset -i", pci_word(known[0])) if len(known) == 1 else None


def reset_of(index: int) -> str | None:
    """Return the command that resets the GPU with this index."""
    return command_line("sudo nvidia-smi --gpu-reset -i", number_word(index))
