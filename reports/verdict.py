"""What a run says, in plain words: who leads, by how much, how sure, and who is not told apart.

"Clearly ahead" is only said of two that met and whose margin's interval lies above zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from .numbers import count, margin_digits, percent, share_digits, signed, span
from .results import Results
from .tables import better_sides


@dataclass(frozen=True)
class Verdict:
    """A headline and the sentences under it."""

    headline: str
    sentences: list[str] = field(default_factory=list)


def listed(names: Sequence[str]) -> str:
    """Return names as text: a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def verdict(results: Results, standings: pd.DataFrame, meetings: pd.DataFrame) -> Verdict:
    """Return the verdict of a run from its `standings` and `meetings`."""
    if standings.empty:
        return Verdict(
            "No match counts, so there is nothing to compare",
            ["Every pairing is void or was not played; see below why."],
        )
    gauntlet = results.plan.format == "gauntlet" and len(results.names) > 2
    hub = results.names[0]
    subject = hub if gauntlet else str(standings["strategy"].iloc[0])
    its = meetings[meetings["strategy"] == subject]
    sentences = [_overall(standings, subject)]
    sentences += _direct(meetings, its)
    if gauntlet:
        sentences.append(
            f"In a gauntlet the others meet only {hub}: compare each of them with it, "
            "and not by this run with one another."
        )
    else:
        sentences += _others_level(meetings, subject, bool(_opponents(its, "level")))
    return Verdict(_headline(subject, its, gauntlet), sentences)


def _opponents(rows: pd.DataFrame, told_apart: str) -> list[str]:
    return list(rows.loc[rows["told_apart"] == told_apart, "opponent"])


def _headline(subject: str, its: pd.DataFrame, gauntlet: bool) -> str:
    ahead, behind, level = (_opponents(its, word) for word in ("ahead", "behind", "level"))
    if _opponents(its, "unknown"):
        where = "" if gauntlet else " comes first, but"
        return f"{subject}{where or ':'} one board is too few to say how sure that is"
    if gauntlet:
        parts = [f"clearly ahead of {listed(ahead)}"] if ahead else []
        parts += [f"clearly behind {listed(behind)}"] if behind else []
        parts += [f"not told apart from {listed(level)}"] if level else []
        return f"{subject} is {listed(parts)}"
    if behind:
        verb = "is" if len(behind) == 1 else "are"
        return f"{subject} has the best record, but {listed(behind)} {verb} clearly ahead of it"
    if level:
        return f"{subject} leads, but cannot be told apart from {listed(level)}"
    return f"{subject} is clearly ahead of {_all_of(ahead)}"


def _all_of(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return {2: "both others"}.get(len(names), f"all {len(names)} others")


def _overall(standings: pd.DataFrame, subject: str) -> str:
    row = standings[standings["strategy"] == subject].iloc[0]
    digits = share_digits(standings)
    text = (
        f"{subject} won {percent(row['win_share'], digits)} % of its {count(row['matches'])} "
        "matches, draws counting half"
    )
    known = row["win_share_low"] == row["win_share_low"]
    if known:
        ends = span(100 * row["win_share_low"], 100 * row["win_share_high"], digits, False)
        text += f" (95 % interval {ends} %)"
    digits = margin_digits(standings)
    text += f", with a margin of {signed(row['margin'], digits)} points a match"
    if known:
        text += f" ({span(row['margin_low'], row['margin_high'], digits)})"
    return f"{text}."


def _direct(meetings: pd.DataFrame, its: pd.DataFrame) -> list[str]:
    """Say how the subject did against each opponent, those that it is not told apart from first."""
    if len(its) == 1 and its["told_apart"].iloc[0] in ("ahead", "unknown"):
        return []  # the overall sentence says it all
    texts = []
    digits = margin_digits(meetings)
    for word, wording in (
        ("behind", "It is clearly behind {}."),
        ("level", "It leads {}, but the interval holds zero: that may be luck."),
        ("ahead", "It is clearly ahead of {}."),
    ):
        rows = its[its["told_apart"] == word].sort_values("margin", kind="stable")
        units = [" points a match", *[""] * len(rows)]
        names = [
            f"{row.opponent} ({signed(row.margin, digits)}{unit}, "
            f"from {span(row.margin_low, row.margin_high, digits)})"
            for row, unit in zip(rows.itertuples(), units, strict=False)
        ]
        if names:
            texts.append(wording.format(listed(names)))
    return texts


def _others_level(meetings: pd.DataFrame, subject: str, after_its_own: bool) -> list[str]:
    """Name the further pairs whose interval holds zero."""
    level = better_sides(meetings[meetings["told_apart"] == "level"])
    level = level[(level["strategy"] != subject) & (level["opponent"] != subject)]
    if level.empty:
        return []
    pairs = [f"{row.strategy} from {row.opponent}" for row in level.itertuples()]
    begin = "Nor does this run tell" if after_its_own else "This run does not tell"
    return [f"{begin} {listed(pairs)}."]
