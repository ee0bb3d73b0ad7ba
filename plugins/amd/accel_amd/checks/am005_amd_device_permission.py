from accel.facts.containers import in_container
from accel.model.dataclass import replace
from accel.vendors.contract.check import Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import command_line, name_word
from accel.vendors.toolkit.table_steps import fix
from accel_amd import handing_over, signs

_OTHERS = ("xpu-not-found", "intel-named", "dri-denied")  # /dev/dri has the nodes of Intel's GPUs too


@check(
    code="AM005",
    name="amd-device-permission",
    layer="access",
    family="device-permission",
    reads=(
        *(
            "kfd-denied",
            "amd-node-closed",
            "render-node-closed",
            "works-as-root",
            "amd-runtime-failed",
            "rocm-in-use",
            "amd-module-not-built",
            "kfd-missing",
            "user-in-groups",
        ),
        *(*signs.AMD_NAMED, *handing_over.READS),
        *_OTHERS,
    ),
    needs=("use.torch|jax|tensorflow",),
)
def amd_device_permission(facts: Facts, specs: Specs) -> Problems:
    """The user may not open /dev/kfd or a render node of an AMD GPU.

    Why it matters   The driver and the GPU are fine, but this user's programs see no GPU; rocm-smi needs no nodes.
    What to do       Join the nodes' group, usually render, and log in again; in a container pass the host group's
                     number, since group names differ inside.
    Looks at         refused opens of /dev/kfd and /dev/dri; messages of rocminfo and ollama about groups; ls -l of the
                     nodes with the user's groups; programs that work only as root
    Silent when      no open was refused, the node does not exist, or the driver could not be built
    Source           ROCm: install, post-installation: group permissions; docker run: --group-add
    """
    denied, closed = facts.stated("kfd-denied"), facts.stated("amd-node-closed", "render-node-closed")
    of_amd = any("kfd" in f.text for f in (*denied, *closed))
    of_intel = facts.of("intel") or facts.stated("xpu-not-found", "intel-named")
    if not of_amd and not signs.amd_seen(facts) and of_intel:
        return  # the nodes of an Intel GPU
    if not denied and (signs.amd_seen(facts) or facts.stated("amd-runtime-failed", "rocm-in-use")):
        denied = facts.stated("works-as-root")
    if (not denied and not closed) or facts.stated("amd-module-not-built"):
        return
    if facts.stated("kfd-missing") and not closed:
        return  # rocminfo mentions groups even without a node to open
    group = next((fact.value("group") for fact in closed if fact.value("group") not in (None, "root")), None)
    title = "This user has no permission to open AMD's device nodes"
    if closed and group:
        title = f"This user has no permission to open {closed[0].value('node')}: it is not in the group {group}"
    join = Remedy(
        text="Join the groups that own the nodes, and log in again; id must then list them.",
        command=command_line("sudo usermod -aG", name_word(group) or "render,video", "$USER"),
        action="env",
    )
    of_root = bool(closed) and group is None
    if of_root:
        join = fix(specs, "amd", "udev-rule")
    hand_over = handing_over.with_groups(facts, specs)
    look = Remedy(
        text="Check which groups own the nodes.", command="ls -l /dev/kfd /dev/dri; id", action="env", kind="look"
    )
    by_rule = fix(specs, "amd", "render-node-rule")
    member = any((group or "render") in (fact.value("groups") or "").split() for fact in facts.stated("user-in-groups"))
    contained = in_container(facts)
    if not contained:
        hand_over = replace(hand_over, text=f"In a container: {hand_over.text[:1].lower()}{hand_over.text[1:]}")
    yield Problem(
        title=title,
        detail="rocm-smi works all the same: it does not open /dev/kfd." if facts.mentions("rocm-smi") else None,
        evidence=quoted((*denied, *closed)),
        remedies=(hand_over, look, *(join,) * (not member))
        if contained
        else (
            *(join,) * (not member),
            *(by_rule,) * (member or not of_root),
            look,
            hand_over,
        ),
    )
