"""Texts made of what the tree holds, recorded or of checks' cases: said over and over, and JSON widened."""

import json
import string
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/fuzz"))

from hostile_lines import distinct, filled, letters, repeated

_WIDEST = 4  # documents of one tool that are widened
Make = Callable[[int], str]


def of_readers() -> dict[str, Make]:
    """Return the text of each reader, said over and over: as it stands, and with no two lines alike."""
    made: dict[str, Make] = {}
    for name, text in texts_of_readers().items():
        made[f"{name}, repeated"] = lambda size, text=text: (text.rstrip() + "\n\n") * (size // len(text) + 1)
        made[f"{name}, repeated, lettered"] = lambda size, text=text: repeated(text, size)
        for number, document in enumerate(_json_in(text)[:_WIDEST]):
            made[f"{name}, widened {number}"] = lambda size, document=document: json.dumps(widened(document, size))
            made[f"{name}, widened {number}, in lines"] = lambda size, document=document: json.dumps(
                widened(document, size // 2), indent=1
            )
    return made


def of_tree() -> dict[str, Make]:
    from seeds import texts

    every = [text for text in texts() if len(text) > 2000][::40]
    errors = sorted({line for text in texts() for line in text.split("\n") if "rror" in line and len(line) < 300})
    return {
        "every error of the tree": lambda size: filled([*errors], size),
        "every error of the tree, lettered": lambda size: distinct(
            lambda n: f"{errors[n % len(errors)]} {letters(n)}", size
        ),
        "every text of the tree": lambda size: ("\n\n".join(texts()) * (1 + size // 1_000_000))[:size],
        **{
            f"text {n} of the tree, repeated": lambda size, text=text: (text + "\n") * (size // len(text) + 1)
            for n, text in enumerate(every)
        },
    }


def texts_of_readers() -> dict[str, str]:
    """Return, for each reader that reads some text of the tree, the longest of the first few, by the reader's name."""
    from seeds import registry, texts

    found: dict[str, list[str]] = {}
    lowered = [(text, text.lower()) for text in texts()]
    for reader in registry().all_readers:
        signs = [sign.lower() for sign in reader.signs]
        for text, lower in lowered:
            if (
                len(found.get(reader.name, ())) < 3
                and any(sign in lower for sign in signs)
                and any(True for _ in reader.read(text))
            ):
                found.setdefault(reader.name, []).append(text)
    return {name: max(several, key=len) for name, several in found.items()}


def _json_in(text: str) -> list[Any]:
    """Return the documents of a text that hold more than a word."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (begin := min((place for sign in "{[" if (place := text.find(sign, at)) >= 0), default=-1)) >= 0:
        try:
            document, at = decoder.raw_decode(text, begin)
        except ValueError:
            at = begin + 1
            continue
        if at - begin > 60:
            found.append(document)
    return found


def widened(document: Any, size: int) -> Any:
    """Return a document whose longest container is repeated until it makes up a size, its keys numbered."""
    inner = document
    while isinstance(inner, dict) and len(inner) == 1 and isinstance(next(iter(inner.values())), dict | list):
        inner = next(iter(inner.values()))
    times = size // max(1, len(json.dumps(inner))) + 1
    if isinstance(inner, list):
        more: Any = inner * times
    else:
        more = {
            f"{key.rstrip(string.digits)}{n}" if n else key: value for n in range(times) for key, value in inner.items()
        }
    if inner is document:
        return more
    out: Any = more
    keys, at = [], document
    while at is not inner:
        keys.append(next(iter(at)))
        at = at[keys[-1]]
    for key in reversed(keys):
        out = {key: out}
    return out
