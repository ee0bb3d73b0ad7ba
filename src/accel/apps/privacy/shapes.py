"""Credentials without any name: random runs of letters and digits, and encoded "user:password". Pure.

kJ8sq1ZzT0pLmNb47VxCwQe9      amFuZTpodW50ZXIy      9f86d081884c7d659a2feaa0c55ad015

What a diagnosis needs looks different: words in capitals (cudaErrorNoDevice), compiler symbols, paths, digests after
a word that labels them.
"""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from accel.apps.privacy.tables import pattern
from accel.apps.privacy.values import Place

_RUN: Final = re.compile(r"(?<![A-Za-z0-9+/_.\\%$@-])[A-Za-z0-9][A-Za-z0-9+/_-]{14,2000}={0,2}(?![A-Za-z0-9%])")
_LABELS: Final = ("GPU-", "MIG-", "NPU-", "TPU-", "DPU-", "HPU-", "MLU-")  # of a board's unique id
_SYMBOL: Final = re.compile(r"_?_?Z[A-Z0-9]")  # a C++ symbol
_CHECKSUM: Final = re.compile(r" [ *][\w./-]")  # md5sum(1): the digest, then the file
_SYLLABLES: Final = re.compile(r"[a-z]{4,}")
_WORDS: Final = re.compile(r"[A-Z]?(?=[a-z]{0,8}[aeiouy])[a-z]{3,}")  # in an identifier: Model0_WithLoss_0
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_IRREGULAR: Final = 0.42
_LOOK_BACK: Final = 24
_SHORTEST: Final = 20
_SHORTEST_HEX: Final = 24
_SHORTEST_ENCODED, _LONGEST_ENCODED = 15, 400


def unnamed(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such credential."""
    for match in _RUN.finditer(text):
        run = match[0]
        if run.startswith(_LABELS):
            continue
        if (
            pattern("licence_key").fullmatch(run)
            or is_encoded_text(run)
            or (len(run) >= _SHORTEST and is_drawn(run.rstrip("=")))
        ):
            before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
            if not pattern("digest_before").search(before) and not _CHECKSUM.match(text, match.end()):
                yield match.span()


def is_drawn(run: str) -> bool:
    """Return whether the letters and digits of a run are random.

    >>> is_drawn("kJ8sq1ZzT0pLmNb47VxCwQe9"), is_drawn("cudaErrorInsufficientDriver2")
    (True, False)
    """
    bare = re.sub(r"[+/_-]", "", run)
    signs = len(run) - len(bare)
    digits = sum(map(str.isdecimal, bare))
    if not digits or digits == len(bare) or signs > max(1, len(run) // 10):
        return False
    if _HEX.fullmatch(bare):
        return signs == 0 and len(bare) >= _SHORTEST_HEX and digits < len(bare) * 0.9 and len(set(bare)) >= 8
    turns = _turns(bare)
    mixed = 0 < sum(map(str.isupper, bare)) < len(bare) - digits
    if mixed:
        if 5 * sum(map(len, _WORDS.findall(run))) >= 3 * len(bare):
            return False
        words = sum(map(len, _SYLLABLES.findall(bare)))
        return turns >= (0.33 if digits >= 2 else _IRREGULAR) and words * 5 < len(bare) * 2 and not _SYMBOL.match(run)
    return signs == 0 and len(bare) >= _SHORTEST_HEX and digits >= 4 and turns >= 0.25


def is_irregular(run: str) -> bool:
    """Return whether capitals, small letters and digits alternate as in no word.

    >>> is_irregular("lcCwESHREcaCzQ"), is_irregular("cudaMemcpyAsync")
    (True, False)
    """
    return _turns(run) >= _IRREGULAR


def _turns(run: str) -> float:
    """Return the fraction of positions at which the kind of character changes: 0 to 1."""
    kinds = [2 if c.isdecimal() else c.isupper() for c in run]
    return sum(a != b for a, b in pairwise(kinds)) / max(1, len(run) - 1)


def is_encoded_text(run: str) -> bool:
    """Return whether a run is base64 of "user:password", or of a longer text.

    >>> is_encoded_text("amFuZTpodW50ZXIy"), is_encoded_text("libtorch/lib/core")
    (True, False)
    """
    bare = run.rstrip("=")
    if (
        not _SHORTEST_ENCODED <= len(bare) <= _LONGEST_ENCODED
        or len(bare) % 4 == 1
        or bare.islower()
        or bare.isdecimal()
    ):
        return False
    try:
        told = b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4)).decode("ascii").rstrip("\n")
    except (Error, UnicodeDecodeError):
        return False
    return told.isprintable() and any(map(str.isalpha, told))
