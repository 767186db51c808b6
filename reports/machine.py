"""The JSON that commands print for machines; its keys are fixed (docs/reference)."""

from typing import Any

from .field_tables import reversals
from .ratings import elo_ratings, points_ratings
from .results import Results
from .tables import (
    entry_margin,
    entry_share,
    entry_sources,
    pairing_margin,
    pairing_share,
    standings,
)


def pairing_json(results: Results) -> list[dict[str, Any]]:
    """Return each pairing that counts, from a's side."""
    return [
        {
            "a": results.names[pairing.a],
            "b": results.names[pairing.b],
            "boards": summary.total("boards"),
            "matches": summary.total("matches"),
            "margin": pairing_margin(summary).to_json(),
            "win_share": pairing_share(summary).to_json(),
            "pairs": summary.pairs(),
        }
        for pairing, summary in results.played()
    ]


def tournament_json(results: Results) -> dict[str, Any]:
    """Return what ``tournament --json`` prints: digest, standings (best first), pairings."""
    table = standings(results)
    order = [results.names.index(name) for name in table["strategy"]]
    return {
        "digest": results.manifest["digest"],
        "matches": results.manifest["matches"],
        "seconds": results.manifest["seconds"],
        "status": results.manifest["status"],
        "seed": results.plan.seed,
        "standings": [
            {
                "strategy": results.names[entry],
                "matches": int(results.groups(entry, "matches").sum()),
                "win_share": entry_share(results, entry).to_json(),
                "margin": entry_margin(results, entry).to_json(),
            }
            for entry in order
        ],
        "pairings": pairing_json(results),
        "failures": results.manifest["failures"],
    }


def ratings_json(results: Results, anchor: str | None = None) -> dict[str, Any]:
    """Return what ``ratings --json`` prints: two ratings of a field, best first, and how sure.

    Of each: ``"above"``, the chance that the strategy of a row is rated above that of a column in
    truth, and ``"covariance"``, in squared points of the rating, both in the order of the list.
    ``"disagree"``: pairs of which Elo rates the first higher and points the second.
    """
    elo, points = elo_ratings(results, anchor), points_ratings(results, anchor)
    versions = {s["name"]: s["version"] for s in results.manifest["strategies"]}
    names, players = results.plan.names, dict(zip(results.names, results.plan.teams, strict=True))
    found: dict[str, Any] = {"separated": elo.is_separated}
    for key, ratings in (("elo", elo), ("points", points)):
        order = ratings.order
        found[key] = [
            {
                **row,
                "versions": [versions[names[k]] for k in dict.fromkeys(players[row["strategy"]])],
            }
            for row in ratings.to_json()
        ]
        found[f"{key}_above"] = [[ratings.above(k, m) for m in order] for k in order]
        found[f"{key}_covariance"] = ratings.covariance[order][:, order].tolist()
    pairs = reversals(elo, points)
    found["disagree"] = pairs[["by_elo", "by_points"]].to_numpy().tolist()
    return found


def sources_json(results: Results) -> list[dict[str, Any]]:
    """Return what makes the margin of each strategy over its opponents, best win share first."""
    found = []
    for name in standings(results)["strategy"]:
        entry = results.names.index(name)
        parts = {label: part.to_json() for label, part in entry_sources(results, entry).items()}
        margin = entry_margin(results, entry).to_json()
        found.append({"strategy": name, "margin": margin, "sources": parts})
    return found
