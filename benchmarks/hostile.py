"""How long accel reads texts that were made to keep it busy, and how much memory that takes.

    python benchmarks/hostile.py                     1 MB of each kind, then 24 MB of each
    python benchmarks/hostile.py --size 1 --only signs,blanks
    python benchmarks/hostile.py --endless           /dev/zero, a pipe without end, a FIFO that nobody writes to

Each text is read by a child (`accel doctor --from FILE --json`), whose seconds and peak of memory are printed; start-up
is part of both. Exit code 1 where a text of 1 MB took more than 1 s of the processor, one of 24 MB more than 5 s, one
more than 400 MB, or where the child ended otherwise than accel promises (0 to 3).
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

MEGABYTE = 1_000_000
SECONDS = {1: 1.0, 24: 5.0}  # by megabytes
MOST_MEMORY = 400 * MEGABYTE
SEED = 9


def pieces_of_readers() -> list[str]:
    """Return what makes readers begin: their signs."""
    from accel.plugins.registry import Registry

    return sorted({sign for reader in Registry({}).all_readers for sign in reader.signs})


def partial_matches() -> list[str]:
    """Return, for each expression of accel, a text that it matches nearly: what is required of it, without its end."""
    from accel.text.pattern import Pattern

    forms = set()
    import pkgutil
    from importlib import import_module

    from accel.plugins.registry import Registry

    packages = [
        import_module("accel.facts.readers"),
        *(import_module(f"accel_{b.name}") for b in Registry({}).backends),
    ]
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".readers." in found.name:
                import_module(found.name)
    for module in [module for name, module in sys.modules.items() if name.startswith("accel")]:
        for value in vars(module).values():
            if isinstance(value, Pattern):
                forms.add((value.pattern, value.flags))
    return [text for form in sorted(forms) if len(text := near(*form)) > 2]


def near(form: str, flags: int) -> str:
    """Return a text that an expression matches but for its last part; each loop goes round twice."""
    if sys.version_info >= (3, 11):
        from re import _parser as parser
    else:
        import sre_parse as parser

    def written(items: object) -> Iterator[str]:
        for operation, argument in items:  # type: ignore[attr-defined]
            name = str(operation)
            if name == "LITERAL":
                yield chr(argument)
            elif name == "IN":
                yield of_set(argument)
            elif name in ("ANY", "NOT_LITERAL"):
                yield "a"
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, body = argument
                yield "".join(written(body)) * min(max(least, 2), int(most))
            elif name == "SUBPATTERN":
                yield "".join(written(argument[3]))
            elif name == "BRANCH":
                yield "".join(written(argument[1][0]))

    return "".join(list(written(parser.parse(form, flags)))[:-1])


def of_set(items: object) -> str:
    """Return a character of a set."""
    for kind, value in items:  # type: ignore[attr-defined]
        if str(kind) == "NEGATE":
            return "a"
        if str(kind) == "LITERAL":
            return chr(value)
        if str(kind) == "RANGE":
            return chr(value[0])
        if str(kind) == "CATEGORY":
            return {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7"}.get(str(value), "a")
    return "a"


def filled(lines: Iterator[str] | list[str], size: int) -> str:
    """Return lines, over and over, until they make up a size; each with a number, so that no two are alike."""
    out, length = [], 0
    for number, line in enumerate(cycle(lines)):
        out.append(line.replace("#n", f"{number:x}"))
        length += len(out[-1]) + 1
        if length >= size:
            return "\n".join(out)[:size]
    return ""


def letters(number: int) -> str:
    """Return a number in letters: lines that differ by their digits alone are read a few dozen times."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def distinct(line: Callable[[int], str], size: int) -> str:
    """Return lines made of their numbers until they make up a size."""
    out, length, number = [], 0, 0
    while length < size:
        out.append(line(number))
        length += len(out[-1]) + 1
        number += 1
    return "\n".join(out)[:size]


def kinds() -> dict[str, Callable[[int], str]]:
    """Return how each kind of text is made, by name."""
    signs, parts = pieces_of_readers(), partial_matches()
    mixed = random.Random(SEED)
    traceback = "Traceback (most recent call last):\n" + '  File "/srv/{0}.py", line 7, in {0}\n    import torch\n' * 9
    table = (
        "| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2     |\n"
        "|   {0}  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
        "| N/A   30C    P0    61W / 400W |   {0} MiB / 81920MiB |      0%      Default |"
    )
    return {
        "one line of a": lambda size: "a" * size,
        "one line of blanks": lambda size: " " * size,
        "one line of =": lambda size: "=" * size,
        "one line of digits": lambda size: "7" * size,
        "one line of dots": lambda size: "1." * (size // 2),
        "one line of |": lambda size: "| " * (size // 2),
        "one line of [": lambda size: "[" * size,
        "one line of {": lambda size: '{"a":' * (size // 5),
        "one line of <": lambda size: "<a " * (size // 3),
        "one line of \\": lambda size: "\\" * size,
        "one line of words": lambda size: "error torch cuda failed " * (size // 24),
        "one line of signs": lambda size: (" ".join(signs) + " ") * (size // len(" ".join(signs)) + 1),
        "one line of near matches": lambda size: (" ".join(parts) + " ") * (size // len(" ".join(parts)) + 1),
        "blank lines": lambda size: "\n" * size,
        "lines of blanks": lambda size: distinct(lambda n: " " * (n % 900) + letters(n), size),
        "lines of =": lambda size: distinct(lambda n: "=" * (n % 120) + letters(n), size),
        "lines of 4000 letters": lambda size: distinct(lambda n: letters(n) * (4000 // len(letters(n))), size),
        "lines of 4000 blanks": lambda size: distinct(lambda n: letters(n) + " " * 4000 + "x", size),
        "signs": lambda size: filled([f"{sign} {'x' * 20} #n" for sign in signs], size),
        "signs and blanks": lambda size: filled([sign + " " * 300 + "x#n" for sign in signs], size),
        "near matches": lambda size: filled([*parts], size),
        "near matches, lettered": lambda size: distinct(lambda n: parts[n % len(parts)] + " " + letters(n), size),
        "near matches, over and over": lambda size: distinct(lambda n: (parts[n % len(parts)] + " ") * 20, size),
        "kernel lines": lambda size: distinct(
            lambda n: (
                f"[{n}.000001] NVRM: Xid (PCI:0000:{n % 256:02x}:00): {n % 150}, pid={n}, {letters(n)} Ch 00000008"
            ),
            size,
        ),
        "bus errors": lambda size: distinct(
            lambda n: f"pcieport 0000:{n % 256:02x}:00.0: AER: Corrected error message {letters(n)} received", size
        ),
        "tracebacks": lambda size: distinct(lambda n: traceback.format(letters(n)) + f"{letters(n)}Error: no", size),
        "tables": lambda size: distinct(lambda n: table.format(n % 1000), size),
        "packages": lambda size: distinct(lambda n: f"{letters(n)}-torch   {n}.{n}.0+cu{n}", size),
        "variables": lambda size: distinct(lambda n: f"export CUDA_{letters(n).upper()}={letters(n)}", size),
        "commands": lambda size: distinct(
            lambda n: f"$ docker run --gpus all -e A={letters(n)} {letters(n)} bash", size
        ),
        "segments of torch": lambda size: distinct(
            lambda n: f"Tried to allocate {n}.00 MiB. GPU {n} has a total capacity of {n} GiB {letters(n)}", size
        ),
        "XML": lambda size: "<nvidia_smi_log>" + distinct(lambda n: f"<gpu id='{n}'><{letters(n)}>", size),
        "JSON, nested": lambda size: '{"card0": ' * (size // 10),
        "entities": lambda size: "&amp;" * (size // 5),
        "terminal codes": lambda size: "\x1b[31m\x1b]0;" * (size // 9),
        "quotes": lambda size: distinct(lambda n: "> " * (n % 300) + letters(n), size),
        "fences": lambda size: distinct(lambda n: "```" + letters(n), size),
        "Chinese": lambda size: distinct(lambda n: "驱动版本不匹配" * 20 + letters(n), size // 3),
        "random letters": lambda size: distinct(
            lambda n: "".join(mixed.choices("abcdefgh 0123456789.:=|-_/()[]", k=100)), size
        ),
        "carriage returns": lambda size: "12%|\r" * (size // 5),
    }


def measured(arguments: list[str], **options: object) -> tuple[float, float, int, int]:
    """Return the seconds of the clock and of the processor, the peak of memory in bytes and the exit code of a child.

    It is killed after a minute: exit code -9.
    """
    start = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "accel", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options
    )  # type: ignore[call-overload]
    pid, status, used = 0, 0, resource.struct_rusage([0] * 16)
    while not pid:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if not pid and time.perf_counter() - start > 60:
            child.kill()
            pid, status, used = os.wait4(child.pid, 0)
        time.sleep(0.01)
    child.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * unit, child.returncode


def shown(name: str, size: str, result: tuple[float, float, int, int], limit: float) -> bool:
    """Print a row; say whether it keeps the limits."""
    seconds, busy, memory, code = result
    right = busy <= limit and memory <= MOST_MEMORY and code in (0, 1, 2, 3)
    figures = f"{seconds:.2f} | {busy:.2f} | {memory / MEGABYTE:.0f} | {code}"
    print(f"| {name} | {size} | {figures} | {'' if right else 'over'} |", flush=True)
    return right


def endless() -> bool:
    """Read what has no end."""
    right = True
    if os.path.exists("/dev/zero"):
        right &= shown("/dev/zero", "no end", measured(["doctor", "--from", "/dev/zero"]), 5.0)
        with open("/dev/zero", "rb") as zero:
            right &= shown("stdin of zeros", "no end", measured(["doctor", "--from", "-"], stdin=zero), 5.0)
    yes = subprocess.Popen(["yes", "torch 2.1.0 error"], stdout=subprocess.PIPE)
    right &= shown("stdin of lines", "no end", measured(["doctor", "--from", "-"], stdin=yes.stdout), 5.0)
    yes.kill()
    with tempfile.TemporaryDirectory() as folder:
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        right &= shown("a FIFO nobody writes to", "0", measured(["doctor", "--from", fifo]), 15.0)
    return right


def main() -> int:
    """Read every text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])  # type: ignore[union-attr]
    parser.add_argument("--size", type=int, nargs="*", default=[1, 24], help="megabytes")
    parser.add_argument("--only", default="", help="names, or parts of them, with commas between")
    parser.add_argument("--endless", action="store_true", help="only what has no end")
    options = parser.parse_args()
    print("| text | MB | seconds | of the processor | peak MB | exit | |\n|---|---|---|---|---|---|---|")
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
                right &= shown(name, str(size), measured(["doctor", "--from", str(path), "--json"]), limit)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
