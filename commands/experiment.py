"""``prummy run``: an experiment out of a file, or a run played again to compare digests."""

import re
import shlex
import tempfile
import tomllib
from dataclasses import fields
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import typer

from . import common
from .engine import make_ready
from .playing import play_new
from .settings import SettingError, Settings, option_names

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
        if Path(what).is_file():
            settings = read_experiment(Path(what))
            settings.out = out or settings.out
            settings.jobs = jobs or settings.jobs
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
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise common.BadInputError(f"{path}: cannot be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise common.BadInputError(f"{path}: not valid TOML: {error}") from None
    kinds = {item.name.replace("_", "-"): item.type for item in fields(Settings)}
    faults = []
    for key, value in values.items():
        place = f"{path}{_line_of_key(text, key)}: {key}: "
        if key not in kinds:
            from difflib import get_close_matches

            near = get_close_matches(key, option_names(), n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(option_names())}"
            faults.append(f"{place}there is no such key; {hint}")
        elif kinds[key] is Any:
            if not isinstance(value, str | dict):
                faults.append(f"{place}neither text nor a table of house rules")
        else:
            kind, words = _KINDS[kinds[key]]
            of_texts = kind is not list or all(isinstance(item, str) for item in value)
            if type(value) is not kind or not of_texts:
                faults.append(f"{place}{_shown(value)} is not {words}")
    if faults:
        raise common.BadInputError("\n        ".join(faults))
    return Settings(**{key.replace("-", "_"): value for key, value in values.items()})


def _shown(value: Any) -> str:
    from ..sim.rules import shown

    return shown(value)


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
    from ..sim.run import Run, record_outcome
    from ..sim.store import RunFolder
    from ..sim.work import RefusedError, entries_of

    manifest = RunFolder(place).read_manifest()
    if manifest["status"] != "finished":
        raise common.BadInputError(
            f"{place} is not finished, so there is no digest to compare with: "
            f"prummy tournament --resume --out {shlex.quote(place)} goes on with it"
        )
    try:
        entries = entries_of(manifest["strategies"])
    except RefusedError as error:
        raise common.BadInputError(f"{place} cannot be played again: {error}") from None
    make_ready(entries)
    with tempfile.TemporaryDirectory(prefix="prummy-") as spare:
        folder = RunFolder(settings.out or f"{spare}/run")
        again = {**manifest, "status": "running", "seconds": 0.0}
        folder.create(again)
        progress = common.Progress("matches")
        try:
            outcome = Run(folder, again, entries).play(settings.choice(), progress.update, Event())
        finally:
            progress.close()
        record_outcome(folder, again, outcome)
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
