"""References within an OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict


def resolved(part: Dict[str, Any], document: Dict[str, Any]) -> Dict[str, Any]:
    """What a part of the document is, or refers to."""
    if "$ref" not in part:
        return part
    for name in part["$ref"].removeprefix("#/").split("/"):
        document = document[name]
    return document
