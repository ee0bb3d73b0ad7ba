"""A campaign: mutated inputs until the time is over, each timed; what fails is kept, one file a kind.

    python benchmarks/fuzz.py --seconds 3600 --output failures

Prints a line a minute, and at the end the figures that benchmarks/fuzz.md holds. The same seed makes the same inputs.
"""

import argparse
import gc
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/fuzz"))
from seeds import registry
from targets import TARGETS

SLOW_SECONDS: Final = 5.0  # no input may take longer
_CUT_SECONDS: Final = 30  # of the processor: a run that has not ended by then is cut
_BLOCKED_SECONDS: Final = 600  # of the clock: one that waits for something, and computes nothing
_MOST_BYTES: Final = 1 << 30  # of address space: an input that wants more is a failure, and no harm to the machine
_EACH_KIND: Final = 3  # inputs that are kept of one kind of failure
_NEWS_SECONDS: Final = 60.0


class Hanging(BaseException):
    """Raised in a run that takes too long; no `except Exception` takes it for the code's own."""


def main() -> int:
    """Run; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--inputs", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this one; may be repeated")
    parser.add_argument("--output", type=Path, default=Path("fuzz-failures"), help="folder of the inputs that failed")
    options = parser.parse_args()
    chosen = options.target or list(TARGETS)
    shares = [TARGETS[name].share for name in chosen]
    campaign = Campaign(options.output)
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    for name in chosen:  # what is read once for all
        TARGETS[name].make(Random(0))
    registry()
    gc.freeze()  # a collection need not look at it again
    end, news = time.monotonic() + options.seconds, time.monotonic() + _NEWS_SECONDS
    for number in range(options.inputs):
        random = Random(f"{options.seed} {number}")
        campaign.try_one(random.choices(chosen, shares)[0], random)
        if time.monotonic() > news:
            news += _NEWS_SECONDS
            campaign.tell()
        if time.monotonic() > end:
            break
    campaign.tell()
    return 1 if campaign.kinds or campaign.slow else 0


class Campaign:
    """Counts. kinds: failures by target, exception and place. slow: inputs over SLOW_SECONDS."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.inputs: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.slow: Counter[str] = Counter()
        self.worst: dict[str, float] = {}

    def try_one(self, name: str, random: Random) -> None:
        """Make one input, run it, and keep what failed."""
        text = TARGETS[name].make(random)
        self.inputs[name] += 1
        start = time.process_time()
        try:
            _bounded(_CUT_SECONDS, _BLOCKED_SECONDS)
            TARGETS[name].run(text)
            _bounded(0, 0)
        except (Exception, Hanging) as error:
            _bounded(0, 0)
            self._keep(name, f"{type(error).__name__} {_place(error)}", text, traceback.format_exc())
        spent = time.process_time() - start
        self.worst[name] = max(self.worst.get(name, 0.0), spent)
        if spent > SLOW_SECONDS:
            self.slow[name] += 1
            self._keep(name, "slow", text, f"{spent:.1f} s")

    def tell(self) -> None:
        """Print the figures of now."""
        mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        worst = " ".join(f"{name} {seconds:.2f}s" for name, seconds in self.worst.items())
        sys.stdout.write(
            f"{self.inputs.total()} inputs {dict(self.inputs)}, {self.kinds.total()} failed, kinds: {len(self.kinds)}, "
            f"{self.slow.total()} over {SLOW_SECONDS:g} s; longest: {worst}; peak {mib:.0f} MiB\n"
        )
        for kind, count in self.kinds.most_common():
            sys.stdout.write(f"  {count} × {kind}\n")
        sys.stdout.flush()

    def _keep(self, name: str, kind: str, text: str, told: str) -> None:
        kind = f"{name}: {kind}"
        self.kinds[kind] += 1
        if self.kinds[kind] > _EACH_KIND:
            return
        self.output.mkdir(parents=True, exist_ok=True)
        stem = "".join(sign if sign.isalnum() else "-" for sign in kind)[:80]
        (self.output / f"{stem}-{self.kinds[kind]}.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
        (self.output / f"{stem}-{self.kinds[kind]}.why").write_text(told, encoding="utf-8", errors="replace")


def _bounded(of_the_processor: float, of_the_clock: float) -> None:
    """Raise Hanging after so many seconds. A loaded machine makes the clock run, not the processor's time."""
    signal.setitimer(signal.ITIMER_PROF, of_the_processor)
    signal.setitimer(signal.ITIMER_REAL, of_the_clock)


def _place(error: BaseException) -> str:
    """Return what tells one kind from another: the first words of an assertion, else the innermost line."""
    if isinstance(error, AssertionError):
        return str(error)[:70].split("«")[0]
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


def _hang(number: int, frame: Any) -> None:
    raise Hanging


if __name__ == "__main__":
    sys.exit(main())
