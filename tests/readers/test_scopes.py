"""Which lines are the host's and which a container's."""

import pytest

from accel.text.clean import sections

CASES = {
    "nothing-marks-it": ("GPU 0: A100\ntorch 2.1", [(None, "GPU 0: A100|torch 2.1")]),
    "marks-alone": ("(host)\na\nb\n(container)\nc", [("host", "(host)|a|b||"), ("container", "|||(container)|c")]),
    "a-mark-with-text-ends-at-a-blank-line": (
        "(host) $ ls\na\n\nafter",
        [("host", "(host) $ ls|a||"), (None, "|||after")],
    ),
    "named-prompts": (
        "host# nvidia-smi\nok\n\ncontainer$ nvidia-smi\nFailed",
        [("host", "host# nvidia-smi|ok|||"), ("container", "|||container$ nvidia-smi|Failed")],
    ),
    "headings": (
        "On the host:\na\n\nInside the container:\nb\n\nc",
        [("host", "On the host:|a|||||"), ("container", "|||Inside the container:|b||c")],
    ),
    "a-container-prompt": (
        "me@box:~$ ls\nx\nroot@3f2a9c1b7d5e:/# nvidia-smi\ny\nme@box:~$ ls\nz",
        [(None, "me@box:~$ ls|x|||me@box:~$ ls|z"), ("container", "||root@3f2a9c1b7d5e:/# nvidia-smi|y||")],
    ),
    "docker-run-enters-it": (
        "$ docker run -it --gpus all image bash\n\nFailed to initialize NVML\nexit\nafter",
        [(None, "$ docker run -it --gpus all image bash||||after"), ("container", "||Failed to initialize NVML|exit|")],
    ),
    "one-command-in-a-container": (
        "$ docker exec web nvidia-smi\nFailed\n\nafter",
        [("container", "$ docker exec web nvidia-smi|Failed||"), (None, "|||after")],
    ),
    "a-command-over-several-lines": (
        "docker run --rm \\\n  --device /dev/a \\\n  -it image bash\nFailed\n\nafter",
        [
            (None, "docker run --rm \\|  --device /dev/a \\|  -it image bash|||"),
            ("container", "|||Failed||after"),
        ],
    ),
    "a-container-that-never-started": (
        "$ docker run --gpus all image\ndocker: Error response from daemon: could not select device driver",
        [(None, "$ docker run --gpus all image|docker: Error response from daemon: could not select device driver")],
    ),
    "prose-about-containers": (
        "It happens in the container and on the host alike.\nx",
        [(None, "It happens in the container and on the host alike.|x")],
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_lines_go_to_the_scope_that_marks_give_them(name: str) -> None:
    text, wanted = CASES[name]
    assert [(scope, section.replace("\n", "|")) for scope, section in sections(text)] == wanted
