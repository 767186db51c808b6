"""Write tests/data/engine.json, the frozen contract of the engine, after a deliberate change.

``python tests/freeze.py``. What the contract holds may change only with a new `ENGINE_VERSION`, and
this refuses to write it otherwise. The signature alone (a change of play: the rules, a built-in
strategy) is written under the same version.
"""

import json
import sys
from pathlib import Path

from persian_rummy.sim.frozen import ENGINE_VERSION, contract, signature

FILE = Path(__file__).parent / "data" / "engine.json"


def main() -> None:
    """Write the file, or say why not."""
    new = contract()
    old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else None
    if old is not None and old["engine_version"] == ENGINE_VERSION and old["contract"] != new:
        changed = [part for part in new if new[part] != old["contract"].get(part)]
        sys.exit(f"{', '.join(changed)}: changed; raise ENGINE_VERSION in sim/frozen.py first")
    frozen = {"engine_version": ENGINE_VERSION, "signature": signature(), "contract": new}
    FILE.write_text(json.dumps(frozen, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
