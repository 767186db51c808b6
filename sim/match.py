"""Matches played from Python: what plays a seat, and blocks of boards through the kernel."""

import sysconfig
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .cards import N_CARDS
from .columns import DEAL_DTYPE, ROW_DTYPE, SIDE_DTYPE
from .invariants import state_is_ok
from .jit import PACKAGE_DIR, hook_address, machine_code
from .kernel import GAME_DTYPE, UNSOUND, ask_all, play_block
from .python_hooks import PythonHook
from .reasons import REASONS
from .rules import Rules
from .state import HIDDEN_TYPE, TABLE_TYPE
from .view import HOOK_NAMES, Player

ROUNDS = 5  # of `seconds_of_hook`
_LIBRARIES = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}


@dataclass(frozen=True)
class Failure:
    """A strategy's failure: which player (its seat in rotation 0), where, and what it answered."""

    player: int
    board: int
    rotation: int
    deal: int
    seat: int
    hook: str
    answer: int | None
    why: str

    @property
    def what(self) -> str:
        """What happened, in words; there is no answer where the hook raised."""
        if self.answer is None:
            return f"{self.hook} {self.why}"
        return f"{self.hook} answered {self.answer}: {self.why}"


@dataclass(frozen=True)
class Block:
    """What the kernel filled: rows of matches, sides and deals, and the failure that ended it."""

    rows: np.ndarray
    sides: np.ndarray
    deals: np.ndarray
    failure: Failure | None


def play_boards(
    rules: Rules,
    players: Sequence[Player],
    seed: int,
    first_board: int,
    n_boards: int,
    rotations: Sequence[int] = (0, 1),
    checked: bool = False,
    log: np.ndarray | None = None,
    game: np.ndarray | None = None,
) -> Block:
    """Return the rows of a block of boards, each played in its rotations.

    Parameters
    ----------
    rules : Rules
    players : four Player, by seat in rotation 0
    seed : int
        The master seed, 0 to 2**64 - 1.
    first_board, n_boards : int
    rotations : (0,), (1,) or (0, 1)
    checked : bool
        Check the whole position after every action (`deal.state_is_ok`), at half the speed.
    log : uint64 array, optional
        Filled with the actions of all deals in order, as far as it goes; the rest stays as it is.
    game : GAME_DTYPE, shape (1,), optional
        Memory for what the kernel is given. Its field `where` says at any time what is being
        played (`failure_in`), so that another process may watch; its `n_boards` is 0 when nothing
        is.
    """
    game = np.zeros(1, GAME_DTYPE) if game is None else game
    game[:] = np.zeros(1, GAME_DTYPE)
    game["table"]["rules"] = law = rules.record()
    n_matches = n_boards * len(rotations)
    rows = np.zeros(n_matches, ROW_DTYPE)
    sides = np.zeros((n_matches, 2), SIDE_DTYPE)
    deals = np.zeros((n_matches, rules.deals), DEAL_DTYPE)
    decks = np.zeros((rules.deals, N_CARDS), np.uint8)
    params, work = _seat(game, players)
    check_at = _check_address() if checked else 0  # may compile, which is not yet play
    where = game["where"]
    where["seed"], where["first_board"], where["n_boards"] = seed, first_board, n_boards
    where["first_rotation"], where["n_rotations"] = rotations[0], len(rotations)
    where["check_at"] = check_at
    where["watched"] = checked or log is not None
    copies = [array.copy() for array in params]
    where["fixed_at"] = [*(array.ctypes.data for array in params), _address(game["table"], "rules")]
    where["copies_at"] = [array.ctypes.data for array in (*copies, law)]
    where["fixed_words"] = [array.nbytes // 8 for array in (*copies, law)]
    if log is not None:
        where["log_at"], where["log_size"] = log.ctypes.data, log.size
    failure = None
    try:
        n_played = play_block(game[0], decks, rows, sides, deals)
        if n_played < n_matches:
            why = _why(int(where["code"][0]))
            failure = failure_in(where[0], int(where["answer"][0]), why)
            hook = players[failure.player].hooks[int(where["hook"][0])]
            if isinstance(hook, PythonHook) and hook.error is not None:
                failure = failure_in(where[0], None, raised(hook.error))
            elif where["code"][0] == UNSOUND and not checked:  # seen late: whose fault was it?
                at = (failure.board, 1, (failure.rotation,))
                failure = play_boards(rules, players, seed, *at, checked=True).failure or failure
    except Exception as error:  # out of a hook: the kernel itself raises nothing
        n_played = 0
        failure = failure_in(where[0], None, raised(error))
    where["n_boards"] = 0
    del work  # the kernel has borrowed it
    return Block(rows[:n_played], sides[:n_played], deals[:n_played], failure)


def _seat(game: np.ndarray, players: Sequence[Player]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Seat players; return their parameters and memory, which must be kept as long as they play."""
    params = [player.params.copy() for player in players]
    work = [np.zeros(player.work_size, np.int64) for player in players]
    seats = game["players"][0]
    seats["hooks_at"] = [[_where_is(hook) for hook in player.hooks] for player in players]
    seats["params_at"] = [array.ctypes.data for array in params]
    seats["n_params"] = [array.size for array in params]
    seats["work_at"] = [array.ctypes.data for array in work]
    seats["work_size"] = [array.size for array in work]
    return params, work


def seconds_of_hook(player: Player, hook: int, tables: np.ndarray) -> float | None:
    """Return the seconds that one call of a hook takes, mean over some views, in the best round.

    Plain Python is timed by the clock, since it may wait for others; compiled code by the time on
    the processor. None for a hook that raises when it is asked out of turn.

    Parameters
    ----------
    player : Player
    hook : int
        0: draw, 1: meld, 2: discard.
    tables : TABLE_DTYPE array, not empty
        The views. Its memory is not emptied between them: for a strategy that keeps something in
        it, this is about what it takes in play.
    """
    game = np.zeros(1, GAME_DTYPE)
    kept = _seat(game, [player] * 4)
    function = player.hooks[hook]
    is_python = isinstance(function, PythonHook)
    clock = time.perf_counter if is_python else time.thread_time

    def ask(times: int) -> float:
        started = clock()
        ask_all(game[0], hook, tables, times)
        if is_python and function.error is not None:
            raise function.error
        return clock() - started

    try:
        ask(1)  # the first time may compile it
        times = max(1, int(0.005 / ask(1)))  # what calls it costs nothing then
        best = min(ask(times) for _ in range(ROUNDS))
    except Exception:  # of somebody's own
        return None
    del kept
    return best / (times * len(tables))


def _check_address() -> int:
    """Return where the machine code of `state_is_ok` begins; compiled when first asked for."""
    kinds = (TABLE_TYPE, HIDDEN_TYPE)
    state_is_ok.compile(kinds)
    return machine_code(state_is_ok.overloads[kinds])


def _address(record: np.ndarray, field: str) -> int:
    return int(record[field].ctypes.data)


def _where_is(hook: Any) -> int:
    """Return the address at which the kernel calls a hook."""
    return hook.address if isinstance(hook, PythonHook) else hook_address(hook)


def raised(error: BaseException) -> str:
    """Return what somebody's code raised, in one line, and where: known where it is plain Python.

    That is the last line of his own: not one of this package, nor of a library that he called.
    """
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not Path(frame.filename).is_relative_to(PACKAGE_DIR / "sim")
        and not Path(frame.filename).is_relative_to(PACKAGE_DIR / "strategies")
        and not any(Path(frame.filename).is_relative_to(place) for place in _LIBRARIES)
        and not frame.filename.startswith("<")
    ]
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"raised {type(error).__name__}: {_text(error)}{at}"


def _text(error: BaseException) -> str:
    """Return what an exception of somebody's own says, in one line; nothing where it fails to."""
    try:
        return " ".join(str(error).split())
    except Exception:
        return ""


def _why(code: int) -> str:
    return "damaged the position (RULES section 3)" if code == UNSOUND else REASONS[code]


def failure_in(where: Any, answer: int | None, why: str) -> Failure:
    """Return the failure of the hook that is being asked where `where` (a WHERE_DTYPE) stands."""
    return Failure(
        player=int(where["seat"]) ^ int(where["rotation"]),
        board=int(where["board"]),
        rotation=int(where["rotation"]),
        deal=int(where["deal"]),
        seat=int(where["seat"]),
        hook=HOOK_NAMES[int(where["hook"])],
        answer=answer,
        why=why,
    )
