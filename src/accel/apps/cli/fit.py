"""`accel fit`: whether a model fits, in bytes by part, before anything is downloaded or started."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from accel.apps.cli.parsing import Parser
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.footprint.model import ModelShape, Plan, Targets
    from accel.specs.load import Specs

_TARGETS: Final[dict[str | None, "Targets"]] = {
    "query-value": "query and value",
    "attention": "attention",
    "all": "all",
}


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    it = Parser(
        prog="accel fit",
        description="Check whether a model fits in a device's memory, with the bytes of each part, an upper bound on "
        "its speed, and what to change if it does not fit. Reads configuration files and file headers, "
        "never weights; uses no network and imports no framework.",
        epilog="exit code: 0 it fits at least one of the devices; 1 it fits none; 2 accel failed; 3 too close to call, "
        "or a device's memory is unknown",
        allow_abbrev=False,
    )
    it.add_argument(
        "model",
        nargs="?",
        metavar="PATH",
        help="a folder with config.json and optionally *.safetensors, or a .gguf file",
    )
    sizes = it.add_argument_group("a description instead of a path")
    sizes.add_argument("--params", metavar="7.5B", help="number of parameters")
    sizes.add_argument("--active", metavar="1.3B", help="parameters active for each token, in a mixture of experts")
    for name in ("layers", "hidden", "heads", "kv-heads", "head-dim", "intermediate", "vocab"):
        sizes.add_argument(f"--{name}", type=int, metavar="N")
    how = it.add_argument_group("how it is to run")
    how.add_argument(
        "--context",
        type=int,
        metavar="N",
        help="tokens per sequence (default 2048, or the model's maximum if that is lower)",
    )
    how.add_argument(
        "--batch",
        type=int,
        default=1,
        metavar="N",
        help="sequences at a time; in training, the micro-batch of one device",
    )
    how.add_argument("--dtype", metavar="bf16", help="format of weights and computation: fp32, bf16, fp16, fp8")
    how.add_argument(
        "--quant",
        metavar="FORMAT",
        help="quantisation of the weights: fp8, int8, gptq, awq, nf4, mxfp4, nvfp4, q4_k_m, …",
    )
    how.add_argument("--kv-dtype", metavar="FORMAT", help="format of the KV cache: fp8, q8_0, q4_0")
    how.add_argument(
        "--tensor-parallel", type=int, default=1, metavar="N", help="devices that each layer is split over"
    )
    how.add_argument(
        "--pipeline-parallel", type=int, default=1, metavar="N", help="devices that the layers are distributed over"
    )
    how.add_argument("--attention", choices=("eager", "flash"), default="flash")
    train = it.add_argument_group("training")
    train.add_argument("--train", choices=("full", "lora", "qlora"))
    train.add_argument("--lora-rank", type=int, default=16, metavar="N")
    train.add_argument(
        "--lora-targets",
        choices=("query-value", "attention", "all"),
        help="matrices that get adapters (default: query-value; all with qlora)",
    )
    train.add_argument("--optimizer", default="adamw", metavar="NAME", help="adamw, adamw_8bit, adafactor, sgd, …")
    train.add_argument("--zero", type=int, default=0, choices=(0, 1, 2, 3), help="ZeRO stage; FSDP is 3")
    train.add_argument("--devices", type=int, default=1, metavar="N", help="devices that --zero shards over")
    train.add_argument("--offload", choices=("optimizer", "parameters"), help="what is kept in host memory")
    train.add_argument("--checkpointing", choices=("none", "selective", "full"), default="none")
    it.add_argument(
        "--on", metavar="DEVICE", help='a product ("2x RTX 4090"), nvidia:0, or "all" (default: this machine)'
    )
    it.add_argument("--json", action="store_true", help="print JSON, for programs")
    return it


def run(words: list[str]) -> int:
    """Estimate; return the exit code described in --help."""
    options = parser().parse_args(words)
    from accel.apps.cli.output import say_problems, write_lines
    from accel.apps.fitting import fitted, targets
    from accel.footprint.model import Plan
    from accel.plugins.registry import Registry

    specs = Registry(os.environ, guarded=True).specs
    say_problems(specs)
    plan = _plan(options, Plan)
    shape = _shape(options, specs)
    answer = fitted(shape, plan, targets(options.on, specs, plan), specs, advise=options.on != "all")
    if options.json:
        from accel.apps.render.fit_json import fit_json

        sys.stdout.write(fit_json(answer))
    else:
        from accel.apps.render.fit_text import fit_lines
        from accel.apps.render.width import page_width

        write_lines(fit_lines(answer, page_width()))
    return {True: 0, False: 1, None: 3}[answer.fits]


def _plan(options: argparse.Namespace, make: "type[Plan]") -> "Plan":
    names = ("context", "batch", "dtype", "quant", "kv_dtype", "train", "lora_rank", "optimizer", "zero", "devices")
    more = ("offload", "tensor_parallel", "pipeline_parallel", "attention", "checkpointing")
    values: dict[str, Any] = {name: getattr(options, name) for name in (*names, *more)}
    return make(**values, lora_targets=_TARGETS.get(options.lora_targets))


def _shape(options: argparse.Namespace, specs: "Specs") -> "ModelShape":
    if options.params:
        if options.model:
            raise BadInput("Give a path or --params, not both.")
        from accel.footprint.described import described, parameters_of

        return described(
            parameters_of(options.params),
            layers=options.layers,
            hidden=options.hidden,
            heads=options.heads,
            kv_heads=options.kv_heads,
            head_dim=options.head_dim,
            intermediate=options.intermediate,
            vocabulary=options.vocab,
            active=parameters_of(options.active, "--active") if options.active else None,
        )
    if not options.model:
        raise BadInput(
            "Give a model:  accel fit ./model  or  accel fit --params 7B --layers 32 --hidden 4096 --heads 32"
        )
    from accel.footprint.files import shape_of_path

    return shape_of_path(options.model, specs)
