"""A remedy starts the container as the text does: by its engine, with its plain options, or in its file."""

import pytest

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Remedy
from accel.plugins.registry import Registry
from accel.remedies.actions import actions_of
from accel.remedies.attempts import attempts_of, outcome_of
from accel.remedies.environment import Environment
from accel.remedies.render import rendered
from accel.vendors.contract.check import Problem

_SHM = "docker run --shm-size 8g IMAGE"
_LOOK = "docker run --rm --gpus all IMAGE nvidia-smi"
_KEEP = "Keep the other options of your own command"
_BEHIND = "The arguments after the image stay the same."
_MOVED = "Options for the engine come before the image name: what follows it is passed to the program."
_COMPOSE = """services:
  train:
    image: app:1
    runtime: nvidia
    ulimits:
      memlock: -1
    command: python train.py
"""
_POD = """apiVersion: v1
kind: Pod
spec:
  containers:
  - name: t
    image: app:1
    resources:
      limits:
        nvidia.com/gpu: 1
"""


@pytest.mark.parametrize(
    ("text", "written", "command", "words"),
    [
        pytest.param("it is slow", _SHM, _SHM, "", id="a text that starts none keeps the remedy as it is"),
        pytest.param(
            "$ docker run -it --gpus all -v $PWD:/w --shm-size=64m app:1 python t.py",
            _SHM,
            "docker run -it --gpus all -v $PWD:/w --shm-size 8g app:1 python t.py",
            "",
            id="its plain options and its program are typed again, and an option that stands once is replaced",
        ),
        pytest.param(
            "$ docker run --ulimit memlock=64 --ulimit stack=1 app:1",
            "docker run --ulimit memlock=-1 IMAGE",
            "docker run --ulimit stack=1 --ulimit memlock=-1 app:1",
            "",
            id="one limit of several is replaced",
        ),
        pytest.param(
            "$ docker run -e HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789 -e A=b app:1",
            _SHM,
            "docker run --shm-size 8g app:1",
            f"{_KEEP} (-e HF_TOKEN, -e A).",
            id="a variable is named, and not typed again",
        ),
        pytest.param(
            "$ docker run -v /:/h -v /var/run/docker.sock:/s -v $HOME/.ssh:/k -v $HOME:/root -v /home/me:/me "
            "-v ../x:/y -v data:/data app:1 serve",
            _SHM,
            "docker run -v data:/data --shm-size 8g app:1 serve",
            f"{_KEEP} (-v).",
            id="a folder of the system or of keys is not mounted again",
        ),
        pytest.param(
            "$ docker run -d --name web -v /usr/local/dcmi:/usr/local/dcmi app:1 --api-key abc",
            "docker run -v /usr/local/dcmi:/usr/local/dcmi:ro --device /dev/davinci0 IMAGE",
            "docker run -d --name web -v /usr/local/dcmi:/usr/local/dcmi --device /dev/davinci0 app:1",
            f"{_BEHIND} First remove the old container of that name:  docker rm -f web",
            id="one mount for one place, a free name, and no key behind the image",
        ),
        pytest.param(
            "$ docker run --device /dev/davinci3 --device /dev/davinci5 -v /opt/x:/opt/dtk app:1 serve and it fails",
            "docker run --device /dev/davinci0 -e ASCEND_VISIBLE_DEVICES=0 -v /opt/dtk:/opt/dtk:ro IMAGE",
            "docker run --device /dev/davinci3 --device /dev/davinci5 -e ASCEND_VISIBLE_DEVICES=3,5 "
            "-v /opt/dtk:/opt/dtk:ro app:1",
            _BEHIND,
            id="the devices are the text's own, a mount at the same place is replaced, and prose is no program",
        ),
        pytest.param(
            "$ podman run --group-add video app:1",
            "podman run --group-add keep-groups IMAGE",
            "podman run --group-add keep-groups app:1",
            "",
            id="keep-groups allows no other group",
        ),
        pytest.param(
            "$ docker run --gpus all -p 80:80 ... app:1",
            _SHM,
            "docker run --gpus all -p 80:80 --shm-size 8g app:1",
            f"{_KEEP}.",
            id="what the writer left out is to be kept",
        ),
        pytest.param(
            "$ docker run --gpus all app:1 bash -c 'a; b > c'",
            _SHM,
            "docker run --gpus all --shm-size 8g app:1",
            _BEHIND,
            id="the image is the text's own, and its program is left to the reader",
        ),
        pytest.param(
            "$ docker run --gpus all 'app:1;id' train",
            _SHM,
            "docker run --gpus all --shm-size 8g IMAGE",
            "",
            id="an image whose name is none stays a placeholder",
        ),
        pytest.param(
            "$ docker run --rm --gpus all nvidia/cuda:12.4.1-base-ubuntu22.04 nvidia-smi",
            _SHM,
            _SHM,
            "",
            id="a container that was started for a look is not the one that fails",
        ),
        pytest.param(
            "$ podman run app:1 train",
            "docker run --gpus all IMAGE",
            "podman run --device nvidia.com/gpu=all app:1 train",
            "",
            id="podman takes GPUs by CDI",
        ),
        pytest.param(
            "$ docker run --device $CHIP --device /dev/dav_manager app:1",
            "docker run --device=/dev/davinci_manager IMAGE",
            "docker run --device /dev/davinci_manager app:1",
            "In place of /dev/dav_manager it has to be /dev/davinci_manager. "
            "Keep the other options of your own command (--device $CHIP).",
            id="a node whose name is misspelled",
        ),
        pytest.param(
            "$ docker run -m 24g app:1", "docker run --memory 48g IMAGE", "docker run --memory 48g app:1", "",
            id="an option has two names",
        ),
        pytest.param(
            "$ docker run --privileged=false app:1 --gpus all", "docker run --gpus all IMAGE",
            "docker run --gpus all app:1", f"{_MOVED} {_KEEP} (--privileged). {_BEHIND}",
            id="an option behind the image moves before it",
        ),
        pytest.param(
            "$ docker run --gpus device=7 app:1", "docker run --gpus all --ipc=host IMAGE",
            "docker run --gpus device=7 --ipc host app:1", "",
            id="the GPUs that were given stay the ones",
        ),
        pytest.param(
            "$ docker run --privileged --cap-add SYS_ADMIN --ipc host --device /dev/mem --runtime r --rm app:1",
            _SHM,
            "docker run --rm --shm-size 8g app:1",
            f"{_KEEP} (--privileged, --cap-add, --ipc, --device, --runtime).",
            id="an option that gives the container more of the host is not typed again",
        ),
        pytest.param("$ nerdctl run app:1", _LOOK, "nerdctl run --rm --gpus all app:1 nvidia-smi", "", id="nerdctl"),
        pytest.param(
            "$ apptainer exec app.sif python t.py",
            _LOOK,
            "apptainer exec --nv IMAGE nvidia-smi",
            "",
            id="apptainer hands the GPU over by --nv",
        ),
        pytest.param(
            "$ singularity exec --nv app.sif python t.py",
            _SHM,
            None,
            "Apptainer takes the host's /dev/shm, which its administrators enlarge (mount -o remount,size=8g "
            "/dev/shm); until then start fewer workers: with num_workers=0 none is needed.",
            id="apptainer has the host's shared memory",
        ),
        pytest.param(
            _COMPOSE,
            "docker run --gpus all --shm-size=8g --ulimit memlock=-1 --device /dev/a --device /dev/b IMAGE",
            "docker compose up -d",
            'In the service of the compose file: shm_size: 8g; devices: ["/dev/a", "/dev/b"].',
            id="a compose file is given what it does not have yet",
        ),
        pytest.param(_COMPOSE, _LOOK, "docker compose run --rm SERVICE nvidia-smi", "", id="a look by compose"),
        pytest.param(
            _POD,
            "docker run --gpus all --shm-size 8g --ipc=host --cap-add IPC_LOCK IMAGE",
            None,
            "In the pod's spec: volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]; hostIPC: true; in "
            "its container: volumeMounts: [{name: shm, mountPath: /dev/shm}]; securityContext: {capabilities: {add: "
            "[IPC_LOCK]}}.",
            id="a pod is given fields",
        ),
        pytest.param(
            _POD,
            "docker run --ulimit memlock=-1 IMAGE",
            None,
            "A pod has the limits of the node's container runtime: raise LimitMEMLOCK and LimitNOFILE of its service "
            "(containerd, crio) and restart it.",
            id="what no field of a pod does is told",
        ),
        pytest.param("the pod runs on kubernetes", _LOOK, "kubectl exec POD -- nvidia-smi", "", id="a look by kubectl"),
        pytest.param(
            _POD, "podman run --device nvidia.com/gpu=all IMAGE", "podman run --device nvidia.com/gpu=all IMAGE", "",
            id="a remedy of one engine alone stays",
        ),
        pytest.param(
            _POD,
            'docker run --group-add "$(stat -c %g /dev/nvidia0)" IMAGE',
            None,
            "In the pod's spec: securityContext: {supplementalGroups: [GID]}. GID is the number that  "
            "stat -c %g /dev/nvidia0  prints on the host.",
            id="a value that a shell makes is written as what it prints",
        ),
    ],
)  # fmt: skip
def test_a_container_is_started_as_the_text_starts_it(text: str, written: str, command: str | None, words: str) -> None:
    registry = Registry({})
    snapshot = read_texts([("the text", text)], registry)
    facts = Facts(snapshot, infer(snapshot, registry.specs, registry.rules)[0])
    typed = rendered(Remedy(text="Give it more.", command=written), Environment(facts=facts, specs=registry.specs))
    assert (typed.command, typed.text) == (command, f"Give it more. {words}".strip())


@pytest.mark.parametrize(
    ("text", "written", "is_so"),
    [
        ("$ docker run --device /dev/kfd --device=/dev/dri app:1", "docker run --device=/dev/kfd IMAGE", True),
        ("$ docker run --runtime=nvidia app:1", "docker run --gpus all IMAGE", True),
        ("$ docker run --shm-size=8g app:1", "docker run --shm-size 16g IMAGE", False),
        ("$ podman run --device nvidia.com/gpu=all app:1", "docker run --gpus all IMAGE", True),
        ("$ podman run --gpus all app:1", "docker run --gpus all IMAGE", False),
        ("$ docker run --gpus all app:1", "docker run --rm --gpus all IMAGE nvidia-smi", False),
        ("$ docker run --gpus all app:1", "sudo reboot", False),
        ("$ docker run --gpus all app:1", None, False),
        ("the pod runs on kubernetes", "docker run --gpus all IMAGE", False),
    ],
)
def test_a_start_that_the_text_shows_is_not_advised_again(text: str, written: str | None, is_so: bool) -> None:
    registry = Registry({})
    facts = Facts(read_texts([("the text", text)], registry))
    here = Environment(facts=facts, specs=registry.specs)
    remedy = Remedy(text="Hand it over.", command=written)
    attempts = attempts_of(Problem(title="No GPU."), here)
    assert (outcome_of(remedy, actions_of(written, registry.specs), attempts, here) is not None) is is_so
