"""A tool as the model meets it: a small schema, strict argument names, short errors that say what to do next.

The SDK ignores unknown arguments, turns text that looks like JSON into objects, and answers wrong arguments with a
multi-line pydantic report. Here unknown names are refused, text stays text, and every error is one short sentence.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import InputRequiredResult, ToolAnnotations
from pydantic import BaseModel, ValidationError

from zerikai_memory.errors import ZerikaiError, forbidden
from zerikai_memory.redact import mask_secrets

# An argument of a wrong type may be a whole file; the model needs to recognise it, not to read it again.
SHOWN_CHARS = 60
# What the output schema says of a record; the data holds more, and the schema is paid for in every session.
NOTE_PROPERTIES = frozenset({"id", "category", "content", "created_at", "workspace_id", "outcome", "warnings"})


class NeedsInput(Exception):
    """Raised by a tool that must ask the client something first (2026-07-28: the client calls again with it)."""

    def __init__(self, request: InputRequiredResult) -> None:
        super().__init__("the client is asked for input")
        self.request = request


class ArgumentsAsGiven(FuncMetadata):
    """Argument validation that never decodes text as JSON."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """Lists given as JSON text become lists; every other value stays what it is."""
        lists = _list_arguments(self.arg_model)
        return {name: _list_from_text(value) if name in lists else value for name, value in data.items()}


class MemoryTool(Tool):
    """A tool whose failures reach the model as one plain text each."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; raises ToolError with the text for the model, UnexpectedToolError for a bug of ours."""
        if unknown := sorted(arguments.keys() - self.parameters["properties"].keys()):
            allowed = ", ".join(self.parameters["properties"])
            raise ToolError(f"{self.name} has no argument {_shown(unknown[0])}. Its arguments: {allowed}.")
        try:
            return await super().run(arguments, context, convert_result=convert_result)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, NeedsInput):
                return cause.request
            if isinstance(cause, ValidationError):
                raise ToolError(argument_error(cause, self.parameters["properties"])) from cause
            if isinstance(cause, ZerikaiError):
                raise ToolError(mask_secrets(str(cause))) from cause  # it may repeat what the model gave
            if isinstance(cause, PermissionError):
                raise ToolError(forbidden(cause)) from cause
            if isinstance(error, UnexpectedToolError):
                raise UnexpectedToolError(
                    f"{self.name} failed unexpectedly ({type(cause).__name__}). The server log has the details; "
                    "`zerikai-memory doctor` checks the installation."
                ) from cause
            raise ToolError(mask_secrets(str(cause))) from cause


def memory_tool(
    function: Callable[..., Any], output: type, *, title: str, annotations: ToolAnnotations, **more: Any
) -> MemoryTool:
    """Make a tool of `function`, whose docstring is its description and whose replies carry `output` as data."""
    made = Tool.from_function(function, structured_output=False)
    metadata = ArgumentsAsGiven(arg_model=made.fn_metadata.arg_model, output_model=output)
    metadata.output_schema = compact_schema(metadata.output_schema or {}, output=True)
    return MemoryTool(
        fn=function,
        name=made.name,
        title=title,
        description=" ".join(made.description.split()),
        parameters=compact_schema(made.parameters) | {"additionalProperties": False},
        fn_metadata=metadata,
        is_async=made.is_async,
        context_kwarg=made.context_kwarg,
        annotations=annotations,
        **more,
    )


def compact_schema(schema: Any, *, output: bool = False) -> Any:
    """A JSON schema without what a model pays for and does not use.

    Titles and null defaults go; in a tool's input "this or null" becomes "this" (null is accepted all the same). In
    an output schema descriptions and defaults go too, because the data explains itself, and a
    record declares what every record has.
    """
    if isinstance(schema, list):
        return [compact_schema(item, output=output) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if output and schema.get("$ref") == "#/$defs/SessionHit":
        return {"type": "object"}
    kept: dict[str, Any] = {}
    if output and schema.get("title") == "Note":
        told = {name: value for name, value in schema["properties"].items() if name in NOTE_PROPERTIES}
        schema = schema | {"properties": told}
    if output and "$defs" in schema:
        known = {name: value for name, value in schema["$defs"].items() if name not in ("Anchor", "SessionHit")}
        schema = {key: value for key, value in schema.items() if key != "$defs"} | ({"$defs": known} if known else {})
    for key, value in schema.items():
        if key in ("properties", "$defs"):  # here a key is a name, such as a property called "title"
            kept[key] = {name: compact_schema(item, output=output) for name, item in value.items()}
        elif key == "title" or (key == "default" and (value is None or output)) or (output and key == "description"):
            continue
        elif key == "anyOf" and not output and len(kinds := [kind for kind in value if kind != {"type": "null"}]) == 1:
            kept.update(compact_schema(kinds[0]))
        else:
            kept[key] = compact_schema(value, output=output)
    return kept


def argument_error(error: ValidationError, properties: dict[str, Any]) -> str:
    """One sentence per wrong argument: its name, what was got, what is right, an example."""
    sentences = []
    for problem in error.errors(include_url=False)[:3]:
        name = str(problem["loc"][0]) if problem["loc"] else "arguments"
        wanted, example = _expectation(properties.get(name, {}))
        got = "nothing" if problem["type"] == "missing" else _shown(problem["input"])
        sentences.append(f"Argument {name!r}: got {got}, expected {wanted}, for example {example}.")
    return " ".join(dict.fromkeys(sentences))


def _expectation(schema: dict[str, Any]) -> tuple[str, str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    span = f" from {low} to {high}" if low is not None and high is not None else ""
    span = span or (f" of at least {low}" if low is not None else "")
    words = {
        "integer": ("a whole number" + span, str(schema.get("default", low or 1))),
        "number": ("a number" + span, str(schema.get("default", low or 1))),
        "boolean": ("true or false", "true"),
        "array": (
            "a list of " + (f"at most {schema['maxItems']} " if "maxItems" in schema else "") + "texts",
            '["a.py"]',
        ),
        "object": ("an object", '{"tags": ["x"]}'),
    }
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}", json.dumps(schema["enum"][0])
    longest = f" of 1 to {schema['maxLength']} characters" if "maxLength" in schema else ""
    return words.get(schema.get("type", ""), (f"one text{longest}", '"some text"'))


@functools.cache
def _list_arguments(model: type[BaseModel]) -> frozenset[str]:
    """Names of the arguments that take a list; making the schema takes milliseconds, and it stays the same."""
    properties = model.model_json_schema()["properties"]
    return frozenset(name for name, schema in properties.items() if _takes_list(schema))


def _takes_list(schema: dict[str, Any]) -> bool:
    return any(kind.get("type") == "array" for kind in [schema, *schema.get("anyOf", [])])


def _list_from_text(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # validation names it
    return value


def _shown(value: Any) -> str:
    text = mask_secrets(repr(value))
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 3] + "..."
