"""Read the paths in Python tracebacks, which identify the environment. For exceptions, see
accel.facts.readers.mechanisms.exceptions.

  File "/opt/conda/envs/py310/lib/python3.10/site-packages/torch/cuda/__init__.py", line 99, in _check_driver
  File "C:\\Users\\me\\.conda\\envs\\omost\\lib\\site-packages\\torch\\__init__.py", line 148, in <module>
/usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py:262: UserWarning: …
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment
from accel.model.snapshot import Host
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_PYTHON: Final = pattern(
    r"/(?:lib|lib64|Lib)/python(?P<version>[23]\.\d+)/|/python(?P<version2>[23]\.\d+)/(?:site|dist)-packages"
    r"|[\\/][Pp]ython(?P<major>3)\.?(?P<minor>\d{1,2})[\\/](?:lib|Lib)[\\/]"
)
_CPYTHON: Final = pattern(
    r"\.cpython-(?P<major>3)(?P<minor>\d{1,2})-(?P<platform>[\w-]+)\.so|\.cp(?P<major2>3)"
    r"(?P<minor2>\d{1,2})-win_amd64\.pyd"
)
_SITE: Final = pattern(
    r"[\"'\s(](?P<prefix>(?:/|[A-Za-z]:[\\/])[^\"'\n:*?]{1,200}?)[\\/](?:lib|lib64|Lib)"
    r"(?:[\\/]python3\.\d+)?[\\/](?:site|dist)-packages[\\/]"
)
_CONDA: Final = pattern(
    r"(?:conda|mamba|miniforge|mambaforge)\w*[\\/](?:envs[\\/][^\\/]+)?|[\\/]envs[\\/][^\\/]+$", re.IGNORECASE
)
_LINUX_PATH: Final = pattern(  # program folders on Linux but not on a Mac, including WSL's /mnt/d
    r"/lib(?:64)?/python3\.\d+/dist-packages/"
    r"|File \"/(?:home|root|workspaces?|app|content|kaggle|mnt|data|srv|media|scratch|notebooks|teamspace)/",
    exact_case=True,
)
_WINDOWS_PATH: Final = pattern(r"[\"'( ](?:[A-Za-z]:|\.\.\.)?\\[^\"'\n]{0,200}(?:site-packages|Lib|lib)\\")


def _read(text: str) -> Iterator[Reading]:
    environment, host = _environment(text), _host(text)
    if environment is not None or host is not None:
        yield Reading(source=READER.name, environment=environment, host=host)


def _environment(text: str) -> Environment | None:
    version = None
    if found := _PYTHON.search(text):
        version = found["version"] or found["version2"] or f"{found['major']}.{found['minor']}"
    elif found := _CPYTHON.search(text):
        version = f"{found['major'] or found['major2']}.{found['minor'] or found['minor2']}"
    variables: list[tuple[str, str]] = []
    for found in _SITE.finditer(text):
        prefix = found["prefix"]
        if _CONDA.search(prefix) and "..." not in prefix:
            variables.append(("CONDA_PREFIX", prefix))
            break
        if re.search(r"[\\/]\.?v?env\w*$", prefix) and "..." not in prefix:
            variables.append(("VIRTUAL_ENV", prefix))
            break
    if version is None and not variables:
        return None
    return Environment(python_version=version, variables=tuple(variables) or None)


def _host(text: str) -> Host | None:
    if _WINDOWS_PATH.search(text):
        return Host(system="windows")
    if found := _CPYTHON.search(text):
        machine = re.match(r"(x86_64|aarch64|i386)-linux", found["platform"] or "")
        if machine:
            return Host(system="linux", machine=machine[1])
    return Host(system="linux") if _LINUX_PATH.search(text) else None


READER = Reader(
    name="Python traceback",
    signs=(
        *('", line ', "site-packages", "dist-packages", "/lib/python3", "/lib64/python3", "\\lib\\"),
        *(".cpython-3", "-win_amd64.pyd"),
    ),
    read=_read,
)
