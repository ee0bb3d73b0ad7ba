"""How long accel reads texts that were made to keep it busy, and how much memory that takes.

    python benchmarks/hostile.py                     1 MB of each kind, then 24 MB of each
    python benchmarks/hostile.py --size 1 --only signs,blanks
    python benchmarks/hostile.py --endless           /dev/zero, a pipe without end, a FIFO that nobody writes to

Each text is read by a child (`accel doctor --from FILE --json`), whose seconds and peak of memory are printed; start-up
is part of both, of an accel whose bytecode is there, as pip leaves it. Exit code 1 where a text of 1 MB took more than
1 s of an idle processor or 300 MB, one of 24 MB more than 5 s or 400 MB, or where the child ended otherwise than accel
promises (0 to 3).

Beside others a processor does less in a second. A loop is timed before and after each text; by how much it took longer
than at its best, so much is taken off: "idle" is what is left.
"""

import argparse
import atexit
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from hostile_texts import kinds

MEGABYTE = 1_000_000
SECONDS = {1: 1.0, 24: 5.0}  # by megabytes
MOST_MEMORY = {1: 300 * MEGABYTE, 24: 400 * MEGABYTE}
LOOPS = 60  # of which the fastest tells what the processor does alone
SEED = 9


def measured(arguments: list[str], **options: object) -> tuple[float, float, int, int]:
    """Return the seconds of the clock and of the processor, the peak of memory in bytes and the exit code of a child.

    It is killed after five minutes: exit code -9.
    """
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "accel", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=compiled(),
        **options,
    )  # type: ignore[call-overload]
    pid, status, used = 0, 0, resource.struct_rusage([0] * 16)
    while not pid:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if not pid and time.perf_counter() - start > 300:
            child.kill()
            pid, status, used = os.wait4(child.pid, 0)
        time.sleep(0.01)
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * unit, child.returncode


@cache
def compiled() -> dict[str, str]:
    """Return an environment in which bytecode is kept, after a first run that makes it."""
    folder = tempfile.mkdtemp(prefix="accel-hostile-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    for text in ("RuntimeError: No CUDA GPUs are available", "GPU 0: NVIDIA A100"):
        subprocess.run([sys.executable, "-m", "accel", "doctor", "--json"], env=kept, capture_output=True, check=False)
        subprocess.run(
            [sys.executable, "-m", "accel", "doctor", "--from", "-", "--json"],
            env=kept,
            input=text.encode(),
            capture_output=True,
            check=False,
        )
    return kept


@cache
def strewn() -> tuple[list[str], dict[str, int]]:
    """Return words that lie all over the memory, and a dictionary of them."""
    drawn = random.Random(SEED)
    words = [f"{drawn.random():.12f} error torch {number}" for number in range(50_000)]
    numbers = {word: number for number, word in enumerate(words)}
    drawn.shuffle(words)
    return words, numbers


def loop() -> float:
    """Return the seconds of the processor that a fixed piece of work takes now: as much looking up as matching."""
    words, numbers = strewn()
    form = re.compile(r"\b(?:error|fail|torch \d+)\b.{0,20}7", re.IGNORECASE)
    start = time.process_time()
    sum(numbers[word] for word in words[:30_000])
    sum(form.search(word) is not None for word in words[:15_000])
    return time.process_time() - start


@cache
def fastest() -> float:
    return min(loop() for _ in range(LOOPS))


def shown(name: str, size: str, arguments: list[str], limit: float, **options: object) -> bool:
    """Read a text and print a row; say whether it keeps the limits."""
    alone, before = fastest(), loop()
    seconds, busy, memory, code = measured(arguments, **options)
    idle = busy * alone / max(alone, (before + loop()) / 2)
    most = MOST_MEMORY[1] if size == "1" else MOST_MEMORY[24]
    right = idle <= limit and memory <= most and code in (0, 1, 2, 3)
    figures = f"{seconds:.2f} | {busy:.2f} | {idle:.2f} | {memory / MEGABYTE:.0f} | {code}"
    print(f"| {name} | {size} | {figures} | {'' if right else 'over'} |", flush=True)
    return right


def endless() -> bool:
    """Read what has no end."""
    right = True
    if os.path.exists("/dev/zero"):
        right &= shown("/dev/zero", "no end", ["doctor", "--from", "/dev/zero"], 5.0)
        with open("/dev/zero", "rb") as zero:
            right &= shown("stdin of zeros", "no end", ["doctor", "--from", "-"], 5.0, stdin=zero)
    yes = subprocess.Popen(["yes", "torch 2.1.0 error"], stdout=subprocess.PIPE)
    right &= shown("stdin of lines", "no end", ["doctor", "--from", "-"], 5.0, stdin=yes.stdout)
    yes.kill()
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        right &= shown("a FIFO nobody writes to", "0", ["doctor", "--from", fifo], 15.0)
    return right


def main() -> int:
    """Read every text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--size", type=int, nargs="*", default=[1, 24], help="megabytes")
    parser.add_argument("--only", default="", help="names, or parts of them, with commas between")
    parser.add_argument("--endless", action="store_true", help="only what has no end")
    options = parser.parse_args()
    print("| text | MB | seconds | of the processor | idle | peak MB | exit | |\n|---|---|---|---|---|---|---|---|")
    if options.endless:
        return 0 if endless() else 1
    right = True
    wanted = [part for part in options.only.split(",") if part]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.txt"
        for size in options.size:
            for name, make in kinds().items():
                if wanted and not any(part in name for part in wanted):
                    continue
                path.write_text(make(size * MEGABYTE), encoding="utf-8")
                limit = SECONDS.get(size, SECONDS[24])
                right &= shown(name, str(size), ["doctor", "--from", str(path), "--json"], limit)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
