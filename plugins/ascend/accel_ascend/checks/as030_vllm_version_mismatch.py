from collections.abc import Iterator

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import command_line, requirement_word
from accel.vendors.toolkit.table_steps import fix
from accel_ascend.concern import version_of
from accel_ascend.pairs import base, is_development, vllm_row

_PLUGINS = ("vllm-ascend", "vllm-omni")


@check(
    code="AS030",
    name="npu-vllm-version-mismatch",
    layer="framework",
    reads=("vllm-plugin-pair", "vllm-pair-sentence", "vllm-plugin-from-main", "vllm-version-named"),
    needs=("package.vllm", "package.vllm-ascend|vllm-omni"),
)
def npu_vllm_version_mismatch(facts: Facts, specs: Specs) -> Problems:
    """vLLM and its plugin (vllm-ascend, vllm-omni) are from different releases.

    Why it matters   The plugin uses vLLM's internals, which change with each release: imports fail, or errors follow.
    What to do       Install both from one row of the plugin's table; its main branch needs the vLLM commit it names.
    Looks at         the two versions, up to rc and .post; vLLM names that a plugin file does not find
    Silent when      the releases match, or either is a development build and nothing failed; pip's "vllm requires
                     torch==", which does not matter here
    Source           vllm-ascend versioning_policy.md; github.com/vllm-project/vllm/pull/27163
    """
    told = facts.stated("vllm-plugin-pair", "vllm-pair-sentence")
    vllm = version_of(facts, "vllm")
    plugin = next((value for fact in told if (value := fact.value("plugin"))), None)
    plugin = plugin or next((name for name in _PLUGINS if version_of(facts, name)), "vllm-ascend")
    own = version_of(facts, plugin)
    main = facts.stated("vllm-plugin-from-main")
    if vllm is None and main:
        named = facts.first("vllm-version-named")
        vllm = named.value("version") if named else None
    applies(bool(told or own or main), "no vLLM plugin is installed")
    differ = vllm is not None and own is not None and not _agree(specs, plugin, vllm, own)
    alone = bool(main) and (vllm is None or not is_development(vllm)) and own is None
    if not differ and not told and not (alone and vllm is not None):
        return
    listed = tuple(Evidence(fact=n, value=v) for n, v in (("vllm", vllm), (plugin, own)) if v)
    name = next((value for fact in told if (value := fact.value("name"))), None)
    row = vllm_row(specs, own) if own else None
    yield Problem(
        title=f"vLLM {vllm} and {plugin} {own} do not match"
        if vllm and own
        else f"{plugin} was built from its main branch, but vLLM is the release {vllm}"
        if alone and vllm
        else f"vLLM and {plugin} do not match" + (f": {name} is not where it is expected" if name else ""),
        detail="The plugin was built from its main branch, which only works with one commit of vLLM."
        if main or (own is not None and is_development(own))
        else None,
        evidence=(*quoted((*told, *main)), *listed),
        remedies=tuple(
            _remedies(
                plugin, vllm, "main.dev" if alone else own, str(row["vllm"]).split("/")[0] if row else None, specs
            )
        ),
    )


def _agree(specs: Specs, plugin: str, vllm: str, own: str) -> bool:
    """Return whether the versions match; a development build is not judged by its number."""
    if is_development(vllm) or is_development(own):
        return True
    mine, theirs = base(own), base(vllm)
    row = vllm_row(specs, own) if plugin == "vllm-ascend" else None
    if mine is None or theirs is None:
        return True
    if row is not None:
        return theirs in {base(one) for one in str(row["vllm"]).split("/")}
    return mine[:2] == theirs[:2] if plugin == "vllm-omni" else mine == theirs


def _remedies(plugin: str, vllm: str | None, own: str | None, wanted: str | None, specs: Specs) -> Iterator[Remedy]:
    image = "Or use the plugin's container image, which contains both." if plugin == "vllm-ascend" else None
    if own is not None and is_development(own):
        yield fix(specs, "ascend", "vllm-of-commit")
    elif wanted is not None:
        yield Remedy(
            text=f"Install the vLLM that this {plugin} supports.",
            command=command_line(
                "VLLM_TARGET_DEVICE=empty pip install --no-deps", requirement_word("vllm", wanted.removeprefix("v"))
            ),
            action="env",
        )
    else:
        theirs = base(vllm) if vllm and not is_development(vllm) else None
        number = ".".join(str(part) for part in theirs) if theirs else None
        yield Remedy(
            text=f"Install the {plugin} release for vLLM {number}: its version starts with that number."
            if number
            else f"Install matching releases of vLLM and {plugin}."
        )
    if image:
        yield Remedy(text=image, action="env")
