"""What is kept of pci.ids: the ids that records cite, and no more."""

from specs.refresh.pci_ids import listed

TEXT = """\
10de  NVIDIA Corporation
\t0001  Runner 1
\t\t10de 0003  A board of it
\t0002  Runner 2
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t0001  Walker
"""


def test_only_cited_device_ids_are_listed() -> None:
    cited = {"10de:0001", "10de:0003", "1002:0001", "abcd:0001"}
    assert listed(TEXT, cited) == {"1002": "0001", "10de": "0001"}
