"""specs/refresh/outlines: what it makes of pci.ids."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from specs.refresh.outlines import alternatives, described, entries, outlines


def test_what_pci_ids_lists_is_taken_apart() -> None:
    text = (
        "10de  NVIDIA Corporation\n\t1180  GK104 [GeForce GTX 680/685]\n\t\t1043 0001  a board\n1002  AMD\n\t0001  X\n"
    )
    assert list(entries(text, "10de")) == [("1180", "GK104 [GeForce GTX 680/685]")]
    assert described("GK104 [GeForce GTX 680]") == ("GK104", "GeForce GTX 680")
    listed = "Radeon R9 FURY / NANO Series/FirePro S9300 X2/W9100"
    assert list(alternatives(listed)) == [
        "Radeon R9 FURY",
        "Radeon R9 NANO Series",
        "FirePro S9300 X2",
        "FirePro W9100",
    ]
    rules = {
        "vendor_id": "10de",
        "named": "bracketed",
        "dies": [{"begin": ["GK10"], "architecture": "kepler", "compute_capability": "3.0"}],
    }
    rows = outlines(text, rules, lambda name, pci_id: ("685" in name, True))
    assert rows == [
        {
            "architecture": "kepler",
            "compute_capability": "3.0",
            "die_name": "GK104",
            "products": ["1180 GeForce GTX 680"],
        }
    ]
