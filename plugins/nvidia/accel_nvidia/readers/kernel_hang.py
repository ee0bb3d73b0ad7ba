"""Processes blocked in the kernel: hung tasks in its log, and the output of ps, top and /proc.

    INFO: task nvc:[driver]:5403 blocked for more than 120 seconds.
     [<ffffffffa09c376e>] uvm_gpu_retain_by_uuid+0x1e/0x40 [nvidia_uvm]
    watchdog: BUG: soft lockup - CPU#12 stuck for 26s! [nvidia-smi:8124]
    root  8124  0.0  0.0  12345  678 ?  D    10:15   0:00 nvidia-smi
    State:  D (disk sleep)

Seen    kernels 3.10 to 6.14; procps 3 and 4. "Tainted: P OE" only means that such a module is loaded.
Notes   blocked-task (task, pid, owner: "nvidia" or "other" by its stack, None if no stack is printed; by: "log" or
        "ps"). A zombie (Z) is not a blocked task.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "hung tasks"
_HUNG: Final = pattern(
    r"\btask (\S{1,60}?):(\d{1,8}) (?:<[^>\n]{1,40}> )?(?:is )?blocked for more than \d+ ?s"
    r"|soft lockup - CPU#?\d+ stuck for \d+s!? "
    r"\[(\S{1,60}?):(\d{1,8})\]",
    re.IGNORECASE,
)
_FRAME: Final = pattern(
    r"^\s*(?:\[<[0-9a-f]{1,16}>\]|RIP:|\?|Call Trace)?\s{0,4}\??\s{0,2}"
    r"([A-Za-z_][\w.]{2,80})\+0x[0-9a-f]+/0x[0-9a-f]+(?:\s+\[(\w+)\])?",
    re.IGNORECASE,
)
_STATE: Final = pattern(r"\bState:\s+D\b(?! ?[.-]|isabled)", re.IGNORECASE)
_NAME: Final = pattern(r"^\s*Name:\s+(\S{1,60})", re.IGNORECASE)
_ROW: Final = pattern(r"^\s*(?:\S{1,40}\s+)?(\d{1,8})(?=\s)[^\n]{0,120}?\s(D[sLlN<+]{0,4})\s[^\n]*$")
_PROGRAM: Final = pattern(
    r"\b(nvidia-\w+|nvidia_\w+|nvc:\[driver\]|nv_queue|nv-hostengine|dcgm\w*|nvtop|nvsm\w*|python[\d.]*"
    r"|\S{0,80}train\S{0,80}\.py|vllm\S{0,80})",
    re.IGNORECASE,
)
_TOOL: Final = pattern(
    r"\b(?:gpustat|nvitop|gpu[-_]burn|py3nvml|nvtop|cuda-gdb|ncu|nsys)\b", re.IGNORECASE
)  # ask the driver
_NVIDIA_FRAME: Final = pattern(r"^(?:nvidia|uvm_|nv_|_nv\d+|os_acquire|nvlink|rm_|nvkms)", re.IGNORECASE)
_NVIDIA_TASK: Final = pattern(r"^(?:nvidia|nvc:|nv_|nv-|dcgm|nvtop|nvsm|uvm|irq/\d+-nvidia)", re.IGNORECASE)
_SCHEDULING: Final = pattern(
    r"^(?:__?schedule|schedule\w*|__down\w*|down\w*|__mutex\w*|mutex\w*|rwsem\w*|wait_for\w*|io_schedule|__wait\w*"
    r"|do_syscall\w*|entry_SYSCALL\w*|system_call\w*|__x64_sys\w*|do_vfs_ioctl|SyS_\w*|ret_from_fork|kthread"
    r"|__do_sys\w*"
    r"|ksys\w*|vfs_\w*|x64_sys\w*|__se_sys\w*|do_exit|do_group_exit|get_signal|exit_to_user\w*|_raw\w*)",
    re.IGNORECASE,
)
_MOST_STACK: Final = 40
_MOST: Final = 60


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the blocked tasks of the text."""
    lines = text.split("\n")
    found: list[Noted] = []
    for number, line in enumerate(lines):
        if len(line) > 400 or len(found) >= _MOST:
            continue
        task = pid = None
        if hit := _HUNG.search(line):
            task, pid = hit[1] or hit[3], hit[2] or hit[4]
        elif _STATE.search(line):
            names = [m[1] for near in lines[max(0, number - 4) : number + 4] if (m := _NAME.match(near))]
            task = names[-1] if names else None
        elif (row := _ROW.match(line)) and (program := _PROGRAM.search(line)) and "defunct" not in line:
            tool = _TOOL.search(line)  # "python3 /usr/local/bin/gpustat -i" is gpustat
            task, pid = tool[0] if tool else program[1], row[1]
        else:
            continue
        owner, last = _owner(lines, number)
        if task and (_NVIDIA_TASK.match(task) or _TOOL.match(task)):
            owner = "nvidia"
        told = {"task": task, "pid": pid, "owner": owner, "by": "log" if hit else "ps"}
        found.append(noted("blocked-task", line, SOURCE, number + 1, (last if hit else number) + 1, **told))
    yield from reading_of(SOURCE, found)


def _owner(lines: list[str], number: int) -> tuple[str | None, int]:
    """Return whose code the stack below a line is in (None if no stack is printed), and the stack's last line."""
    owner: str | None = None
    last = number
    for at in range(number + 1, min(len(lines), number + _MOST_STACK)):
        if _HUNG.search(lines[at]):
            break
        frame = _FRAME.match(lines[at].split("]", 1)[-1] if lines[at].lstrip().startswith("[<") else lines[at])
        if frame is None:
            continue
        last = at
        module = (frame[2] or "").lower()
        if module.startswith("nvidia") or _NVIDIA_FRAME.match(frame[1]):
            return "nvidia", last
        if not _SCHEDULING.match(frame[1]):
            owner = "other"
    return owner, last


READER: Final = Reader(
    name=SOURCE,
    signs=("blocked for more than", "soft lockup", "State:", " D ", " Ds ", " D+ ", " Dl ", " Dsl ", " DNl ", " D<"),
    read=read,
)
