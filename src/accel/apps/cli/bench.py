"""`accel bench`: how close the devices come to their data sheets, and what limits them."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Final

from accel.apps.cli.parsing import Parser
from accel.apps.cli.source import seconds_option
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.measure.bench.compare import Difference
    from accel.measure.bench.records import Bench
    from accel.measure.bench.running import Progress

_MIN_SHARE: Final = 0.8
_EPILOG: Final = (
    "exit code: 0 measured; 1 a result is below --min-share, or slower than in --compare by more "
    "than the noise; 2 accel failed; 3 nothing was measured, or --min-share was given and no "
    "peak is known; 130 interrupted, with the results so far printed and saved"
)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel bench",
        description="Benchmark devices through the installed torch or JAX: matrix multiplication in each number "
        "format, memory bandwidth, copies between host and devices and between devices, collectives, "
        "launch latency, storage. Reports the share of the peak that each reaches and what limited it: "
        "power, heat, clocks, links, other programs.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    it.add_argument(
        "devices",
        nargs="*",
        metavar="DEVICE",
        help="nvidia:0, cuda:1, a PCI address …; all: the CPU too (default: every accelerator, or the CPU if there is "
        "none)",
    )
    it.add_argument("--quick", action="store_true", help="shorter runs, 10 seconds in total")
    it.add_argument("--only", metavar="KINDS", help="of matmul,memory,transfer,peer,launch,collective,storage")
    it.add_argument(
        "--python", metavar="PATH", help="use the torch or JAX of this Python: an interpreter or a virtual environment"
    )
    it.add_argument("--framework", choices=("torch", "jax"), help="use only this framework")
    it.add_argument("--storage", metavar="FOLDER", help="folder for the storage test's file (default: this folder)")
    it.add_argument("--save", metavar="FILE", help="save the results as JSON, for --compare and accel doctor --from")
    it.add_argument(
        "--identifiers", action="store_true", help="keep this machine's name in the JSON, for accel fleet merge"
    )
    it.add_argument(
        "--compare", metavar="OLD.json", help="report what is slower than in a saved benchmark by more than the noise"
    )
    it.add_argument(
        "--min-share", type=_share, metavar="SHARE", help="exit 1 if a result is below this share of its peak"
    )
    it.add_argument(
        "--baseline", action="store_true", help=f"the same as --min-share {_MIN_SHARE:g}: an acceptance test"
    )
    it.add_argument(
        "--deadline",
        type=seconds_option,
        metavar="SECONDS",
        help="time limit for everything (default 300; 10 with --quick); results up to then are kept",
    )
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def _share(text: str) -> float:
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no part of a peak, such as 0.8 or 80%")
    return found


def run(words: list[str]) -> int:
    """Measure; return the exit code described in --help."""
    options = parser().parse_args(words)
    from accel.apps import bench as benches
    from accel.model.dataclass import replace

    only = tuple(word.strip() for word in (options.only or "").split(",") if word.strip())
    older = benches.read(options.compare) if options.compare else None
    if options.save:
        _check_room(options.save)
    line = _Line()
    try:
        made = benches.run(
            *options.devices,
            quick=options.quick,
            python=options.python,
            framework=options.framework,
            only=only,
            storage=options.storage,
            deadline_seconds=options.deadline,
            report=line.show,
            isolate=True,
        )
    finally:
        line.clear()
    if not options.identifiers:
        made = replace(made, host=None)
    differences = benches.compare(older, made) if older is not None else ()
    _print(made, older, differences, as_json=options.json)
    if options.save:
        _save(options.save, made)
    least = options.min_share or (_MIN_SHARE if options.baseline else None)
    return _code(made, differences, least)


def _print(made: "Bench", older: "Bench | None", differences: "tuple[Difference, ...]", *, as_json: bool) -> None:
    if as_json:
        from accel.apps.render.json import dumps
        from accel.model.to_builtins import plain

        more = {} if older is None else {"compared": [plain(one) for one in differences]}
        members = {**plain(made), **more}
        sys.stdout.write(dumps(members.pop("schema"), **members))
        return
    from accel.apps.render.bench_text import bench_lines, comparison_lines
    from accel.apps.render.width import page_width

    width = page_width()
    sys.stdout.writelines(f"{line}\n" for line in bench_lines(made, width))
    if older is not None:
        sys.stdout.writelines(f"{line}\n" for line in comparison_lines(older, made, differences, width))


def _code(made: "Bench", differences: "tuple[Difference, ...]", least: float | None) -> int:
    from accel.apps.cli.output import say

    if made.ended_by == "interrupt":
        return 130
    shares = [one for one in made.measures if one.share is not None]
    below = [one for one in shares if least is not None and (one.share or 0.0) < least]
    for one in below:
        say(f"{one.device}: {one.name} reaches {one.share:.0%} of its peak, below the {least:.0%} of --min-share.")
    if below or any(one.change == "slower" for one in differences):
        return 1
    if least is not None and not shares:
        say("--min-share: no measure has a known peak, so none could be judged. What is known:  accel specs devices")
        return 3
    return 0 if any(one.value for one in made.measures) else 3


def _check_room(path: str) -> None:
    """Raise BadInput if the file cannot be written: before minutes are spent, not after."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise BadInput(f"{path} cannot be written, so nothing was measured. Give another file.")


def _save(path: str, made: "Bench") -> None:
    from accel.measure.bench.saved import encoded

    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(encoded(made))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. The benchmark was not saved; give another file.") from None


class _Line:
    """The progress line on a terminal, updated in place; elsewhere, only steps that take long are reported."""

    _LONG_SECONDS = 5.0  # after this long a step is reported even without a terminal

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._said: set[str] = set()
        self._wide = 0

    def show(self, progress: "Progress") -> None:
        """Show the current step."""
        place = f"{min(progress.number, progress.count)}/{progress.count}"
        text = f"{place} {progress.step}, {progress.seconds:.0f} s"
        try:
            if self._on_terminal:
                _raw(f"\r{text[:100]:<{self._wide}}")
                self._wide = min(len(text), 100)
            elif progress.seconds >= self._LONG_SECONDS and progress.step not in self._said:
                self._said.add(progress.step)
                print(f"accel: {text} so far", file=sys.stderr)
        except (OSError, ValueError):  # the reader is gone
            self._on_terminal = False

    def clear(self) -> None:
        """Erase the line."""
        if self._on_terminal and self._wide:
            try:
                _raw(f"\r{'':<{self._wide}}\r")
            except (OSError, ValueError):
                pass


def _raw(text: str) -> None:
    """Write to the terminal with the carriage return, which the filter for printable text would remove."""
    stream = getattr(sys.stderr, "styled", sys.stderr)
    stream.write("".join(sign for sign in text if sign.isprintable() or sign == "\r"))
    stream.flush()
