"""``prummy runs``: what lies in the folders of runs; none of this runs a strategy's code."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import common

if TYPE_CHECKING:
    from ..sim.check import Report
    from ..sim.store import RunFolder

app = typer.Typer(
    help="List, show, check, merge and tidy the folders of runs. No strategy's code is run.\n\n"
    "Example: prummy runs ls",
    no_args_is_help=True,
)

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")]


@app.command("ls")
def ls(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to look for runs.")] = Path(
        "runs"
    ),
    json_: common.JsonOption = False,
) -> None:
    """List the runs in a folder, the newest first.

    Example:

      prummy runs ls
    """
    from ..sim.store import RunFolder, StoreError

    with common.user_errors():
        if not os.path.isdir(folder):
            raise common.BadInputError(f"{folder} is no folder")
        rows = []
        for path in sorted({folder, *folder.iterdir()}):
            if not os.path.isfile(path / "manifest.json"):
                continue
            try:
                rows.append({"run": str(path), **_told(RunFolder(path).read_manifest())})
            except StoreError as error:
                rows.append({"run": str(path), "status": "damaged", "error": str(error)})
        rows.sort(key=lambda row: str(row.get("created", "")), reverse=True)
    if json_:
        common.print_json(rows)
        return
    for row in rows:
        if row["status"] == "damaged":
            typer.echo(f"{row['run']}  damaged: {row['error']}")
            continue
        digest = f"  digest {row['digest'][:8]}" if row["digest"] else ""
        typer.echo(
            f"{row['run']}  {row['status']}  {row['matches']:,} of {row['planned']:,} matches  "
            f"seed {row['seed']}  {row['created']}{digest}  {' '.join(row['strategies'])}"
        )


@app.command("show")
def show(run: RunArgument, json_: common.JsonOption = False) -> None:
    """Show what a run is: its plan, strategies, versions, status and failures.

    Example:

      prummy runs show runs/demo
    """
    from ..sim.store import RunFolder

    with common.user_errors():
        folder = RunFolder(run)
        manifest = folder.read_manifest()
        told = {
            "run": folder.place,
            **_told(manifest),
            "rules": manifest["plan"]["rules"],
            "format": manifest["plan"]["format"],
            "keep": manifest["keep"],
            "command": "prummy " + shlex.join(manifest["command"]),
            "versions": {**manifest["versions"], "engine": manifest["engine_version"]},
            "entries": manifest["strategies"],
            "failures": manifest.get("failures", []),
            "bytes": folder.size(),
        }
    if json_:
        common.print_json(told)
        return
    for name in ("run", "status", "matches", "planned", "seed", "format", "keep", "created"):
        typer.echo(f"{name:10} {told[name]}")
    typer.echo(f"{'rules':10} {told['rules'] or 'persian'}")
    typer.echo(f"{'digest':10} {told['digest']}")
    typer.echo(f"{'size':10} {told['bytes'] / 1e6:,.1f} MB")
    typer.echo(f"{'versions':10} {', '.join(f'{k} {v}' for k, v in told['versions'].items())}")
    typer.echo(f"{'command':10} {told['command']}")
    for entry in told["entries"]:
        typer.echo(f"{'strategy':10} {entry['name']}  {entry['entry']}  {entry['source_hash'][:8]}")
    for failure in told["failures"]:
        typer.echo(f"{'failure':10} {failure['strategy']}: {failure['kind']}")


def _told(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest's main points."""
    from ..sim.manifest import plan_of_manifest

    plan = plan_of_manifest(manifest)
    return {
        "status": manifest["status"],
        "matches": manifest.get("matches", 0),
        "planned": plan.matches,
        "strategies": list(plan.names),
        "seed": plan.seed,
        "created": manifest["created"],
        "digest": manifest.get("digest"),
    }


@app.command("check")
def check(run: RunArgument, json_: common.JsonOption = False) -> None:
    """Prove all files of a run: manifest, every part, summaries, digest. Exit code 1 for a fault.

    A damaged, missing, doubled or foreign file is named. `prummy tournament --resume` plays again
    what a damaged or missing part held, and nothing else.

    Example:

      prummy runs check runs/demo
    """
    from ..sim.check import check_run
    from ..sim.store import RunFolder

    with common.user_errors(common.FAILED):
        folder = RunFolder(run)
        progress = common.Progress("matches")
        try:
            found = check_run(folder, progress.update)
        finally:
            progress.close()
    _print_check(folder, found, json_)
    if found.faults:
        raise typer.Exit(common.FAILED)


def _print_check(folder: "RunFolder", found: "Report", as_json: bool) -> None:
    if as_json:
        common.print_json(
            {
                "valid": not found.faults,
                "parts": found.parts,
                "matches": found.matches,
                "digest": found.digest,
                "faults": found.faults,
                "orphans": found.orphans,
            }
        )
        return
    for fault in found.faults:
        typer.echo(fault)
    for name in found.orphans:
        typer.echo(f"{name} belongs to no pairing of this run (prummy runs gc removes it)")
    if found.faults:
        typer.echo(
            f"{len(found.faults)} fault{'s' * (len(found.faults) != 1)}; play again what is "
            f"missing: prummy tournament --resume --out {shlex.quote(folder.place)}"
        )
    else:
        typer.echo(f"{found.parts} parts, {found.matches:,} matches, digest {found.digest}: whole")


@app.command("merge")
def merge(
    shards: Annotated[
        list[str], typer.Argument(metavar="SHARD...", help="Folders of runs of one plan.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="Folder of the whole run, a new one.")],
    json_: common.JsonOption = False,
) -> None:
    """Put shards of one plan, played on several machines, together: exactly the run of one.

    Examples
    --------
      prummy tournament --all -n 1000000 --shard 1/2 --out one     (on one machine)

      prummy tournament --all -n 1000000 --shard 2/2 --out two     (on another)

      prummy runs merge one two --out whole
    """
    from ..sim.check import merge_runs
    from ..sim.store import RunFolder

    with common.user_errors():
        target = RunFolder(out)
        progress = common.Progress("matches")
        try:
            with target.writing():
                manifest = merge_runs(
                    [RunFolder(shard) for shard in shards], target, progress.update
                )
        finally:
            progress.close()
    told = {"folder": target.place, **_told(manifest)}
    if json_:
        common.print_json(told)
    else:
        typer.echo(
            f"{told['matches']:,} of {told['planned']:,} matches   digest {told['digest']}   "
            f"run folder {target.place}"
        )
    if manifest["status"] != "finished":
        common.note(
            "some boards are still missing; play them with: "
            f"prummy tournament --resume --out {shlex.quote(target.place)}"
        )


@app.command("gc")
def gc(
    run: RunArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    json_: common.JsonOption = False,
) -> None:
    """Remove what belongs to no pairing of a run: rows of changed strategies, half-written files.

    Example:

      prummy runs gc runs/demo --dry-run
    """
    from ..sim.check import orphans
    from ..sim.store import RunFolder

    with common.user_errors():
        folder = RunFolder(run)
        folder.read_manifest()
        with folder.storage.lock(), folder.writing():
            names = orphans(folder)
            size = sum(folder.storage.size(name) for name in names)
            if not dry_run:
                for name in names:
                    folder.storage.remove(name)
    if json_:
        common.print_json({"removed": names, "bytes": size, "dry_run": dry_run})
        return
    for name in names:
        typer.echo(name)
    verb = "would be" if dry_run else "were"
    typer.echo(f"{len(names)} files, {size / 1e6:,.1f} MB, {verb} removed")
