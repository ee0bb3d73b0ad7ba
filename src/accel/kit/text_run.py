"""Tries the plugin's readers on texts: its own, truncated ones, and texts of other programs."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from accel.kit.caller import MOST_ITEMS, Step, not_carried, sentence
from accel.kit.evidence import TextTrial
from accel.kit.faulty import cut
from accel.kit.situations import GARBAGE
from accel.kit.watch import Watch
from accel.model.report import Report
from accel.text.clean import clean
from accel.vendors.contract.backend import Reader, Reading, has_sign

if TYPE_CHECKING:
    from accel.plugins.registry import Registry
    from accel.vendors.contract.check import Check

_CUTS: Final = (0.03, 0.17, 0.31, 0.5, 0.66, 0.83, 0.97)
_SECONDS: Final = 3.0
_PROSE: Final = "I had installed {sign} last week and then it did not work any more, does anybody know why?\n"
FOREIGN: Final[Mapping[str, str]] = {
    "an empty text": "",
    "a web server's error page": GARBAGE,
    "a question in prose": "Hello, my training is slow since Tuesday. Device 0 is busy, 45 C and 300 W. Any idea?\n"
    * 3,
    "a Python traceback": 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
    "    main()\nValueError: 0 | 1 | 2 are not 65536 MiB\n",
    "a list of files": "total 8\n-rw-r--r-- 1 root root 4096 Jan  1 00:00 readme.txt\n-rw-r--r-- 1 root "
    "root 0 Jan 1 x\n",
    "an empty table": "+-----+-----+\n| A   | B   |\n+=====+=====+\n| N/A | N/A |\n+-----+-----+\n",
    "JSON of something else": '{"items": [{"name": "x", "id": 0, "value": null}], "error": "denied", "devices": []}\n',
    "lines of noise": "\x01\ufffd|:;,=[]{}()<>%\\ 0 0 0 -1 nan\n" * 20,
    "a very long line": "0 | 1, " * 20_000,
}
_OF_ENDLESS: Final = 100  # readings kept from an endless reader


def texts_to_try(own: Mapping[str, str], readers: Sequence[Reader]) -> Iterator[tuple[str, str, float, bool]]:
    """Yield (name, text, fraction of it given, whether it is foreign)."""
    for name, text in own.items():
        yield name, text, 1.0, False
        for share in _CUTS:
            yield name, cut(text, share), share, False
    for name, text in FOREIGN.items():
        yield name, text, 1.0, True
    for sign in dict.fromkeys(sign for reader in readers for sign in reader.signs):
        if isinstance(sign, str):
            yield f"prose that mentions {sign!r}", _PROSE.format(sign=sign), 1.0, True


def try_text(
    name: str, text: str, share: float, foreign: bool, readers: Sequence[Reader], watch: Watch, step: Step,
    skip: frozenset[str],
) -> TextTrial:  # fmt: skip
    """Run every reader that is not skipped on the text."""
    found: list[Report] = []
    read, raised, odd = [], [], []
    text = clean(text)
    slowest = 0.0
    with watch.watching() as effects:
        for reader in readers:
            method = f"reader-{reader.name}"
            if method in skip or not has_sign(reader, text.lower()):
                continue
            with watch.allowed():
                step(
                    method,
                    f"reader {reader.name}",
                    name if share == 1.0 else f"{name}, cut at {share:.0%}",
                    "",
                    _SECONDS,
                )
            start = time.perf_counter()
            try:
                readings = list(islice(reader.read(text), MOST_ITEMS + 1))
            except (Exception, SystemExit) as error:
                raised.append((reader.name, sentence(error), watch.line_of(error.__traceback__)))
                continue
            slowest = max(slowest, time.perf_counter() - start)
            if len(readings) > MOST_ITEMS:
                odd.append((reader.name, f"gives more than {MOST_ITEMS} readings of one text"))
            odd += [
                (reader.name, f"gives {r!r:.40}, which is no Reading") for r in readings[:9] if type(r) is not Reading
            ]
            kept = readings if len(readings) <= MOST_ITEMS else readings[:_OF_ENDLESS]
            reports = [p for r in kept if isinstance(r, Reading) for p in r.reports]
            found += [p for p in reports if isinstance(p, Report)]
            if readings:
                read.append(reader.name)
    carried = not_carried(found)
    return TextTrial(
        name=name,
        cut=share,
        foreign=foreign,
        reports=() if carried else tuple(found),
        read=tuple(read),
        raised=tuple(raised),
        odd=tuple(odd),
        carried=carried,
        seconds=slowest,
        effects=tuple(effects),
    )


def judge_text(name: str, text: str, registry: "Registry", checks: Sequence["Check"]) -> TextTrial:
    """Return the plugin's findings for a text, as `accel doctor --from` would report them."""
    from accel.collect.text import read_texts
    from accel.kit.kit_run import judged

    snapshot = read_texts([(name, text)], registry)
    return TextTrial(name=name, **judged(snapshot, registry.specs, checks, registry.rules))
