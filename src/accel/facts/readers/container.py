"""Detect that a report is about a container: commands, image lines, cgroup paths, Dockerfiles, Kubernetes objects.

    docker run --gpus all -it pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime bash
    docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].
    FROM nvidia/cuda:12.1.0-base-ubuntu22.04
    root@3f2a9c1b7d5e:/workspace#
    0::/kubepods/besteffort/pod…      12:devices:/docker/3f2a…
A report about a container may still contain driver output from the host: see accel.text.scopes.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.snapshot import Host
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_RUN: Final = pattern(
    r"^.{0,120}?\b(?P<tool>docker(?:[ -]compose)?|nvidia-docker|podman|nerdctl|enroot|singularity|apptainer)[ ]+"
    r"(?:-{1,2}[\w-]{1,20}[ ]+){0,3}(?:container[ ]+)?(?:run|exec|shell|start|create|up)\b",
    re.MULTILINE,
)
_SIGNS: Final = (
    (
        "docker",
        pattern(r"^(?:[ \t]*docker: (?!v?\d)|.*Error response from daemon|.*OCI runtime create failed)", re.MULTILINE),
    ),
    ("podman", pattern(r"^(?:[ \t]*Error: .*\bcrun\b|.*\bpodman (?:run|exec|build)\b)", re.MULTILINE)),
    (
        "docker",
        pattern(
            r"^[ \t]{0,40}FROM (?![./])[\w./:-]{1,200}(?: AS \w{1,60})?[ \t]{0,40}$"
            r"|[:/]docker/[0-9a-f]{12}|/\.dockerenv\b",
            re.MULTILINE,
        ),
    ),
    (
        "docker",
        pattern(
            r"(?:^|[`>'\"])[ \t]{0,40}(?:\([\w.-]{1,60}\) ?)?[\w-]{1,40}@[0-9a-f]{12}:[^\s#$]{0,200}[#$]", re.MULTILINE
        ),
    ),
    (
        "kubernetes",
        pattern(r"^[ \t]{0,40}kind: (?:Pod|Deployment|StatefulSet|Job|DaemonSet)[ \t]{0,40}$|/kubepods", re.MULTILINE),
    ),
    ("kubernetes", pattern(r"\bkubectl (?:exec|logs|describe pod)|\bnvidia\.com/gpu: ", re.MULTILINE)),
    (
        "docker",
        pattern(
            r"\b(?:nvidia/cuda|nvcr\.io/nvidia/[\w-]+|pytorch/pytorch|rocm/\w+|"
            r"vllm/vllm-openai):\d[\w.-]*"
        ),
    ),
    (
        "lxc",
        pattern(
            r"\blxc (?:exec|launch|start|config device)\b|\blxd \d|"
            r"\b(?:in|inside) (?:an? |the |my )?(?:(?:un)?privileged )?(?:LXC|LXD|lxc|lxd)\b"
        ),
    ),
    (
        "docker",
        pattern(
            r"\bdocker(?:-| )compose\b(?!(?:[ ]version)?:?[ ]{1,3}v?\d)|^[ \t]{0,40}(?:\(\w{1,60}\) )?container[#$] ",
            re.MULTILINE,
        ),
    ),
)
_MARK: Final = pattern(r"^[ \t]*\(container\)|^[ \t]*container[#$] ", re.MULTILINE | re.IGNORECASE)
_ADVICE: Final = pattern(r"\b(?:try|should|need to|please|could|example|such as|e\.g\.|instead of)\b", re.IGNORECASE)


def _read(text: str) -> Iterator[Reading]:
    container = None
    for found in _RUN.finditer(text):
        before = found[0][: found.start("tool") - found.start()]
        if _ADVICE.search(before) or len(before.split()) > 8:
            continue
        container = container or found["tool"].split()[0].removeprefix("nvidia-").split("-")[0]
    for name, sign in _SIGNS:
        if container is None and sign.search(text):
            container = name
    if container is None and not _MARK.search(text):
        return
    yield Reading(source=READER.name, host=Host(containerized=True, container=container))


READER = Reader(
    name="container signs",
    signs=(
        *("docker", "podman", "nerdctl", "enroot", "singularity", "apptainer", "lxc", "lxd", "LXC", "LXD", "kubectl"),
        *("nvcr.io", "nvidia/cuda:", "pytorch/pytorch:", "rocm/", "kind: ", "nvidia.com/gpu", "kubepods", "FROM ", "@"),
        *("ontainer", "OCI runtime"),
    ),
    read=_read,
)
