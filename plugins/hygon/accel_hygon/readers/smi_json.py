"""`hy-smi --show… --json`.

    {"card0": {"Card Series": "K100_AI", "Card Vendor": "Chengdu Haiguang IC Design Co., Ltd.",
               "HCU use (%)": "0.0", "vram Total Memory (MiB)": "65520", "vram Total Used Memory (MiB)": "3"},
     "system": {"Driver version": "6.3.16"}}

Seen    DTK 24.04 to 26.04, valid and with its commas missing. AMD's rocm-smi has the same format: see smi_facts.py.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.amounts import word
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_hygon.readers.loose_json import objects
from accel_hygon.readers.smi_facts import device, is_hygon, reading

SOURCE: Final = "hy-smi json"
_CARD: Final = pattern(r"card(\d{1,3})")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all cards, if any card has Hygon's keys."""
    cards: dict[int, dict[str, str]] = {}
    driver: str | None = None
    for name, pairs in objects(text):
        found = _CARD.fullmatch(name)
        if found:
            cards[int(found[1])] = {**pairs, **cards.get(int(found[1]), {})}
        driver = driver or next((word(v) for k, v in pairs.items() if k.lower() == "driver version"), None)
    if any(is_hygon(facts) for facts in cards.values()):
        yield reading(SOURCE, [device(index, facts) for index, facts in sorted(cards.items())], driver, 64)


READER: Final = Reader(name=SOURCE, signs=('"card',), read=read)
