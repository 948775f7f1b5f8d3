"""Checks encoded requests against the request types of the official Python SDKs, strictly.

Reads JSON lines from standard input, {"wire", "case", "body"}, and prints every place where a body has a key that its
type does not know, lacks a required one, or has a value that does not fit. Exit code 1 if there is one.

The SDKs' types are TypedDicts, which at run time accept anything, and some are lazy iterables: this walks them itself.
Only the types are used; no client is made and nothing is sent.
"""

import importlib
import json
import sys
import types as py
import typing

import typing_extensions as ext

# The wire, whether it streams, and the type of its body.
TYPES = {
    ("openai-chat", False): "openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming",
    ("openai-chat", True): "openai.types.chat.completion_create_params:CompletionCreateParamsStreaming",
    ("openai-responses", False): "openai.types.responses.response_create_params:ResponseCreateParamsNonStreaming",
    ("openai-responses", True): "openai.types.responses.response_create_params:ResponseCreateParamsStreaming",
    ("anthropic-messages", False): "anthropic.types.message_create_params:MessageCreateParamsNonStreaming",
    ("anthropic-messages", True): "anthropic.types.message_create_params:MessageCreateParamsStreaming",
}

# Fields of the older API version, which its documentation has and the SDK's types no longer do.
SAMPLING = {"temperature": float, "top_p": float}

# Fields that other servers than OpenAI's own give and want back on this wire.
OF_OTHER_SERVERS = ("reasoning_content", "reasoning_details", "reasoning_opaque", "extra_content", "thought_signature")

# The fields of a generateContent body, and the SDK's types of their parts.
GOOGLE = {
    "contents": list["Content"],
    "systemInstruction": "Content",
    "tools": list["Tool"],
    "toolConfig": "ToolConfig",
    "generationConfig": "GenerationConfig",
    "safetySettings": list["SafetySetting"],
    "cachedContent": str,
}


def faults(kind, value, path):
    """The faults of a value: pairs of a path and what is wrong there."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Annotated, ext.Required, ext.NotRequired, ext.ReadOnly, typing.Required, typing.NotRequired):
        return faults(arguments[0], value, path)
    if isinstance(kind, (ext.TypeAliasType,)):
        return faults(kind.__value__, value, path)
    if kind in (typing.Any, object):
        return []
    if kind is None or kind is type(None):
        return [] if value is None else [(path, "is not null")]
    if origin in (typing.Union, py.UnionType):
        return union_faults(arguments, value, path)
    if origin in (typing.Literal, ext.Literal):
        return [] if value in arguments else [(path, f"{value!r} is none of {list(arguments)}")]
    if is_typed_dict(kind):
        return record_faults(kind, value, path)
    return plain_faults(kind, origin, arguments, value, path)


def plain_faults(kind, origin, arguments, value, path):
    name = getattr(origin or kind, "__name__", str(kind))
    if name in ("Dict", "dict", "Mapping"):
        if not isinstance(value, dict):
            return [(path, "is not an object")]
        inner = arguments[1] if arguments else object
        return [fault for key, item in value.items() for fault in faults(inner, item, f"{path}.{key}")]
    if name in ("List", "list", "Iterable", "Sequence", "SequenceNotStr"):
        if not isinstance(value, list):
            return [(path, "is not an array")]
        inner = arguments[0] if arguments else object
        return [fault for at, item in enumerate(value) for fault in faults(inner, item, f"{path}[{at}]")]
    if kind is float:
        return [] if isinstance(value, (int, float)) and not isinstance(value, bool) else [(path, "is not a number")]
    if kind is int:
        return [] if isinstance(value, int) and not isinstance(value, bool) else [(path, "is not an integer")]
    if kind in (str, bool):
        return [] if isinstance(value, kind) else [(path, f"is not a {kind.__name__}")]
    return [(path, f"{kind!r} is not understood by this check, {value!r} was sent")]


def union_faults(kinds, value, path):
    """None if one member fits, else the faults of the member that fits best: the one with the fewest."""
    all_faults = [faults(kind, value, path) for kind in kinds]
    # A member that is of another shape altogether says less than one that was nearly met.
    return min(all_faults, key=lambda found: (any(at == path for at, _ in found), len(found))) if all_faults else []


def record_faults(kind, value, path):
    if not isinstance(value, dict):
        return [(path, "is not an object")]
    hints = ext.get_type_hints(kind, include_extras=True)
    found = [(f"{path}.{key}", "is unknown") for key in value if key not in hints]
    found += [(f"{path}.{key}", "is missing") for key in kind.__required_keys__ if key not in value]
    for key, item in value.items():
        if key in hints:
            found += faults(hints[key], item, f"{path}.{key}")
    return found


def is_typed_dict(kind):
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def sampling_faults(body):
    checks = ((key, body.pop(key), kind) for key, kind in SAMPLING.items() if key in body)
    return [fault for key, value, kind in checks for fault in faults(kind, value, key)]


def google_faults(body):
    from google.genai import types
    from pydantic import TypeAdapter, ValidationError

    found = []
    for key, value in body.items():
        kind = GOOGLE.get(key)
        if kind is None:
            found.append((key, "is unknown"))
            continue
        named = lambda kind: getattr(types, kind) if isinstance(kind, str) else kind
        kind = list[named(typing.get_args(kind)[0])] if typing.get_origin(kind) is list else named(kind)
        try:
            TypeAdapter(kind).validate_python(value)
        except ValidationError as error:
            found += [(f"{key}.{'.'.join(map(str, fault['loc']))}", fault["msg"]) for fault in error.errors()]
    if "contents" not in body:
        found.append(("contents", "is missing"))
    return found


def body_faults(wire, version, body):
    if wire == "google-generate-content":
        return google_faults(body)
    module, name = TYPES[wire, bool(body.get("stream"))].split(":")
    found = sampling_faults(body) if version == "2023-06-01" else []
    found += faults(getattr(importlib.import_module(module), name), body, "body")
    is_foreign = lambda path: wire == "openai-chat" and path.endswith(OF_OTHER_SERVERS)
    return [(path, what) for path, what in found if not is_foreign(path)]


def main():
    count, faulty = 0, 0
    for line in sys.stdin:
        case = json.loads(line)
        found = body_faults(case["wire"], case.get("version"), case["body"])
        for path, what in found:
            print(f"{case['wire']}, {case['case']}: {path} {what}")
        count, faulty = count + 1, faulty + bool(found)
    print(f"{count} requests checked, {faulty} with faults")
    sys.exit(1 if faulty or not count else 0)


if __name__ == "__main__":
    main()
