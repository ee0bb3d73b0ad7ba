"""The words that product names consist of, from specs/names.yaml and specs/<vendor>/names.yaml.

brand         identifies the vendor: "geforce"
silent        says nothing about the model: "graphics"
series        starts a model's name, and may be omitted: "rtx"
lettered      a series that is omitted only before a letter: "quadro", in "Quadro P5000"
front, back   attached before or after a number without a space: "rtx3090", "3080ti"
titled        attached before one of these endings without a space: {"titan": ("xp", …)}
form          the form of a board, a description that a name may lack: "pcie"
memory-type   starts a description of the memory: "hbm"
portable      marks a laptop variant, which has its namesake's capability
partner       makes boards with other makers' chips, and says nothing about the model: "zotac"
alone         a model named without its maker, and with no other meaning: "h100"; others need words
              next to them that say what they are
line          the word of a line ("before") whose products are all in these segments: {"jetson": ("embedded", …)}
telling       distinguishes a product from its namesake, although it is in no product's name: "特供版"
software      a number after it is a version: "driver"; numbered: one after it is an index: "slot"
unit          a number before it is an amount of something else: "watts"
host          says that memory is not the device's: "ram"; processor: starts a CPU's name: "ryzen"
prose         short words of sentences that name nothing: "has"
setting       a text with it is about accelerators or what runs on them: "inference"; so a short code in it is one
homonym       a model of "alone" that is also the name of other things: "v100"
edition       a board maker's edition, if one of its boards is named: "xc"
introducing   right before a short code it makes that a device: "my", "two", "ein"
ordinary      a common word, which may be next to a name: "cheap"; without grammatical endings
machine-maker makes, sells or rents machines with other makers' chips, or is a line of such machines: "lenovo", "legion"
stranger      makes or names other things: "nikon"; other-thing: is one of them: "camera"
network       makes or names network cards, whose names may end like an accelerator's: "connectx"
suffix        makes the name before it another product's, if that has no such word: "ultra"
modified      says that a card was modified: "modded"
module-only   is sold as a module alone, never as a card: "mi300x"
cooler        a line of boards with the number of fans in the name: "ventus", in "Ventus 2X"
field         appears around a device's name in lists and settings, without other meaning: "model", "versus"
code-front    starts a board maker's part number, before the product's name: "vcn", in "VCNRTXA6000-PB"
Phrases are several words or spellings of one thing: "max-q" is "maxq", "昇腾" is "ascend".
Spellings are in non-Latin scripts, by the position where they apply: see accel.names.scripts.
Shares are words for a part of a device: "half", "one GCD", "半卡"; see accel.names.partitions.
"""

from collections.abc import Iterable
from typing import Any

_ROLES = (
    *("silent", "series", "lettered", "front", "back", "form", "memory-type", "portable", "alone", "partner"),
    *("telling", "software", "unit", "numbered", "host", "processor", "prose", "setting", "homonym", "edition"),
    *("introducing", "field", "ordinary", "machine-maker", "stranger", "other-thing", "suffix"),
    *("modified", "cooler", "code-front", "network", "module-only"),
)


class Vocabulary:
    """The words by role, ready for use: sets for lookup, tuples to try from the longest."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.brands: dict[str, str] = words["brand"]
        self.phrases: tuple[tuple[str, str], ...] = tuple((text, f" {means} ") for text, means in words["phrases"])
        self.latin_phrases = tuple(phrase for phrase in self.phrases if phrase[0].isascii())
        portable = frozenset(words["portable"])
        self.laptops = frozenset(means.strip() for _, means in self.phrases if "laptop" in means.split())
        self.partners = frozenset(words.get("partner", ()))
        self.silent = self.partners.union(words["silent"])
        self.lettered = frozenset(words["lettered"])
        self.series = self.lettered.union(words["series"])
        self.fronts: tuple[str, ...] = tuple(words["front"])
        self.titled: dict[str, list[str]] = words["titled"]
        self.lines: dict[str, list[str]] = words["line"]
        self.backs: tuple[str, ...] = tuple(words["back"])
        self.forms = frozenset(words["form"])
        self.memory_types: tuple[str, ...] = tuple(words["memory-type"])
        self.portable = portable
        self.alone = frozenset(words.get("alone", ()))
        self.telling = frozenset(words.get("telling", ()))
        self.software = frozenset(words.get("software", ()))
        self.units = frozenset(words.get("unit", ()))
        self.numbered = frozenset(words.get("numbered", ()))
        self.host = frozenset(words.get("host", ()))
        self.processors = frozenset(words.get("processor", ()))
        self.prose = frozenset(words.get("prose", ()))
        self.settings = frozenset(words.get("setting", ()))
        self.homonyms = frozenset(words.get("homonym", ()))
        self.editions = frozenset(words.get("edition", ()))
        self.introducing = frozenset(words.get("introducing", ()))
        self.fields = frozenset(words.get("field", ()))
        self.ordinary = frozenset(words.get("ordinary", ()))
        self.machine_makers = frozenset(words.get("machine-maker", ()))
        self.strangers = frozenset(words.get("stranger", ()))
        self.other_things = frozenset(words.get("other-thing", ()))
        self.networks = frozenset(words.get("network", ()))
        self.modified = frozenset(words.get("modified", ()))
        self.modules = frozenset(words.get("module-only", ()))
        self.coolers = frozenset(words.get("cooler", ()))
        self.suffixes = frozenset(words.get("suffix", ()))
        self.code_fronts: tuple[str, ...] = tuple(words.get("code-front", ()))
        self.spellings: dict[str, dict[str, str]] = words.get("spellings", {})
        self.shares: dict[str, str] = words.get("shares", {})


def gathered(tables: Iterable[Any]) -> dict[str, Any]:
    """Return the data of a Vocabulary, in JSON types, from these tables of names."""
    found: dict[str, Any] = {role: [] for role in _ROLES}
    brands: dict[str, str] = {}
    by_line: dict[str, dict[str, list[str]]] = {"titled": {}, "line": {}}
    phrases: dict[str, str] = {}
    spellings: dict[str, dict[str, str]] = {}
    shares: dict[str, str] = {}
    for table in tables:
        for group in table.get("words") or ():
            if group["role"] == "brand":
                brands.update(dict.fromkeys(group["words"], table.get("vendor", "")))
            elif group["role"] in by_line:
                by_line[group["role"]].setdefault(group.get("before", ""), []).extend(group["words"])
            else:
                found[group["role"]] += group["words"]
        phrases.update((phrase["text"], phrase["means"]) for phrase in table.get("phrases") or ())
        for row in table.get("spellings") or ():
            spellings.setdefault(row["place"], {}).update(row["words"])
        shares.update((word, row["says"]) for row in table.get("shares") or () for word in row["words"])
    return {
        "brand": brands,
        **by_line,
        "phrases": sorted(phrases.items(), key=lambda item: -len(item[0])),
        "spellings": spellings,
        "shares": shares,
        **{role: sorted(dict.fromkeys(words), key=lambda word: -len(word)) for role, words in found.items()},
    }


def names_tables(names: Iterable[str]) -> list[str]:
    """Return the names of the tables of words: "names" and "<vendor>/names"."""
    return [name for name in names if name == "names" or (name.endswith("/names") and name.count("/") == 1)]


def named_tables(names: Iterable[str]) -> list[tuple[str, bool]]:
    """Return (name, whether it has words) for the tables that an index is built from, words first."""
    every = tuple(names)
    parts = ([n for n in every if part in f"/{n}"] for part in ("/chips/", "/compute_", "/computers/"))
    return [*((name, True) for name in names_tables(every)), *((name, False) for part in parts for name in part)]
