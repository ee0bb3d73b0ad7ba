"""Tags of the vendor's container images, which include the CANN version.

    FROM quay.io/ascend/cann:8.2.rc2-910b-ubuntu22.04-py3.11
    swr.cn-south-1.myhuaweicloud.com/ascendhub/cann:8.0.rc3-910b-openeuler22.03-py3.10

Seen   in Dockerfiles and docker run lines; CANN 7.0 to 9.0.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Toolkit
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_IMAGE: Final = pattern(r"(?:ascend|ascendhub|ascendai)/cann:(\d\.\d[\w.]*)-")


def read(text: str) -> Iterator[Reading]:
    """Yield the CANN of the only image in the text; nothing if there are several versions."""
    versions = {found[1] for found in _IMAGE.finditer(text)}
    if len(versions) == 1:
        environment = Environment(scope="container", toolkits=(Toolkit(name="cann", version=versions.pop()),))
        yield Reading(source="CANN image tag", environment=environment)


READER: Final = Reader(name="CANN image tag", signs=("/cann:",), read=read)
