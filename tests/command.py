"""The command line for tests, in this process."""

import json
from typing import Any

from typer.testing import CliRunner

from persian_rummy.cli import app


def run(*arguments: str, stdin: str | None = None, code: int = 0) -> str:
    """Return what a command prints on stdout; it must end with a code and no traceback."""
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.stdout


def run_json(*arguments: str) -> Any:
    """Return the JSON that a command prints: one value on one line, and nothing else."""
    text = run(*arguments, "--json")
    assert text.count("\n") == 1
    return json.loads(text)


def fails(*arguments: str, code: int = 2) -> str:
    """Return what a command says on stderr; it must fail with a code and print nothing else."""
    result = CliRunner().invoke(app, list(arguments))
    assert (result.exit_code, result.stdout) == (code, "")
    assert "Traceback" not in result.stderr
    return result.stderr
