"""Texts that name no fault and no device: what lies about in a log, a paste or a file that somebody gives by mistake.

    for name, write in UNRELATED.items():
        text = write(Random(1))

The sentences were written for this file; the forms are those of common tools. Each is full of what readers could take
for something else: versions, dates, amounts with units, addresses, words such as "error", names of libraries in code.
"""

from collections.abc import Callable, Iterable
from random import Random
from typing import Final

Write = Callable[[Random], str]

_PROSE: Final[dict[str, tuple[str, ...]]] = {
    "english": (
        "The committee met on {date} and approved {n} items; the budget rose from {n} to {n} thousand.",
        "We moved the archive of {n} GiB to another shelf, which took {n} hours and {m} minutes.",
        "Version {v} of the handbook replaces version {v}; chapters {m} to {m} are unchanged.",
        "Thu Jan 1 00:00:00 1970 is where the clock of the old building stopped.",
        "He found version {n} of the letter in box {m}, beside {n} MiB of photographs.",
        "They process {n} tokens/s on a good day, and {m} % less on Mondays.",
        "The error in table {m} was ours: it should read {v} instead of {v}.",
        "No driver is allowed to park bus {m} in front of gate {m} after {m}:00.",
        "Room {m} has {m} °C in winter, draws {n} W and has been free since {date}.",
    ),
    "german": (
        "Die Sitzung am {date} dauerte {m} Minuten; {n} Seiten wurden geprüft.",
        "Version {v} des Handbuchs ersetzt Version {v}, Kapitel {m} bleibt unverändert.",
        "Der Fahrer meldete einen Fehler an Bus {m}, der um {m} Uhr behoben war.",
    ),
    "french": (
        "La réunion du {date} a duré {m} minutes ; {n} pages ont été relues.",
        "La version {v} du manuel remplace la version {v}.",
        "L'erreur du tableau {m} est corrigée : il fallait lire {v}.",
    ),
    "spanish": ("La reunión del {date} duró {m} minutos.", "La versión {v} sustituye a la {v}; no hay error en {m}."),
    "russian": ("Совещание {date} длилось {m} минут.", "Версия {v} заменяет версию {v}, ошибок не найдено."),
    "chinese": (
        "会议于 {date} 召开，历时 {m} 分钟。",
        "第 {m} 章没有变化，版本 {v} 取代版本 {v}。",
        "共有 {n} 页，错误 0 处。",
    ),
    "japanese": (
        "会議は {date} に開かれ、{m} 分で終わりました。",
        "第 {m} 章は変わりません。版 {v} を版 {v} に改めます。",
    ),
}
_PYTHON: Final = (
    "import {lib}",
    "from {lib}.utils import load_{word}, save_{word}",
    "def {word}(x: int = {m}, path: str = '/data/{word}/{m}') -> float:",
    "    try:",
    "    return x * {v} / {n}",
    "    except ValueError as error:",
    "        raise RuntimeError(f'cannot read {{path}}: {{error}}')",
    "        logger.error('no %s in %s', name, path)",
    "    if torch.cuda.is_available() and args.device != 'cpu':",
    "        model = model.to('cuda:{m}')",
    "    assert len(x) == {m}, 'expected {m} rows'",
    "    # {word} of version {v}, see page {n}",
    "    with torch.no_grad():",
    "    parser.add_argument('--{word}', type=int, default={n})",
)
_C: Final = (
    "#include <{lib}.h>",
    "static int {word}(struct device *dev, u32 flags)",
    "\tif (!dev) return -EINVAL;",
    "\tcudaMalloc(&buf, {n} * sizeof(float));",
    "\tif (err != cudaSuccess) goto out;",
    '\tprintk(KERN_ERR "%s: timeout after %d ms\\n", __func__, {n});',
    "\tret = ioctl(fd, {hex}, &arg); /* {word} */",
    "#define {WORD}_MAX {n}",
    "\treturn {hex};",
    '\tcase {n}: return "{word} failed";',
    '\tdev_err(dev, "error %d\\n", {n});',
    "}",
)
_BUILD: Final = (
    "[ {m}%] Building CXX object src/CMakeFiles/{word}.dir/{word}.cpp.o",
    "[{m}/{n}] g++ -O2 -Wall -std=c++17 -c {word}.cc -o {word}.o",
    "-- Looking for {word}.h - found",
    "-- Found ZLIB: /usr/lib/x86_64-linux-gnu/libz.so (found version {v})",
    "checking for {word}... yes",
    "make[{m}]: Entering directory '/src/{word}'",
    "{word}.c:{n}:{m}: warning: unused variable 'err' [-Wunused-variable]",
    "   Compiling {word} v{v}",
    "added {n} packages, and audited {n} packages in {m}s",
    "{m} passed, {m} skipped, 0 failed in {v}s",
    "Requirement already satisfied: {lib}-utils>={v} in ./lib/python3.11/site-packages ({v})",
)
_SHELL: Final = (
    "  {n}  cd ~/projects/{word}",
    "  {n}  git commit -am 'fix error in {word}'",
    "  {n}  grep -rn 'error {m}' logs/ | wc -l",
    "  {n}  vim {word}-{v}.txt",
    "  {n}  tar xf {word}-{v}.tar.gz",
    "  {n}  curl -s localhost:{n}/{word}",
    "  {n}  du -sh /data/{word}",
    "  {n}  kill -9 {n}",
    "  {n}  ls -l /dev/{word}",
    "  {n}  nvidia-smi",
    "  {n}  docker run --rm -p {n}:80 {word}:{v}",
    "  {n}  ssh host{m} tail -f /var/log/{word}.log",
)
_SERVER: Final = (
    '10.0.{m}.{m} - - [12/Mar/2026:10:{mm}:{mm} +0000] "GET /{word}?id={n} HTTP/1.1" 200 {n} "-" "Mozilla/5.0"',
    "{date} 10:{mm}:{mm} INFO {word}.service: request {n} took {m} ms",
    "{date} 10:{mm}:{mm} DEBUG {word}: cache hit rate {v}, {n} entries, errors=0",
    "Mar 12 10:{mm}:{mm} host{m} systemd[1]: Started {word}.service.",
    "Mar 12 10:{mm}:{mm} host{m} sshd[{n}]: Accepted publickey for {word} from 10.0.{m}.{m} port {n} ssh2",
    "epoch {m} step {n} loss {v} lr 3e-4 {n} tokens/s",
    "{date} 10:{mm}:{mm} ERROR {word}.service: request {n} failed with status {n}",
    "{date} 10:{mm}:{mm} WARNING {word}: error code {n} from {word}:{n}, trying again",
    "Mar 12 10:{mm}:{mm} host{m} {word}[{n}]: failed to open /var/lib/{word}: No such file or directory",
    "Mar 12 10:{mm}:{mm} host{m} kernel: usb 1-{m}: device descriptor read/64, error -{m}",
    "psql: error: connection to server at 10.0.{m}.{m}, port {n} failed: Connection refused",
    "{date} backup of {word}: {n} files, {n} MB, 0 errors",
)
_LICENCE: Final = (
    'THE SOFTWARE IS GIVEN "AS IS", WITHOUT WARRANTY OF ANY KIND, NOT EVEN FOR A FAILURE OF ALL {m} PARTS.',
    "Copyright (c) 20{mm} {Word} and others. All rights reserved.",
    "Section {m}. You may copy and change this work if notice {v} is kept in each file.",
    "In no event are the authors liable for errors, loss of data or a device that does not work.",
)
_CSV: Final = ("{date},{word},{n},{v},{m}%,ok", "{date},{word},{n},{v},{m}%,error", "{m},{m},{m},{v},{hex},N/A")
_JSON: Final = (
    '  "{word}": {{"version": "{v}", "count": {n}, "status": "ok", "error": null}},',
    '  "{word}_{m}": [{n}, {m}, {v}],',
    "{word}: {{enabled: true, port: {n}, memory: {m}Gi}}",
)
_OWN_ERRORS: Final = (
    'Traceback (most recent call last):\n  File "/home/me/{word}.py", line {m}, in <module>\n    main({n})\n'
    "KeyError: '{word}'",
    'Traceback (most recent call last):\n  File "{word}/run.py", line {m}, in load\n    return rows[{n}]\n'
    "IndexError: list index out of range",
    "ValueError: could not convert string to float: '{word}'",
    "AssertionError: expected {n} rows, got {m}",
    "{word}.js:{m}: TypeError: {word} is not a function",
    "Error: Cannot find {word} {v} in table {m}",
    "sqlite3.OperationalError: no such table: {word}",
)
_CHANGES: Final = (
    "* Fix a crash of {word} where the list has more than {n} entries (#{n})",
    "* Raise the timeout from {m} to {n} seconds",
    "- Remove {word} {v}, which nobody used since {v}",
    "## {v} ({date})",
    "commit {hash}",
    "    Mend the error message of {word}",
)
_WORDS: Final = ("ledger", "parcel", "window", "harbor", "basket", "lantern", "copper", "meadow", "signal", "ticket")
_LIBRARIES: Final = ("zlib", "requests", "pandas", "numpy", "flask", "stdio", "torch", "attrs", "yaml")


def _lines(forms: Iterable[str]) -> Write:
    known = tuple(forms)

    def write(random: Random) -> str:
        return "".join(_filled(random.choice(known), random) + "\n" for _ in range(random.randint(3, 25)))

    return write


def _filled(form: str, random: Random) -> str:
    out = form
    for slot, value in (("{{", "\x01"), ("}}", "\x02")):
        out = out.replace(slot, value)
    while "{" in out:
        start = out.index("{")
        end = out.index("}", start)
        out = out[:start] + _value(out[start + 1 : end], random) + out[end + 1 :]
    return out.replace("\x01", "{").replace("\x02", "}")


def _value(slot: str, random: Random) -> str:
    word = random.choice(_WORDS)
    made: dict[str, Callable[[], str]] = {
        "n": lambda: str(random.choice((random.randint(100, 99999), 12080, 11040, 25090, 8192, 65536, 700, 802))),
        "m": lambda: str(random.randint(1, 99)),
        "mm": lambda: f"{random.randint(10, 59)}",
        "v": lambda: ".".join(str(random.randint(0, 30)) for _ in range(random.choice((2, 3)))),
        "hex": lambda: f"0x{random.randrange(16**8):08x}",
        "hash": lambda: f"{random.randrange(16**40):040x}",
        "date": lambda: f"20{random.randint(15, 26)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
        "lib": lambda: random.choice(_LIBRARIES),
        "word": lambda: word,
        "Word": lambda: word.title(),
        "WORD": lambda: word.upper(),
    }
    return made[slot]()


UNRELATED: Final[dict[str, Write]] = {
    **{f"prose-{language}": _lines(forms) for language, forms in _PROSE.items()},
    "python": _lines(_PYTHON),
    "c": _lines(_C),
    "build-log": _lines(_BUILD),
    "shell-history": _lines(_SHELL),
    "server-log": _lines(_SERVER),
    "licence": _lines(_LICENCE),
    "csv": _lines(_CSV),
    "json": _lines(_JSON),
    "changes": _lines(_CHANGES),
    "own-errors": _lines(_OWN_ERRORS),
}
