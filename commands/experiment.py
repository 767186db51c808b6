"""``prummy run``: an experiment out of a file, or a run played again to compare digests."""

import os
import re
import tempfile
from dataclasses import fields
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from ..sim.errors import shown
from ..sim.toml import read_toml
from . import common
from .engine import make_ready
from .playing import EXIT_INTERRUPTED, Playing, play_new, play_out
from .settings import SettingError, Settings

MOST_FAULTS = 10  # said at once

_KINDS: dict[Any, tuple[type, str]] = {
    bool: (bool, "true or false"),
    int | None: (int, "a whole number"),
    str | None: (str, "text"),
    list[str]: (list, "a list of texts"),
}


def run(
    what: Annotated[
        str, typer.Argument(metavar="FILE|RUN", help="An experiment (TOML), or a run's folder.")
    ],
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of the run.", show_default="as the file says"),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="Blocks at a time.", show_default="all cores"),
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    r"""Play an experiment that a file describes; or play a finished run again and compare.

    A file says by keys what `prummy tournament` says by options, without their dashes; it is
    checked as a whole before anything is played:

      strategies = \["greedy", "mine=my_bot.py:MyBot"]

      matches = 100000

      rules = {min_run = 4}

    Of a run's folder all is played again that its manifest says, in a folder of its own; exit
    code 1 when the digest is another.

    Examples
    --------
      prummy run experiment.toml --out runs/first

      prummy run runs/first
    """
    with common.user_errors():
        if os.path.isfile(what):
            settings = read_experiment(Path(what))
            settings.out = out or settings.out
            settings.jobs = settings.jobs if jobs is None else jobs
            _checked(what, settings, json_)
        else:
            settings = Settings(out=out, jobs=jobs)
            settings.check()
            _play_again(what, settings, json_)


def _checked(file: str, settings: Settings, as_json: bool) -> None:
    """Play an experiment whose file is named in what is wrong with it."""
    try:
        settings.check()
        play_new(settings, as_json)
    except SettingError as error:
        line = _line_of(Path(file).read_text("utf-8"), error)
        raise common.BadInputError(f"{file}{line}: {error.name}: {error.why}") from None


def read_experiment(path: Path) -> Settings:
    """Return what a file says; raises BadInputError with all unknown keys and wrong types."""
    text, values = read_toml(path, str(path))
    kinds = {item.name.replace("_", "-"): item.type for item in fields(Settings)}
    faults = (
        f"{path}{_line_of_key(text, key)}: {key}: {fault}"
        for key, value in values.items()
        if (fault := _fault_of(key, value, kinds))
    )
    if first := list(islice(faults, MOST_FAULTS)):
        raise common.BadInputError("\n        ".join(first))
    return Settings(**{key.replace("-", "_"): value for key, value in values.items()})


def _fault_of(key: str, value: Any, kinds: dict[str, Any]) -> str | None:
    """Return what is wrong with a key or with the type of its value; None for nothing."""
    if key not in kinds:
        near = get_close_matches(key, kinds, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(kinds)}"
        return f"there is no such key; {hint}"
    if kinds[key] is Any:
        fits = isinstance(value, str | dict)
        return None if fits else "neither text nor a table of house rules"
    kind, words = _KINDS[kinds[key]]
    fits = type(value) is kind
    if fits and kind is list:
        fits = all(isinstance(item, str) for item in value)
    elif fits and kind is int and abs(value) >= 2**64:
        fits, words = False, f"{words} that anything here could be"
    return None if fits else f"{shown(value)} is not {words}"


def _line_of(text: str, error: SettingError) -> str:
    """Return ``, line N`` for the line at fault; of a house rule the line of that rule."""
    if match := re.search(r"rule '?(\w+)", error.why):
        line = _line_of_key(text, match[1])
        if line:
            return line
    return _line_of_key(text, error.name)


def _line_of_key(text: str, key: str) -> str:
    """Return ``, line N`` for the line with a key or the head of its table; else nothing."""
    begins = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[].=]")
    for number, line in enumerate(text.splitlines(), start=1):
        if begins.match(line):
            return f", line {number}"
    return ""


def _play_again(place: str, settings: Settings, as_json: bool) -> None:
    """Play what a manifest says in a folder of its own; print and compare the digests."""
    from ..sim.manifest import check_engine, resume_command
    from ..sim.store import RunFolder
    from ..sim.work import RefusedError, entries_of

    manifest = RunFolder(place).read_manifest()
    check_engine(manifest, place)
    if manifest["status"] != "finished":
        raise common.BadInputError(
            f"{place} is not finished, so there is no digest to compare with: "
            f"{resume_command(manifest, place)} goes on with it"
        )
    try:
        entries = entries_of(manifest["strategies"])
    except RefusedError as error:
        raise common.BadInputError(f"{place} cannot be played again: {error}") from None
    make_ready(entries)
    again = {**manifest, "seconds": 0.0}
    with tempfile.TemporaryDirectory(prefix="prummy-") as spare:
        if settings.out is None:
            again["keep"] = "none"  # the digest is of all rows all the same
        folder = RunFolder(settings.out or f"{spare}/run")
        folder.check_is_free()
        with folder.storage.lock():
            outcome = play_out(Playing(folder, again, entries, settings))
    if outcome.stopped is not None:
        common.note(f"stopped after {outcome.matches:,} matches: nothing to compare")
        raise typer.Exit(EXIT_INTERRUPTED)
    same = outcome.digest == manifest["digest"]
    if as_json:
        common.print_json(
            {
                "digest": outcome.digest,
                "was": manifest["digest"],
                "same": same,
                "matches": outcome.matches,
            }
        )
    else:
        word = "the same" if same else f"NOT the same: it was {manifest['digest']}"
        typer.echo(f"{outcome.matches:,} matches   digest {outcome.digest}   {word}")
    if not same:
        raise typer.Exit(common.FAILED)
