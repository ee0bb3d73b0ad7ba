r"""Recognise limits of processes, containers and hosts in any notation, printed or requested.

    open files                          (-n) 1024          ulimit -a of bash; "-n: file descriptors   1024" of zsh
    Max locked memory         65536     65536     bytes    /proc/PID/limits: the soft limit counts
    $ ulimit -l / 64                                       a command, with its answer below or after a colon
    RLIMIT_NPROC 4096 current, 513046 max                  and getrlimit's (soft, hard)
    /sys/fs/cgroup/cpu.max:400000 100000                   cgroup files; pids.max, memory.max, memory.limit_in_bytes
    shm              64M     0   64M   0% /dev/shm         df; and mount's "size=65536k"; "/dev/shm of 64 MB"
    docker run --shm-size=8g --ulimit memlock=-1           options of containers, compose files, batch scripts
    LimitMEMLOCK=infinity     * soft memlock unlimited     systemd, limits.conf
    limits: / cpu: "4"        cpu limit is set to 4        Kubernetes: the limit, not the request; and prose

Resources   open_files, processes, pids, memlock_bytes, stack_bytes, address_space_bytes, memory_bytes, shm_bytes,
            millicpus (1000 per CPU). None: unlimited.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.page import Page
from accel.model.observation import Command, Limit
from accel.text.amounts import size_bytes
from accel.text.pattern import pattern

_HINTS: Final = (
    *("limit", "ulimit", "limits", "limitmemlock", "limitnofile", "limitnproc", "tasksmax", "shm", "shm_size"),
    *("memlock", "nofile", "nproc", "rlimit_nproc", "rlimit_memlock", "rlimit_nofile", "rlimit_as", "rlimit_stack"),
    *("pids", "cfs_quota_us", "limit_in_bytes", "max", "files", "locked", "processes", "descriptors", "stack"),
    *("sbatch", "srun", "docker", "podman", "nerdctl", "mem", "cpus", "cpu"),
)
_LETTERS: Final = {
    "n": ("open_files", 1),
    "u": ("processes", 1),
    "l": ("memlock_bytes", 1024),
    "s": ("stack_bytes", 1024),
    "v": ("address_space_bytes", 1024),
    "m": ("memory_bytes", 1024),
}
_NAMES: Final[Mapping[str, tuple[str, int]]] = {
    "open files": ("open_files", 1),
    "file descriptors": ("open_files", 1),
    "descriptors": ("open_files", 1),
    "nofile": ("open_files", 1),
    "nofiles": ("open_files", 1),
    "processes": ("processes", 1),
    "user processes": ("processes", 1),
    "maxproc": ("processes", 1),
    "nproc": ("processes", 1),
    "locked memory": ("memlock_bytes", 1),
    "memlock": ("memlock_bytes", 1),
    "memorylocked": ("memlock_bytes", 1024),
    "stack size": ("stack_bytes", 1),
    "stack": ("stack_bytes", 1),
    "address space": ("address_space_bytes", 1),
    "as": ("address_space_bytes", 1),
    "resident set": ("memory_bytes", 1),
    "rss": ("memory_bytes", 1),
}
_NONE: Final = frozenset(("unlimited", "infinity", "max", "-1", "none", "无限制", "illimité"))
_AMOUNT: Final = r"(?P<value>-1\b|\d{1,20}\b|unlimited|infinity|max\b|无限制)"
_ULIMIT_ALL: Final = pattern(
    r"(?:\((?:(?P<unit>[\w -]{1,20}), )?-(?P<letter>[nulsvm])\)"
    r"|^\s{0,20}-(?P<letter2>[nulsvm]): [a-z][a-z -]{0,39}"
    rf"(?:\((?P<unit2>[a-z -]{{1,20}})\))?)\s{{0,40}}{_AMOUNT}",
    re.IGNORECASE,
)
_PROC: Final = pattern(
    r"\bMax (?P<name>open files|processes|locked memory|stack size|address space|resident set)\s{1,40}"
    rf"{_AMOUNT}",
    re.IGNORECASE,
)
_ASKED: Final = pattern(
    r"\bulimit\s{1,3}-[HS]{0,2}\s{0,2}-?(?P<letter>[nulsvm])\b[`'\")]{0,2}(?P<rest>.{0,60})$", re.IGNORECASE
)
_ANSWER: Final = pattern(
    rf"[\s:=>]{{0,8}}(?:is |was |shows? |says? |gives? |returns? |prints? |set to |only )?{_AMOUNT}[\s.,;)]{{0,3}}$",
    re.IGNORECASE,
)
_RLIMIT: Final = pattern(
    rf"\bRLIMIT_(?P<name>NPROC|MEMLOCK|NOFILE|AS|STACK|RSS)\b(?:[\s:=)]|->){{0,6}}\(?{_AMOUNT}(?!\w)", re.IGNORECASE
)
_CGROUP: Final = pattern(
    r"\b(?P<file>cpu\.max|pids\.max|memory\.(?:max|high|limit_in_bytes)|cpu\.cfs_quota_us)\b(?P<rest>.{0,60})$",
    re.IGNORECASE,
)
_QUOTA_AND_PERIOD: Final = pattern(r"\bcpu\.cfs_quota_us\s{1,4}\S{0,60}cpu\.cfs_period_us\s{0,5}$", re.IGNORECASE)
_CGROUP_VALUE: Final = pattern(
    r"[\s:=>]{0,8}(?P<value>max|-1|\d{1,20})(?:\s{1,3}(?P<period>\d{3,9}))?\s{0,5}$", re.IGNORECASE
)
_DF: Final = pattern(
    r"^\s{0,20}\S{1,60}\s{1,40}(?P<size>\d{1,15}(?:\.\d)?[KMGT]?i?B?)\s.{0,60}\s/dev/shm\s{0,5}$", re.IGNORECASE
)
_SHM_IN_PROSE: Final = pattern(
    r"/dev/shm[`'\"]{0,2}(?:'s)?\s(?:(?:space|size|capacity)\s)?(?:of|is|has|was|with|=)\s(?:(?:only|just|about|over)\s)?"
    r"(?P<size>\d{1,6}(?:\.\d)?\s?[KMGT]i?B?)\b(?!\s(?:free|used|usage))",
    re.IGNORECASE,
)
_MOUNT: Final = pattern(r"\s/dev/shm\b.{0,120}\bsize=(?P<size>\d{1,15}[kmg]?)", re.IGNORECASE)
_SYSTEMD: Final = pattern(
    r"\b(?P<name>LimitMEMLOCK|LimitNOFILE|LimitNPROC|LimitSTACK|LimitAS|TasksMax)\s{0,2}=\s{0,2}"
    r"(?P<value>infinity|\d{1,20}[KMGT]?)\b",
    re.IGNORECASE,
)
_CONF: Final = pattern(
    r"^\s{0,20}[*@\w-]{1,60}\s{1,20}(?:soft|hard|-)\s{1,20}(?P<name>memlock|nofile|nproc|stack|as|rss)\s{1,20}"
    rf"{_AMOUNT}",
    re.IGNORECASE,
)
_COMPOSE: Final = pattern(
    r"^\s{0,40}-?\s?(?P<name>shm_size|mem_limit|pids_limit|memlock|nofile|nproc|stack|sizeLimit|cpus)"
    r"\s{0,2}[:=]\s{0,2}[\"']?(?P<value>-?\d{1,20}(?:\.\d{1,3})?\s?[kmgt]?i?b?|unlimited)[\"']?\s{0,5}$",
    re.IGNORECASE,
)
_PODS: Final = pattern(
    r"^\s{0,40}(?:cpu|\"cpu\"):\s{0,3}[\"']?(?P<value>\d{1,4})(?P<milli>m?)[\"']?\s{0,5},?$", re.IGNORECASE
)
_POD_MEMORY: Final = pattern(
    r"^\s{0,40}(?:memory|\"memory\"):\s{0,20}[\"']?(?P<value>\d{1,12}[KMGT]i?)[\"']?\s{0,5},?$", re.IGNORECASE
)
_LIMITS: Final = pattern(r"\blimits[\"']?:\s{0,3}\{?\s{0,3}(?P<rest>.{0,80})$", re.IGNORECASE)
_PROSE: Final = pattern(
    r"\bcpu limits?\s(?:is |was |of |are )?(?:set to |of |to |= ?)?(?P<value>\d{1,4})(?P<milli>m?)\b(?!\.\d|%)",
    re.IGNORECASE,
)
_OPTIONS: Final = {
    "--shm-size": "shm_bytes",
    "--memory": "memory_bytes",
    "-m": "memory_bytes",
    "--mem": "memory_bytes",
    "--pids-limit": "pids",
    "--cpus": "millicpus",
    "--cpus-per-task": "millicpus",
}
_CONTAINERS: Final = frozenset(("docker", "podman", "nerdctl", "nvidia-docker"))
_BATCH: Final = frozenset(("sbatch", "srun", "salloc"))
_LONGEST: Final = 1000
_HUGE: Final = 2**62  # a cgroup's "no limit", rounded to pages


def recognise(page: Page) -> Iterator[Limit]:
    """Yield each limit."""
    if not any(hint in page.words.places for hint in _HINTS):
        return
    for number, line in enumerate(page.lines, 1):
        if line and len(line) <= _LONGEST:
            for resource, value in _of_line(line, page, number):
                yield Limit(resource=resource, value=value, **page.on_line(number))
    for command in commands_in(page):
        for resource, value in _of_command(command):
            yield Limit(
                resource=resource, value=value, text=command.text, line=command.line, last_line=command.last_line
            )


def _of_line(line: str, page: Page, number: int) -> Iterator[tuple[str, int | None]]:
    if found := _ULIMIT_ALL.search(line):
        resource, scale = _LETTERS[(found["letter"] or found["letter2"]).lower()]
        unit = (found["unit"] or found["unit2"] or "").lower()
        yield resource, _scaled(found["value"], 1 if "bytes" in unit and not unit.startswith("k") else scale)
    elif found := _PROC.search(line) or _CONF.match(line):
        resource, scale = _NAMES[found["name"].lower()]
        in_kilobytes = found.re is _CONF.compiled and resource.endswith("_bytes")
        yield resource, _scaled(found["value"], 1024 if in_kilobytes else scale)
    elif found := _RLIMIT.search(line):
        yield _NAMES[found["name"].lower()][0], _scaled(found["value"], 1)
    elif found := _ASKED.search(line):
        answer = _ANSWER.match(found["rest"] if found["rest"].strip() else _next(page, number))
        if answer and not (
            found["rest"][:1] == " " and found["rest"].strip()[:1].isdecimal()
        ):  # "ulimit -n 65536" sets it
            resource, scale = _LETTERS[found["letter"].lower()]
            yield resource, _scaled(answer["value"], scale)
    elif _QUOTA_AND_PERIOD.search(line):  # asked in one command; the answers are on consecutive lines
        quota, period = (one.strip() for one in (_next(page, number), _next(page, number + 1)))
        if quota.lstrip("-").isdecimal() and period.isdecimal():
            yield from _of_cgroup("cpu.cfs_quota_us", quota, period)
    elif found := _CGROUP.search(line):
        value = _CGROUP_VALUE.match(found["rest"] if found["rest"].strip() else _next(page, number))
        if value:
            yield from _of_cgroup(found["file"].lower(), value["value"].lower(), value["period"])
    elif found := _DF.match(line):
        plain = found["size"].isdecimal()  # in blocks of 1 KiB
        yield "shm_bytes", int(found["size"]) * 1024 if plain else size_bytes(found["size"])
    elif found := _SHM_IN_PROSE.search(line) or _MOUNT.search(line):
        yield "shm_bytes", size_bytes(found["size"])
    elif found := _SYSTEMD.search(line):
        name = found["name"].lower().removeprefix("limit")
        resource = "pids" if name == "tasksmax" else _NAMES[name][0]
        yield resource, None if found["value"].lower() == "infinity" else size_bytes(found["value"])
    elif found := _COMPOSE.match(line):
        yield from _of_compose(found["name"].lower(), found["value"])
    elif found := _PROSE.search(line):
        yield "millicpus", int(found["value"]) * (1 if found["milli"] else 1000)
    elif found := _LIMITS.search(line):
        below = (found["rest"], *page.lines[number : number + 3])
        asked = next((one for one in below if "requests" in one), None)
        cpu = next((hit for one in below if one != asked and (hit := _PODS.match(one))), None)
        if cpu:
            yield "millicpus", int(cpu["value"]) * (1 if cpu["milli"] else 1000)
        memory = next((hit for one in below if one != asked and (hit := _POD_MEMORY.match(one))), None)
        if memory:
            yield "memory_bytes", size_bytes(memory["value"].lower().removesuffix("i"))


def _next(page: Page, number: int) -> str:
    """Return the next line."""
    return page.lines[number] if number < len(page.lines) else ""


def _scaled(value: str, scale: int) -> int | None:
    plain = value.lower()
    if plain in _NONE:
        return None
    amount = int(plain) * scale
    return None if amount >= _HUGE else amount


def _of_cgroup(file: str, value: str, period: str | None) -> Iterator[tuple[str, int | None]]:
    if file in ("cpu.max", "cpu.cfs_quota_us"):
        whole = int(period) if period else 100_000
        yield "millicpus", None if value in _NONE or not whole else int(value) * 1000 // whole
    elif file == "pids.max":
        yield "pids", _scaled(value, 1)
    else:
        yield "memory_bytes", _scaled(value, 1)


def _of_compose(name: str, value: str) -> Iterator[tuple[str, int | None]]:
    plain = value.lower().replace(" ", "")
    if name == "cpus":
        yield "millicpus", int(float(plain) * 1000) if plain.replace(".", "", 1).isdecimal() else None
    elif name in ("shm_size", "sizelimit"):
        yield "shm_bytes", size_bytes(plain)
    elif name == "mem_limit":
        yield "memory_bytes", size_bytes(plain)
    elif name == "pids_limit":
        yield "pids", None if plain == "-1" else size_bytes(plain)
    else:
        yield _NAMES[name][0], None if plain in _NONE else size_bytes(plain)


def _of_command(command: Command) -> Iterator[tuple[str, int | None]]:
    if command.tool == "nproc" and (command.answer or "").isdecimal():
        yield "millicpus", int(command.answer or "0") * 1000
    if command.tool not in _CONTAINERS | _BATCH:
        return
    for option in command.options:
        name, _, value = option.partition("=")
        if name == "--ulimit":
            kind, _, amounts = value.partition("=")
            known: Any = _NAMES.get(kind)
            soft = amounts.partition(":")[0]
            if known and (soft.lstrip("-").isdecimal() or soft in _NONE):
                yield known[0], _scaled(soft, 1)
            continue
        resource = _OPTIONS.get(name)
        if resource is None or not value:
            continue
        if resource == "millicpus":
            if value.replace(".", "", 1).isdecimal():
                yield resource, int(float(value) * 1000)
        elif value in _NONE or size_bytes(value) is not None:
            of_slurm = command.tool in _BATCH and value.isdecimal()  # Slurm counts in MiB
            yield resource, None if value in _NONE else (size_bytes(value) or 0) * (2**20 if of_slurm else 1)
