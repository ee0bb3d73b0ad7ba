"""Compares the maker in a text with the makers of the products found.

Seen    "AMD FirePro M2000", if only NVIDIA's M2000 is known; "Intel Iris Graphics 550 Mobile", not a Radeon RX 550;
        "ecs.g6.xlarge", which is not AWS's

CPU makers and clouds are mentioned with other makers' devices: "AMD EPYC with 8 A100", "Google Colab T4".
"""

from accel.model.dataclass import replace
from accel.names.index import Index, vocabulary_of
from accel.names.machines import names_other
from accel.names.meaning import Named
from accel.names.tokens import brand_of, raw_words


def of_said_maker(index: Index, text: str, found: Named) -> Named:
    """Return what was found; nothing if the text names one maker and all chips, or the machine, are another's."""
    known = vocabulary_of(index)
    clouds = [word for word in index["makers"] if word not in known.brands]  # "NVIDIA T4 (Standard_NC4as_T4_v3)"
    if found.machine is not None and names_other(text, found.machine, clouds):
        return Named(asked=text, unknown=(text.split()[0],))
    if not found.chips or found.by != "name" or found.each:
        return found
    maker = brand_of(text, known)
    if maker is None or any(chip.vendor == maker for chip in found.chips):
        return found
    words = raw_words(text, known)
    said = [word for word in words if known.brands.get(word) == maker]
    beside = bool(known.processors.intersection(words)) or "cpu" in words
    if not beside and any(any(map(str.isdigit, word)) and not word.isdecimal() for word in words):
        beside = all(word in index["makers"] for word in said)  # but "NVIDIA 470" is not an RX 470
    return found if beside else replace(found, chips=(), by="", times=None, aside=(), unknown=tuple(said))
