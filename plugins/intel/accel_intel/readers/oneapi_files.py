"""oneAPI libraries in a listing, with their version numbers: find, ls, ldconfig -p, locate.

    /opt/intel/oneapi/mkl/2023.0.0/lib/intel64/libmkl_sycl.so.3
    libsycl.so.8 (libc6,x86-64) => /opt/intel/oneapi/compiler/2025.0/lib/libsycl.so.8
    ./libsycl.so.7

Seen    file lists of oneAPI 2021 to 2025.
"""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

SOURCE: Final = "oneAPI libraries"
_LISTED: Final = pattern(
    r"(?m)(?:^|[\s/])(?P<path>(?:[\w./+-]{0,200}/)?(?P<library>libsycl|libmkl_sycl\w{0,20}|libccl|libur_loader|libpi_level_zero)"
    r"\.so\.(?P<number>\d{1,3}))(?:\.\d+){0,3}(?=\s|$)(?!:)"
)
_RELEASE: Final = pattern(r"/(?P<release>20\d\d)(?:\.\d+){0,3}/")
_MOST: Final = 40


def read(text: str) -> Iterator[Reading]:
    """Yield one reading for each library listed."""
    for count, match in enumerate(_LISTED.finditer(text)):
        if count >= _MOST:
            return
        release = _RELEASE.search(match["path"])
        told = {"library": match["library"], "number": match["number"], "release": release and release["release"]}
        yield from reading_of(SOURCE, [noted_at("oneapi-library-listed", match, SOURCE, **told)])


READER: Final = Reader(name=SOURCE, signs=("libsycl.so", "libmkl_sycl", "libccl.so", "libur_loader"), read=read)
