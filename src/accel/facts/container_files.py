"""Convert services of a compose file and containers of a Kubernetes object to the commands that start them.

    services:                                    image: "nvidia/cuda:12.4.1-base-ubuntu22.04"
      web:                                       resources:
        image: vllm/vllm-openai:latest             limits:
        runtime: nvidia                              nvidia.com/gpu: 1
        devices: ["/dev/kfd", "/dev/dri"]        runtimeClassName: nvidia
        environment:                             env:
          - NVIDIA_VISIBLE_DEVICES=all           - name: NCCL_DEBUG
        shm_size: 8g                               value: "INFO"

A compose service becomes a command of "docker-compose" with the verb "service", a Kubernetes container one of "kubectl"
with the verb "pod". They get the equivalent options of docker run, so that one rule covers them all.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from accel.model.observation import Command
from accel.text.pattern import pattern

_IMAGE: Final = pattern(
    r"(?P<indent> {0,40})(?P<dash>- )?image: {1,4}[\"']?(?P<image>[\w./:@${}-]{1,200})[\"']?\s{0,4}(?:#.*)?$",
    re.IGNORECASE,
)
_KEY: Final = pattern(
    r"(?P<indent> {0,60})(?P<dash>- ?)?(?:[\"']?(?P<key>[\w./-]{1,80})[\"']?:(?: (?P<value>.{0,300}))?)?"
    r"(?P<item>.{0,300})$"
)
_KUBERNETES: Final = pattern(
    r"^\s{0,20}(?:apiVersion:|kind:|containers:|runtimeClassName:|[\w.-]{1,40}\.\w{1,10}/[\w.-]{1,40}:)", re.MULTILINE
)
_RUNTIME_CLASS: Final = pattern(r"^\s{0,20}runtimeClassName: {1,3}[\"']?([\w.-]{1,60})", re.MULTILINE)
_OPTIONS: Final = {
    "runtime": "--runtime",
    "shm_size": "--shm-size",
    "ipc": "--ipc",
    "pid": "--pid",
    "network_mode": "--network",
    "user": "--user",
    "mem_limit": "--memory",
    "cpus": "--cpus",
    "pids_limit": "--pids-limit",
    "gpus": "--gpus",
    "devices": "--device",
    "group_add": "--group-add",
    "cap_add": "--cap-add",
    "security_opt": "--security-opt",
    "volumes": "--volume",
    "driver": "--device-driver",
    "capabilities": "--capabilities",
    "count": "--gpu-count",
    "device_ids": "--gpu-ids",
    "memlock": "--ulimit",
    "nofile": "--ulimit",
    "sizelimit": "--shm-size",
}
_MOST_LINES: Final = 80


def services(lines: Sequence[str]) -> Iterator[Command]:
    """Yield a command for each image that a YAML text starts."""
    for number, line in enumerate(lines, 1):
        found = _IMAGE.match(line)
        if found is None:
            continue
        depth = len(found["indent"]) + len(found["dash"] or "")
        first, last = _block(lines, number, depth)
        if last - first < 1:
            continue
        yield _service(lines, first, last, number, found["image"])


def _block(lines: Sequence[str], number: int, depth: int) -> tuple[int, int]:
    """Return the first and last line, from 1, of the mapping that contains an image line."""
    first = number
    while (
        first > 1
        and number - first < _MOST_LINES
        and _inside(lines[first - 2], depth)
        and "- " not in lines[first - 1][:depth]
    ):
        first -= 1
    last = number
    while last < len(lines) and last - number < _MOST_LINES and _inside(lines[last], depth):
        last += 1
    return first, last


def _inside(line: str, depth: int) -> bool:
    if not line.strip():
        return False
    indent = len(line) - len(line.lstrip(" "))
    return indent >= depth or (indent == depth - 2 and line[indent : indent + 2] == "- " and depth >= 2)


def _service(lines: Sequence[str], first: int, last: int, number: int, image: str) -> Command:
    options: list[str] = []
    variables: list[tuple[str, str]] = []
    above = name = ""
    for line in lines[first - 1 : last]:
        found = _KEY.match(line)
        if found is None:
            continue
        key, value, item = (found["key"] or "").lower(), _bare(found["value"]), _bare(found["item"])
        if found["dash"] and not key:
            _listed(above, item, options, variables)
            continue
        if key in (
            *("environment", "env", "devices", "volumes", "group_add", "cap_add", "security_opt", "ulimits", "limits"),
            *("capabilities", "device_ids"),
        ):
            above = key
        if key == "name":
            name = value
        elif key == "value" and name:
            variables.append((name, value))
            name = ""
        elif key == "privileged" and value.lower() == "true":
            options.append("--privileged")
        elif "." in key and "/" in key and value:  # nvidia.com/gpu: 1
            options.append(f"--resource={key}={value}")
        elif above == "environment" and found["key"] and found["key"].isupper():
            variables.append((found["key"], value))
        elif key in _OPTIONS and value:
            for part in _parts(value):
                prefix = f"{key}=" if _OPTIONS[key] == "--ulimit" else ""
                options.append(f"{_OPTIONS[key]}={prefix}{part}")
        elif key == "memory" and above == "limits" and value:
            options.append(f"--memory={value}")
    around = "\n".join(lines[max(0, first - 40) : last + 40])
    kubernetes = bool(_KUBERNETES.search(around))
    if kubernetes and (runtime := _RUNTIME_CLASS.search(around)):
        options.append(f"--runtime-class={runtime[1]}")
    return Command(
        text=" ".join(" ".join(lines[first - 1 : last]).split())[:1000],
        line=first,
        last_line=last,
        tool="kubectl" if kubernetes else "docker-compose",
        verb="pod" if kubernetes else "service",
        options=tuple(dict.fromkeys(options)),
        operands=(image,),
        variables=tuple(variables),
    )


def _listed(above: str, item: str, options: list[str], variables: list[tuple[str, str]]) -> None:
    if above == "environment":
        variable, equals, value = item.partition("=")
        if equals:
            variables.append((variable, _bare(value)))
    elif above in _OPTIONS and item:
        options.append(f"{_OPTIONS[above]}={item}")


def _parts(value: str) -> list[str]:
    return [_bare(part) for part in value.strip("[]").split(",")] if value.startswith("[") else [value]


def _bare(text: Any) -> str:
    return (text or "").split(" #")[0].strip().strip("\"'")
