"""A remedy that mends comes before one that only shows, and what is for another place is left out."""

from dataclasses import replace

import pytest
from remedy_kinds import kind_mistake

from accel.collect.text import read_texts
from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.model.diagnosis import Action, Kind, Remedy
from accel.plugins.registry import Registry
from accel.remedies.planner import plan
from accel.vendors.contract.check import Check, Problem

_CHECK = Check(code="AC999", name="slow", layer="application", run=lambda facts, specs: ())
_LOOK = Remedy(text="See which one is full.", command="df -h", kind="look")
_IN_CONTAINER = "$ docker run -it --gpus all app:1 python t.py"


def ordered(text: str, *remedies: Remedy) -> list[str]:
    known = Registry({})
    snapshot = read_texts([("report", text)], known)
    inferred, _ = infer(snapshot, known.specs, known.rules)
    problem = Problem(title="It is slow.", remedies=remedies)
    return [one.text for one in plan(problem, _CHECK, Facts(snapshot, inferred), known.specs).remedies]


def step(text: str, command: str | None = None, action: Action = "env", kind: Kind = "mend") -> Remedy:
    return Remedy(text=text, command=command, action=action, kind=kind)


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("See which one is full, also by its inodes.", True),
        ("Find out which process uses it, and stop that process, or choose an empty GPU.", False),
        ("Read the first error of the build; the running kernel's headers must be installed.", True),
        (
            "Look for processes that have the device nodes open, in other containers too, and stop them by process ID.",
            False,
        ),
        ("Find the GPU that logs an Xid at that time; reset GPUs and switches together.", False),
        ("Ask for a GPU in the job script.", False),
        ("Ask the hook itself, on the host; its log names the step that fails.", True),
        ("Move caches to a larger disk.", False),
    ],
)
def test_a_step_looks_by_its_words(text: str, looks: bool) -> None:
    stated = Remedy(text=text, kind="look" if looks else "mend")
    assert kind_mistake(stated, Registry({}).specs) is None
    assert kind_mistake(replace(stated, kind="mend" if looks else "look"), Registry({}).specs)


def test_what_mends_comes_before_a_look() -> None:
    assert ordered("it is slow", _LOOK, step("Then move caches to a larger disk.")) == [
        "Move caches to a larger disk.",
        "See which one is full.",
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(step("If it stays, replace the disk."), id="what waits for another step"),
        pytest.param(step("Make the machine anew.", "gcloud compute instances delete NAME"), id="what is not undone"),
        pytest.param(step("Send the board back.", None, "service", "ask"), id="what a service does"),
        pytest.param(step("Test it alone.", "dcgmi diag -r 3", kind="look"), id="another look"),
        pytest.param(step("On a Mac: take another disk."), id="what is for a place that is not known to be here"),
    ],
)
def test_a_look_stays_before(other: Remedy) -> None:
    assert ordered("it is slow", _LOOK, other)[0] == _LOOK.text


def test_a_restart_leads_only_where_nothing_less_does() -> None:
    reboot, mend = step("Reboot the machine.", "sudo reboot", "reboot"), step("Load the module.", None, "admin")
    assert ordered("it is slow", _LOOK, reboot, mend)[0] == mend.text
    assert ordered("it is slow", _LOOK, reboot)[0] == reboot.text


def test_what_is_for_another_place_is_left_out() -> None:
    inside, outside = step("In a container: enlarge its volume."), step("Outside containers: enlarge /dev/shm.")
    assert ordered(_IN_CONTAINER, inside, outside) == [inside.text]
    assert ordered("it is slow", inside, outside) == [inside.text, outside.text]
    assert ordered("OS: Microsoft Windows 11 Pro", step("On a Mac: take 14."), step("Take 2.")) == ["Take 2."]
    assert ordered("OS: Microsoft Windows 11 Pro", step("On a Mac: take 14.")) == ["On a Mac: take 14."]


def test_a_step_for_one_makers_devices_leads_only_beside_them() -> None:
    own, any_ones = (
        step("Qualcomm: put the skel library where the DSP looks."),
        step("Install its driver.", None, "admin"),
    )
    assert ordered("The NPU of a Snapdragon is not found", _LOOK, any_ones, own)[0] == own.text
    assert ordered("it is slow", _LOOK, any_ones, own)[0] == any_ones.text
    assert own.text not in ordered("GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)", _LOOK, any_ones, own)


@pytest.mark.parametrize(
    ("written", "probe"),
    [
        ("export NCCL_P2P_DISABLE=1", "printenv NCCL_P2P_DISABLE"),
        ("pip install 'numpy<2'", "pip show numpy"),
        ("conda install cudatoolkit=11.8", "conda list cudatoolkit"),
        ("sudo modprobe nvidia_uvm", "lsmod | grep nvidia_uvm"),
        ("sudo systemctl restart nvidia-fabricmanager", "systemctl is-active nvidia-fabricmanager"),
        ("df -h", None),
    ],
)
def test_what_the_first_remedy_makes_true_is_verified(written: str, probe: str | None) -> None:
    known = Registry({})
    facts = Facts(read_texts([("report", "it is slow")], known))
    problem = Problem(title="It is slow.", remedies=(step("Do it.", written),))
    told = plan(problem, _CHECK, facts, known.specs).verification
    assert (told.command if told is not None else None) == probe


_BY_HAND = step("Install the newer driver from its maker's page.", None, "admin")
_OWN_BUILD = step("Or take a build that this driver serves.", "pip install some-program==1.0")


def test_what_the_user_types_comes_before_what_an_administrator_does_by_hand() -> None:
    assert ordered("it is slow", _BY_HAND, _OWN_BUILD)[0] == "Take a build that this driver serves."


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(step("If a build for it is known, take that.", "pip install some-program==1.0"), id="a condition"),
        pytest.param(step("Take conda's libraries.", "conda install -c conda-forge cudnn=8"), id="no conda is here"),
        pytest.param(step("Write it into the service.", "sudo mkdir -p /etc/x"), id="a step of root"),
        pytest.param(step("See which it is.", "nvidia-smi", kind="look"), id="a look"),
        pytest.param(step("Take a build that this driver serves."), id="no command either"),
    ],
)
def test_what_an_administrator_does_by_hand_stays_before(other: Remedy) -> None:
    assert ordered("it is slow", _BY_HAND, other)[0] == _BY_HAND.text


_ALL = Remedy(text="In your own program: set the start method to spawn.", action="app")
_VLLM = Remedy(text="Or vLLM: start its workers by spawn.", command="export VLLM_WORKER_MULTIPROC_METHOD=spawn")


def test_the_command_for_the_program_of_the_text_comes_before_advice_for_any_program() -> None:
    assert ordered("(VllmWorkerProcess pid=7) it is slow", _ALL, _VLLM)[0] == _ALL.text
    assert ordered("vllm serve is slow", _ALL, _VLLM)[0] == "vLLM: start its workers by spawn."


def test_what_the_user_may_change_comes_before_a_step_of_root_that_only_shows() -> None:
    shows = step("Let the cgroup constrain devices.", "grep -i ConstrainDevices /etc/slurm/cgroup.conf", "admin")
    own = step("Or unset it.", "unset CUDA_VISIBLE_DEVICES")
    assert ordered("it is slow", shows, own) == ["Unset it.", shows.text]


def test_what_helped_is_not_told_as_a_condition() -> None:
    reset, reboot = (
        step("Reset the GPU.", "sudo nvidia-smi --gpu-reset -i 0", "reset"),
        step("If the reset fails, reboot the machine.", "sudo reboot", "reboot"),
    )
    assert ordered("after a reboot it works again", reset, reboot)[0] == "Reboot the machine."
