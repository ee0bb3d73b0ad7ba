"""The SuperPoD of an A3 server, as npu-smi prints it."""

from accel_ascend.readers.smi_superpod import READER

TEXT = """\
$ npu-smi info -t spod-info -i 0 -c 0
	SDID                           : 16777216
	Super Pod Size                 : 384
	Super Pod ID                   : 0
	Server Index                   : 4
"""


def test_the_pod_its_size_and_the_server_are_told() -> None:
    (reading,) = READER.read(TEXT)
    (domain,) = reading.reports[0].domains
    assert (domain.kind, domain.name) == ("SuperPoD", "0")
    assert domain.details == (("chips", "384"), ("server", "4"))
    assert "16777216" not in repr(domain)


def test_a_chip_without_a_pod_has_none() -> None:
    assert list(READER.read("This device does not support querying spod-info.\n")) == []
    assert list(READER.read("\tSuper Pod ID                   : NA\n")) == []
