"""Folders of CUDA's libraries in a text: in an RPATH, from a module, or of a toolkit outside the usual place.

    /cvmfs/soft.example.ca/easybuild/software/2023/x86-64-v3/Core/cudacore/12.2.2/lib64:/cvmfs/…/12.2.2/lib
    prepend-path LD_LIBRARY_PATH /opt/cuda-11.8/lib64
    libcudart.so.12 => /usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudart.so.12

Seen     output of patchelf, ldd, ls and find, module files; paths in prose
Skips    lines that say that something there is missing, or that only print LD_LIBRARY_PATH with an error: that
         folder is searched already
"""

from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Toolkit
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

NAME: Final = "cuda-libraries"
_FOLDER: Final = pattern(
    r"(?<![\w/.])(?P<path>/(?:[\w.+-]{1,60}/){0,14}cuda(?:core|toolkit|-toolkit)?[-/_](?P<version>\d{1,2}\.\d{1,2}"
    r"(?:\.\d{1,3})?)/(?:targets/[\w-]{1,40}/)?lib(?:64)?)(?=[\s:'\"/,;)]|$)"
)
_MISSING: Final = pattern(r"no such file|cannot open|not found|LD_LIBRARY_PATH: |does not exist|could not load")


def _read(text: str) -> Iterator[Reading]:
    for number, line in enumerate(text.split("\n"), start=1):
        found = _FOLDER.search(line)
        if found is None or _MISSING.search(line):
            continue
        kit = Toolkit(name=NAME, version=found["version"], path=found["path"])
        yield Reading(source=READER.name, environment=Environment(toolkits=(kit,)), first_line=number, last_line=number)


READER: Final = Reader(name="folder of CUDA libraries", signs=("/cuda", "/lib64"), read=_read)
