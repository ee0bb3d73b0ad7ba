"""A compiled file out of a text is removed where an extension of one's own lies, and nowhere else."""

import pytest

from accel.resolver.own_extension import built_again


@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("/a/torch_extensions/py310_cu121/fused/fused.so", "rm -rf /a/torch_extensions/py310_cu121/fused"),
        ("/w/dcn/dcn.so", "cd /w/dcn && rm -rf build dcn.so && python setup.py build_ext --inplace"),
        ("/a/torch_extensions/../../b.so", None),
        ("/w/torch_extensions/py/../../x/b.so", "cd /w/x && rm -rf build b.so && python setup.py build_ext --inplace"),
        ("/home/me/../../etc/_ext.so", None),
        ("/work/../_ext.so", None),
        ("../../_ext.so", None),
        ("lib/../lib/dcn/dcn.so", "cd lib/dcn && rm -rf build dcn.so && python setup.py build_ext --inplace"),
        ("/usr/lib/x.so", None),
        ("~/project/x.so", None),
        ("/x.so", None),
    ],
)  # fmt: skip
def test_only_the_folder_of_an_extension_is_removed(file: str, command: str | None) -> None:
    again = built_again("fused", file)
    assert (again.command if again is not None else None) == command
