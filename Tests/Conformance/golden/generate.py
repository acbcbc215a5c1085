#!/usr/bin/env python3
"""Writes frames.json, malformed.json and hashes.json, the same bytes at every run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import sample_frames  # noqa: E402
import sample_hashes  # noqa: E402
import sample_malformed  # noqa: E402


def write(name: str, content: Any) -> None:
    """Writes one golden file, an element a line where it is a list."""
    if isinstance(content, list):
        lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in content)
        text = f"[\n{lines}\n]\n"
    else:
        parts = []
        for key, list_ in content.items():
            lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in list_)
            parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
        text = "{\n" + ",\n".join(parts) + "\n}\n"
    (HERE / name).write_text(text, encoding="ascii")


def main() -> None:
    """Writes all golden files beside this script."""
    write("frames.json", sample_frames.all_frames())
    write("malformed.json", sample_malformed.all_frames())
    write("hashes.json", sample_hashes.all_hashes())


if __name__ == "__main__":
    main()
