"""What schemathesis is told beside the document."""

from __future__ import annotations

import re

import schemathesis
from references import resolved
from schemathesis.specs.openapi.checks import positive_data_acceptance

SCOPES_MAX = 1000
"""Of all lists of an invalidation together; a schema cannot add up."""


def is_as_documented(case: schemathesis.Case) -> bool:
    """Whether a case that is said to be right is: the tool fills in fields that have a pattern with
    what does not match it where another field is what it is about."""
    document = case.operation.schema.raw_schema
    for each in case.operation.definition.raw.get("parameters", []):
        each = resolved(each, document)
        value = (case.headers or {}).get(each["name"]) if each["in"] == "header" else None
        pattern = each["schema"].get("pattern")
        if value is not None and pattern and not re.fullmatch(pattern.strip("^$"), value):
            return False
    if "@" in (case.headers or {}).get("Martlet-At-Least", ""):
        # A position of another cluster, which no schema can tell, is refused.
        return False
    if isinstance(case.body, dict):
        lists = [value for value in case.body.values() if isinstance(value, list)]
        return sum(map(len, lists)) + bool(case.body.get("everything")) <= SCOPES_MAX
    return True


@schemathesis.check
def takes_what_is_documented(ctx, response, case) -> bool | None:
    """What the document allows is not refused as wrong."""
    return positive_data_acceptance(ctx, response, case) if is_as_documented(case) else None
