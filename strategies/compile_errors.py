"""What the compiler's message means to the author of a strategy: where, why, and what instead."""

import ast
import inspect
import linecache
import re
import textwrap
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..sim.rules import RULES_DTYPE
from ..sim.state import TABLE_DTYPE

_PLACE = re.compile(r"^During: .* at (.+\.py) \((\d+)\)$", re.MULTILINE)
_RAISED_FROM = re.compile(r"Raised from (.+\.py) \((\d+)\)")
_GENERAL = "hooks are compiled by numba: numbers, arrays, and functions made with jit"

# (what numba says, what that means or "" where its own words do, what to write instead)
_MEANINGS = (
    (
        r"the answer is a float",
        "the answer is a float, not a whole number",
        "return the index, the play or the card, not what it is worth; np.int64(x) cuts off",
    ),
    (
        r"built-in function (max|min|sorted)>(?s:.*)<function ",
        "compiled code has no functions as arguments (key=...)",
        "a loop that keeps the best",
    ),
    (
        r"built-in function getitem>(?s:.*)\bfloat64\)",
        "an index is a whole number, and this one is a float",
        "np.int64(x)",
    ),
    (
        r"getiter(?s:.*)\(uint64\)",
        "a mask is a number, not a list of cards",
        "while mask != ZERO: card = trailing_zeros(mask); mask = without_lowest(mask)",
    ),
    (
        r"Unknown attribute '(\w+)' of type lent",
        "params and work are arrays, without names",
        "params[0], params[1] ... in the order in which they are declared",
    ),
    (
        r"name 'self' is not defined|global name 'self'",
        "hooks have no self",
        "params, work, or a constant above the class; or a PythonStrategy, which has one",
    ),
    (
        r"built-in function (max|min|sum|len|abs)>",
        "{0} is called with what it cannot take",
        "two numbers for max and min; a loop for the rest",
    ),
    (
        r"Cannot modify|setitem\(ReadOnly|readonly array\(.*\n.*\n.*candidate impl"
        r"|'NoneType' object has no attribute 'args'",  # of `array += 1`
        "view, params and what lies outside the hook are only to be read",
        "copy what you change (view.pile.copy()), keep what you need in work",
    ),
    (
        r"global name '(\w+)'.*<class 'function'>",
        "{0} is a plain Python function, and compiled code calls compiled functions only",
        "write @jit above its def (from persian_rummy.sim.jit import jit)",
    ),
    (
        r"global name '(\w+)'.*<class 'type'>",
        "{0} is a class, and compiled code makes no objects",
        "numbers, tuples, and the array work; or a PythonStrategy, which is not compiled",
    ),
    (
        r"global name '(\w+)'.*<class '(?:dict|set|str|module)'>"
        r"|assigned to variable '(\w+)' in globals",
        "{0} is of a kind that compiled code cannot read from outside",
        "a tuple, or an array: np.array([...])",
    ),
    (
        r"global name '(\w+)'.*builtin_function",
        "compiled code has no {0}",
        "a loop; for masks popcount, trailing_zeros, without_lowest (persian_rummy.sim.bits)",
    ),
    (
        r"opcode \(IMPORT_",
        "there is an import inside the hook",
        "import at the top of the file; numpy and math are known to compiled code",
    ),
    (
        r"opcode \(STORE_GLOBAL",
        "a hook cannot change what lies outside it",
        "keep it in work (set work_size in the class); it is empty when a deal begins",
    ),
    (
        r"yield in a closure",
        "compiled code has no generators, as in any(... for ...)",
        "a loop",
    ),
    (
        r"'with \(context manager\)|opcode \(BEFORE_WITH",
        "compiled code has no `with`, and reads no files",
        "read at the top of the file, into an array",
    ),
    (
        r"Cannot unify (.+) and (.+) for '(\w+)",
        "{2} is of one type on one way and of another on the other",
        "begin it with its type: np.int64(-1), 0.0, or ZERO for a mask",
    ),
    (
        r"No conversion from .* to int64 for '\$.*return|No conversion from none to",
        "it must return a whole number, whichever way it takes",
        "end every way through the hook with `return` and a number",
    ),
    (
        r"Cannot infer the type of variable '(\w+)'.*list\(undefined\)",
        "{0} is an empty list, whose type cannot be told",
        "a mask, the array work, or np.zeros(n, np.int64)",
    ),
    (
        r"Unknown attribute 'bit_count'",
        "masks in compiled code are numpy's uint64",
        "popcount(mask), from persian_rummy.sim.bits",
    ),
    (
        r"unicode_type|UnicodeType|Literal\[str\]",
        "compiled code can do next to nothing with text",
        "numbers; to see what a strategy decides: prummy match ... --explain",
    ),
    (
        r"NameError: name '(\w+)'|global name '(\w+)' is not defined|name '(\w+)' is not defined",
        "",
        "import it, or define it above the class",
    ),
    (r"np\.random is not governed", "", "random_below(view, n), from persian_rummy.sim.view"),
)


def explain(error: Exception, function: Callable[..., Any]) -> str:
    """Return why a function does not compile, at which line of the author's, and what to write.

    Parameters
    ----------
    error
        What numba raised.
    function
        The hook: the plain function.
    """
    said = str(error)
    why, instead = _first_line(error), _GENERAL
    for pattern, meaning, better in _MEANINGS:
        if match := re.search(pattern, said):
            groups = [group for group in match.groups() if group]
            why, instead = meaning.format(*groups) or why, f"instead: {better}"
            break
    if isinstance(error, KeyError):  # what numba makes of a field that a record does not have
        why, instead = _no_such_field(str(error.args[0]))
    lines = [why]
    if place := _place(said, function, why if isinstance(error, KeyError) else _first_line(error)):
        file, line = place
        source = linecache.getline(file, line).strip()
        lines.append(f'  at File "{file}", line {line}' + (f": {source}" if source else ""))
    return "\n".join([*lines, f"  ({instead})"])


def _no_such_field(name: str) -> tuple[str, str]:
    names = [*(TABLE_DTYPE.names or ()), *(RULES_DTYPE.names or ())]
    near = get_close_matches(name, names, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else "docs/strategies.md lists the fields"
    return f"there is no field {name!r}", hint


def _first_line(error: Exception) -> str:
    """Return the line of numba's message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    skipped = ("File ", "Failed in", "During:", "- ", "^", "<source")
    telling = [line for line in lines if not line.startswith(skipped)]
    return _without_records(telling[0]) if telling else type(error).__name__


def _place(said: str, function: Callable[..., Any], why: str) -> tuple[str, int] | None:
    """Return the author's file and line that a message is about, as near as it can be told."""
    places = [place for place in _PLACE.findall(said) if "numba" not in Path(place[0]).parts]
    places = places or _RAISED_FROM.findall(said)
    if places:
        return places[-1][0], int(places[-1][1])
    return _place_of_word(function, why) or _place_of_generator(said, function)


def _place_of_word(function: Callable[..., Any], text: str) -> tuple[str, int] | None:
    """Return where a function uses the name or field that a message quotes."""
    quoted = re.search(r"'(\w+)'", text)
    for node in _nodes(function):
        if quoted and isinstance(node, ast.Name | ast.Attribute):
            if quoted[1] == (node.id if isinstance(node, ast.Name) else node.attr):
                return _line_of(function, node)
    return None


def _place_of_generator(said: str, function: Callable[..., Any]) -> tuple[str, int] | None:
    kinds = {"yield in a closure": ast.GeneratorExp, "'with (context": ast.With}
    for words, kind in kinds.items():
        for node in _nodes(function):
            if words in said and isinstance(node, kind):
                return _line_of(function, node)
    return None


def _nodes(function: Callable[..., Any]) -> list[Any]:
    try:
        return list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))))
    except (OSError, SyntaxError):
        return []


def _line_of(function: Callable[..., Any], node: Any) -> tuple[str, int]:
    code = function.__code__
    return code.co_filename, code.co_firstlineno + node.lineno - 1


def _without_records(text: str) -> str:
    """Return a message in which each spelt-out record type (the view is the only one) is named."""
    while (start := text.find("Record(")) >= 0:
        depth, end = 1, start + len("Record(")
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + "view" + text[end:]
    return text
