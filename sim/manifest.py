"""The manifest of a run: what it says when the run begins, and whether it says that well."""

import math
import os
import platform
import shlex
import time
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .errors import PrummyError, shown
from .frozen import ENGINE_VERSION
from .rules import RulesError, rules_from_dict
from .schedule import FORMATS, Keep, Plan

STATUS = ("running", "interrupted", "finished")


class ManifestError(PrummyError):
    """A manifest that says what no run can be; the message begins with the field at fault."""


# Of each field what it must be: a type, a list of such, an object with these fields (or, under
# "*", with any), or one of several texts.
_STRATEGY = {
    "name": str,
    "entry": str,
    "idea": str,
    "version": str,
    "author": str,
    "source": str,
    "params": {"*": float},
    "source_hash": str,
    "built_in": bool,
}
_BEGUN = {
    "status": STATUS,
    "command": [str],
    "created": str,
    "plan": {
        "names": [str],
        "rules": {"*": object},
        "seed": int,
        "boards": int,
        "format": FORMATS,
    },
    "keep": str,
    "strategies": [_STRATEGY],
    "engine_version": int,
    "versions": {"*": str},
    "machine": {"*": object},
}
_ENDED = {
    "digest": str,
    "matches": int,
    "seconds": float,
    "failures": [{"strategy": str, "kind": str, "evidence": str}],
    "summaries": {"*": str},
    "transcripts": {"*": str},
}
# Of a comparison, when it stops (`reports.stopping`): the most boards, after how many it was
# extended (0: it was not), and what may end it before.
_STOP = {"boards": int, "extended_after": int}
_STOP_EARLY = {
    "precision": float,
    "sprt": {"elo0": float, "elo1": float, "alpha": float, "beta": float, "model": str},
}


def describe_run(
    plan: Plan, entries: Sequence[Entry], keep: str, command: Sequence[str], version: str
) -> dict[str, Any]:
    """Return the manifest of a run that begins."""
    return {
        "status": "running",
        "command": list(command),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "plan": plan_to_dict(plan),
        "keep": keep,
        "strategies": [describe_entry(entry) for entry in entries],
        "engine_version": ENGINE_VERSION,
        "versions": {
            "prummy": version,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "machine": {"system": platform.platform(), "cores": os.cpu_count()},
    }


def describe_entry(entry: Entry) -> dict[str, Any]:
    """Return what a manifest tells of an entry."""
    return {
        "name": entry.name,
        "entry": entry.text,
        **entry.strategy.about(),
        "params": entry.param_values(),
        "source_hash": entry.source_hash,
        "built_in": entry.is_built_in,
    }


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return the part of a manifest that decides a run's results."""
    return {
        "names": list(plan.names),
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "boards": plan.boards,
        "format": plan.format,
    }


def plan_of_manifest(manifest: Mapping[str, Any]) -> Plan:
    """Return the plan of a run from its manifest (checked before: `check_manifest`)."""
    plan = manifest["plan"]
    return Plan(
        names=tuple(plan["names"]),
        rules=rules_from_dict(plan["rules"]),
        seed=plan["seed"],
        boards=plan["boards"],
        format=plan["format"],
    )


def resume_command(manifest: Mapping[str, Any], place: str) -> str:
    """Return the command that goes on with a run, as a shell takes it."""
    is_comparison = "stop" in manifest and len(manifest["plan"]["names"]) == 2
    command = "compare" if is_comparison else "tournament"
    return shlex.join(["prummy", command, "--resume", "--out", place])


def check_engine(manifest: Mapping[str, Any], place: str) -> None:
    """Raise ManifestError when another engine played a run: its parts mean something else."""
    if manifest["engine_version"] != ENGINE_VERSION:
        raise ManifestError(
            f"{place} was played by engine {manifest['engine_version']}, this is engine "
            f"{ENGINE_VERSION}, which deals or counts otherwise; begin a run in another folder"
        )


def check_manifest(manifest: Mapping[str, Any]) -> None:
    """Raise ManifestError unless all fields are there and are what they must be."""
    _check(manifest, _BEGUN, "")
    if manifest["status"] != "running":
        _check(manifest, _ENDED, "")
    plan = manifest["plan"]
    if not 0 <= plan["seed"] < 2**64:
        raise ManifestError(f"plan.seed: {shown(plan['seed'])} is no seed")
    if not 1 <= plan["boards"] < 2**62:
        raise ManifestError(f"plan.boards: {shown(plan['boards'])} is no number of boards")
    if "stop" in manifest:
        stop = manifest["stop"]
        _check(stop, _STOP, "stop")
        _check(stop, {name: kind for name, kind in _STOP_EARLY.items() if name in stop}, "stop")
        if not 0 <= stop["extended_after"] <= plan["boards"] <= stop["boards"] < 2**62:
            raise ManifestError(f"stop: {shown(stop)} does not go with {plan['boards']} boards")
    names = [strategy["name"] for strategy in manifest["strategies"]]
    if len(names) < 2 or len(set(names)) < len(names) or plan["names"] != names:
        raise ManifestError(f"plan.names: {shown(plan['names'])} are not those of the strategies")
    try:
        rules_from_dict(plan["rules"])
        Keep.parse(manifest["keep"])
    except RulesError as error:
        raise ManifestError(f"plan.rules: {error}") from None
    except ValueError as error:
        raise ManifestError(f"keep: {error}") from None


def _check(value: Any, kind: Any, field: str) -> None:
    """Raise ManifestError, with the field's name, unless a value is of a kind (`_BEGUN`)."""
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            raise ManifestError(f"{field}: {shown(value)} is not an object")
        for name in value if "*" in kind else kind:
            where = f"{field}.{name}" if field else name
            if name not in value:
                raise ManifestError(f"{where}: missing")
            _check(value[name], kind.get("*", kind.get(name)), where)
    elif isinstance(kind, list):
        if not isinstance(value, list):
            raise ManifestError(f"{field}: {shown(value)} is not a list")
        for index, item in enumerate(value):
            _check(item, kind[0], f"{field}[{index}]")
    elif isinstance(kind, tuple):
        if value not in kind:
            raise ManifestError(f"{field}: {shown(value)} is not one of {', '.join(kind)}")
    elif not _is_a(value, kind):
        words = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
        raise ManifestError(f"{field}: {shown(value)} is not {words.get(kind, 'plain')}")


def _is_a(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) is int or (type(value) is float and math.isfinite(value))
    if kind is object:  # anything that JSON has and that can be written again
        return isinstance(value, bool | int | str | NoneType | list | dict) or _is_a(value, float)
    return type(value) is kind
