"""Strategies that harm the process they run in, on seed 1 from board 8 on; dull before."""

from pathlib import Path

from small_runs import write_strategy

WHEN = "view.deal == 1 and view.match_points[0] > 230"
HEAD = """
from numba import carray, types
from numba.extending import intrinsic


@intrinsic
def address(context, value):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), codegen


leave = types.ExternalFunction("_exit", types.void(types.intc))
"""
BODIES = {
    "Loops": "while {when}:\n    work[0] += 1",
    "Crashes": "if {when}:\n    return carray(address(8), (1,), np.int64)[0]",
    "Exits": "if {when}:\n    leave(3)",
    "Eats": (
        "total = 0.0\nif {when}:\n    kept = [np.ones(1000)]\n    while total >= 0:\n"
        "        kept.append(np.ones(1 << 22))\n        total += kept[-1][7]\n    return len(kept)"
    ),
    "Raises": "if {when}:\n    raise ValueError('boo')",
    "Cheats": "if {when}:\n    return -1",
    "Nonsense": "if {when}:\n    return np.int64(view.rng) | 1 << 40",
}
WHY = {
    "Loops": "did not come back: a deal took more than 2 s",
    "Crashes": "crashed the process (SIGSEGV)",
    "Exits": "ended the process (exit code 3)",
    "Eats": "took more than 0.8 GB of memory",
    "Raises": "raised ValueError: boo (raises.py, line 31)",
    "Cheats": "not all of the cards are in the player's hand (RULES section 5)",
    "Nonsense": "not all of the cards are in the player's hand (RULES section 5)",
}

SLOW = "for k in range({n}):\n    work[0] ^= k * (work[0] + 1)\nreturn trailing_zeros(view.hand)"


def write_slow(folder: Path, loops: int) -> str:
    """Write a strategy that thinks before it throws a card; return its entry."""
    return write_strategy(folder, "Slow", discard=SLOW.format(n=loops), more="work_size = 1")


def write_hostile(folder: Path, name: str, when: str = WHEN) -> str:
    """Write one of them; return its entry."""
    body = BODIES[name].format(when=when) + "\nreturn trailing_zeros(view.hand)"
    spec = write_strategy(folder, name, discard=body, more="work_size = 1")
    path = Path(spec.rpartition(":")[0])
    path.write_text(HEAD + path.read_text())
    return spec
