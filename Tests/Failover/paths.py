"""Where the modules lie that this suite shares with Tests/Faults, Conformance and Harness."""

from __future__ import annotations

import sys
from pathlib import Path

for _folder in ("Faults", "Conformance", "Harness"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / _folder))
