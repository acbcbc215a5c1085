"""The plain JSON form of messages that the golden files hold (see golden/README.md)."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, Dict, Union

from .fields import Fields
from .header import VERSION, Type
from .message import CODECS, Message
from .reading import U64


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _inner(hint: Any) -> Any:
    """The type within an `Optional`, or the type itself."""
    if typing.get_origin(hint) is Union:
        return next(each for each in typing.get_args(hint) if each is not type(None))
    return hint


def to_json(value: Any, hint: Any) -> Any:
    """The JSON form of a value of the given type."""
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        members = ((name, getattr(value, name), _inner(hints[name])) for name in hints)
        return {
            _camel(name): to_json(each, inner)
            for name, each, inner in members if each is not None
        }
    if typing.get_origin(hint) is list:
        return [to_json(each, typing.get_args(hint)[0]) for each in value]
    if hint is U64:
        return str(value)
    return value.hex() if hint is bytes else value


def from_json(form: Any, hint: Any) -> Any:
    """The value of the given type in a JSON form."""
    if dataclasses.is_dataclass(hint):
        return _members(form, hint)
    if typing.get_origin(hint) is list:
        return [from_json(each, typing.get_args(hint)[0]) for each in form]
    if hint is U64:
        return U64(int(form))
    return bytes.fromhex(form) if hint is bytes else form


def _members(form: Dict[str, Any], hint: Any) -> Any:
    hints = {_camel(name): (name, each) for name, each in typing.get_type_hints(hint).items()}
    unknown = set(form) - set(hints)
    if unknown:
        raise ValueError(f"{hint.__name__} has no {', '.join(sorted(unknown))}")
    values = {}
    for label, (name, each) in hints.items():
        if label in form:
            values[name] = from_json(form[label], _inner(each))
        elif typing.get_origin(each) is Union:
            values[name] = None
        else:
            raise ValueError(f"{hint.__name__} lacks {label}")
    return hint(**values)


def message_to_json(message: Message) -> Dict[str, Any]:
    """The JSON form of a whole message."""
    codec = CODECS[message.type]
    return {
        "version": VERSION,
        "type": message.type.name,
        "flags": 0,
        "count": codec.encode(message.body)[0],
        "requestId": str(message.request_id),
        "stream": 0,
        "fields": to_json(message.fields, Fields),
        "body": to_json(message.body, codec.body),
    }


def message_from_json(form: Dict[str, Any]) -> Message:
    """The message in a JSON form."""
    type = Type[form["type"]]
    body = from_json(form["body"], CODECS[type].body)
    fields = from_json(form["fields"], Fields)
    return Message(type, body, U64(int(form["requestId"])), fields)
