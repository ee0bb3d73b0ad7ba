"""`accel bench`: how close the devices come to their data sheets, and what limits them."""

import argparse
import os
from typing import TYPE_CHECKING, Final

from accel.apps.cli.output import ProgressLine, save, say, write_json, write_lines
from accel.apps.cli.parsing import Parser, seconds, share
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
        "--min-share", type=share, metavar="SHARE", help="exit 1 if a result is below this share of its peak"
    )
    it.add_argument(
        "--baseline", action="store_true", help=f"the same as --min-share {_MIN_SHARE:g}: an acceptance test"
    )
    it.add_argument(
        "--deadline",
        type=seconds,
        metavar="SECONDS",
        help="time limit for everything (default 300; 10 with --quick); results up to then are kept",
    )
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Measure; return the exit code described in --help."""
    options = parser().parse_args(words)
    from accel.apps import bench as benches
    from accel.measure.bench.saved import encoded
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
        save(options.save, encoded(made), "The benchmark was not saved; give another file.")
    least = options.min_share or (_MIN_SHARE if options.baseline else None)
    return _code(made, differences, least)


def _print(made: "Bench", older: "Bench | None", differences: "tuple[Difference, ...]", *, as_json: bool) -> None:
    if as_json:
        from accel.model.to_builtins import plain

        more = {} if older is None else {"compared": [plain(one) for one in differences]}
        members = {**plain(made), **more}
        write_json(members.pop("schema"), **members)
        return
    from accel.apps.render.bench_text import bench_lines, comparison_lines
    from accel.apps.render.width import page_width

    width = page_width()
    write_lines(bench_lines(made, width))
    if older is not None:
        write_lines(comparison_lines(older, made, differences, width))


def _code(made: "Bench", differences: "tuple[Difference, ...]", least: float | None) -> int:
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


class _Line:
    """The progress line on a terminal; elsewhere, only steps that take long are reported."""

    _LONG_SECONDS = 5.0  # after this long a step is reported even without a terminal

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._said: set[str] = set()
        self.clear = self._line.clear

    def show(self, progress: "Progress") -> None:
        """Show the current step."""
        place = f"{min(progress.number, progress.count)}/{progress.count}"
        text = f"{place} {progress.step}, {progress.seconds:.0f} s"
        if self._line.on_terminal:
            self._line.show(text)
        elif progress.seconds >= self._LONG_SECONDS and progress.step not in self._said:
            self._said.add(progress.step)
            say(f"{text} so far")
