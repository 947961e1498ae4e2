"""A chat-completions server on this machine that refuses what OpenAI refuses.

It answers from a script, streaming or not, counts tokens exactly, and keeps every request.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import toktok  # type: ignore[import-untyped]

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONGEST_CALL_ID = 40
PER_MESSAGE = 4
TOO_LONG = (
    "This model's maximum context length is {window} tokens. However, your messages resulted in "
    "{tokens} tokens. Please reduce the length of the messages."
)

# In a scripted reply: why it ends, if not for the usual reason. It is not sent in the message.
FINISH = "finish_reason"

Json = dict[str, Any]
Script = Callable[[Sequence[Json]], Json]


def say(text: str) -> Json:
    """A reply that is text."""
    return {"role": "assistant", "content": text}


def call(*calls: tuple[str, str, Mapping[str, Any]]) -> Json:
    """A reply that calls tools; each call is (id, name, arguments)."""
    return call_as_written(*((one, name, json.dumps(args)) for one, name, args in calls))


def call_as_written(*calls: tuple[str, str, str]) -> Json:
    """A reply that calls tools with arguments that need not be JSON."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for call_id, name, arguments in calls
        ],
    }


def cut_off(reply: Json) -> Json:
    """A reply that ends because it reached the limit of tokens."""
    return {**reply, FINISH: "length"}


def exact_tokens(text: str) -> int:
    """o200k tokens of a text."""
    return int(toktok.batch_count([text], "o200k_base")[0])


def request_tokens(request: Mapping[str, Any]) -> int:
    """Exact tokens of what a request has the model read: messages, calls and tool schemas."""
    texts = []
    for message in request["messages"]:
        content = message.get("content") or ""
        if not isinstance(content, str):
            content = "".join(part.get("text", "") for part in content)
        texts.append(content)
        for made in message.get("tool_calls") or ():
            texts.append(made["function"]["name"] + made["function"]["arguments"])
    for tool in request.get("tools") or ():
        texts.append(json.dumps(tool["function"], ensure_ascii=False, separators=(",", ":")))
    counted = toktok.batch_count(texts, "o200k_base") if texts else []
    return int(sum(counted)) + PER_MESSAGE * len(request["messages"])


class FailedError(Exception):
    """Raised by a script for an answer that is an error of the provider.

    Args:
        status: The HTTP status, as 429 or 500.
        message: What the body says.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "server_error", "code": None}}


class RefusedError(Exception):
    """What the request did wrong, in the form of OpenAI's error bodies."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.body = {
            "error": {
                "message": message,
                "type": "invalid_request_error",
                "param": param,
                "code": code,
            }
        }


@dataclass(frozen=True)
class Answered:
    """A request that was accepted.

    Attributes:
        body: The request.
        tokens: Its exact tokens.
        reply: What was answered.
    """

    body: Json
    tokens: int
    reply: Json

    @property
    def messages(self) -> list[Json]:
        """The messages of the request."""
        messages: list[Json] = self.body["messages"]
        return messages


@dataclass
class OpenAIServer:
    """The server; used as a context manager it runs in threads of this process.

    Attributes:
        script: From the messages of a request to the assistant message to answer with.
        window: Exact tokens that a request may have; None for no limit.
        too_long: What it says of longer ones.
        takes_tools: Whether it serves a model with tools, or refuses them.
        answered: Requests that were accepted, in order.
        refused: Error bodies of those that were not.
    """

    script: Script
    window: int | None = None
    too_long: str = TOO_LONG
    takes_tools: bool = True
    answered: list[Answered] = field(default_factory=list)
    refused: list[Json] = field(default_factory=list)

    def __enter__(self) -> OpenAIServer:
        owner = self

        class Handler(_Handler):
            server_of = owner

        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def url(self) -> str:
        """Base URL to give to a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def codes(self) -> list[str | None]:
        """Error codes of the refusals."""
        return [body["error"]["code"] for body in self.refused]

    def handle(self, raw: bytes) -> Answered:
        """Check a request and answer it.

        Raises:
            RefusedError: OpenAI would answer 400.
            FailedError: The script says that the provider fails.
        """
        with self._lock:
            try:
                body = _checked(raw)
                if "tools" in body and not self.takes_tools:
                    raise RefusedError(f"{body['model']} does not support tools", "tools")
                tokens = request_tokens(body)
                if self.window is not None and tokens > self.window:
                    raise RefusedError(
                        self.too_long.format(window=self.window, tokens=tokens),
                        "messages",
                        "context_length_exceeded",
                    )
            except RefusedError as refusal:
                self.refused.append(refusal.body)
                raise
            answered = Answered(body, tokens, self.script(body["messages"]))
            self.answered.append(answered)
            return answered


def _checked(raw: bytes) -> Json:
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise RefusedError("We could not parse the JSON body of your request.") from error
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise RefusedError("you must provide a model parameter")
    messages = body.get("messages")
    if not isinstance(messages, list):
        raise RefusedError("Missing required parameter: 'messages'.", "messages")
    if not messages:
        raise RefusedError(
            "Invalid 'messages': empty array. Expected an array with minimum length 1.",
            "messages",
            "empty_array",
        )
    for place, message in enumerate(messages):
        _check_message(message, f"messages[{place}]")
    _check_order(messages)
    for place, tool in enumerate(body.get("tools") or ()):
        _check_tool(tool, f"tools[{place}]")
    if "tools" in body and not body["tools"]:
        raise RefusedError("Invalid 'tools': empty array.", "tools", "empty_array")
    return body


def _check_message(message: Any, where: str) -> None:
    if not isinstance(message, dict):
        raise RefusedError(f"Invalid type for '{where}': expected an object.", where)
    role = message.get("role")
    if role not in ROLES:
        raise RefusedError(
            f"Invalid value: '{role}'. Supported values are: {', '.join(map(repr, ROLES))}.",
            f"{where}.role",
            "invalid_value",
        )
    calls = message.get("tool_calls")
    if calls is not None:
        _check_calls(role, calls, f"{where}.tool_calls")
    content = message.get("content")
    if content is None:
        if role != "assistant" or not calls:
            raise RefusedError(
                f"Invalid value for 'content': expected a string, got null. ({where})",
                f"{where}.content",
            )
    elif isinstance(content, list):
        if not content:
            raise RefusedError(f"Invalid '{where}.content': empty array.", f"{where}.content")
        for part in content:
            if not isinstance(part, dict) or "type" not in part:
                raise RefusedError(f"Missing required parameter: '{where}.content[].type'.", where)
            if part["type"] == "text" and not isinstance(part.get("text"), str):
                raise RefusedError(f"Missing required parameter: '{where}.content[].text'.", where)
    elif not isinstance(content, str):
        raise RefusedError(f"Invalid type for '{where}.content'.", f"{where}.content")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise RefusedError(f"Missing required parameter: '{where}.tool_call_id'.", where)


def _check_calls(role: str, calls: Any, where: str) -> None:
    if role != "assistant":
        raise RefusedError(f"'tool_calls' is not allowed for role '{role}'.", where)
    if not isinstance(calls, list) or not calls:
        raise RefusedError(f"Invalid '{where}': empty array.", where, "empty_array")
    ids = []
    for made in calls:
        call_id, function = made.get("id"), made.get("function")
        if not isinstance(call_id, str) or not 0 < len(call_id) <= LONGEST_CALL_ID:
            raise RefusedError(f"Invalid '{where}[].id': {call_id!r}.", where, "string_too_long")
        if made.get("type") != "function" or not isinstance(function, dict):
            raise RefusedError(f"Missing required parameter: '{where}[].function'.", where)
        if not NAME.fullmatch(str(function.get("name", ""))):
            raise RefusedError(f"Invalid '{where}[].function.name'.", where, "invalid_value")
        if not isinstance(function.get("arguments"), str):
            raise RefusedError(
                f"Invalid type for '{where}[].function.arguments': expected a string.",
                where,
                "invalid_type",
            )
        ids.append(call_id)
    if len(set(ids)) < len(ids):
        raise RefusedError(f"Duplicate ids in '{where}': {ids}.", where, "invalid_value")


def _check_order(messages: Sequence[Json]) -> None:
    waiting: list[str] = []
    asked: set[str] = set()
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            answers = message["tool_call_id"]
            if not asked:
                raise RefusedError(
                    "Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'.",
                    f"messages.[{place}].role",
                )
            if answers not in waiting:
                why = "has a result already" if answers in asked else "was not called before it"
                raise RefusedError(
                    f"Invalid parameter: 'tool_call_id' {answers!r} {why}.",
                    f"messages.[{place}].tool_call_id",
                )
            waiting.remove(answers)
            continue
        _check_answered(waiting, place)
        waiting = [made["id"] for made in message.get("tool_calls") or ()]
        asked = set(waiting)
    _check_answered(waiting, len(messages))


def _check_answered(waiting: Sequence[str], place: int) -> None:
    if waiting:
        raise RefusedError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            f"{', '.join(waiting)}",
            f"messages.[{place}].role",
        )


def _check_tool(tool: Any, where: str) -> None:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not NAME.fullmatch(str(function.get("name", ""))):
        raise RefusedError(f"Invalid '{where}.function.name'.", where, "invalid_value")


class _Handler(BaseHTTPRequestHandler):
    server_of: OpenAIServer

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            return self._json(404, {"error": {"message": f"Unknown URL {self.path}"}})
        if not self.headers.get("Authorization", "").startswith("Bearer "):
            return self._json(401, {"error": {"message": "You didn't provide an API key."}})
        try:
            answered = self.server_of.handle(raw)
        except RefusedError as refusal:
            return self._json(400, refusal.body)
        except FailedError as failure:
            return self._json(failure.status, failure.body)
        if answered.body.get("stream"):
            return self._stream(answered)
        return self._json(200, _completion(answered))

    def log_message(self, *_: object) -> None:
        """Requests are kept, not printed."""

    def _json(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answered: Answered) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in _chunks(answered):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


def _usage(answered: Answered) -> Json:
    written = exact_tokens(json.dumps(answered.reply))
    return {
        "prompt_tokens": answered.tokens,
        "completion_tokens": written,
        "total_tokens": answered.tokens + written,
    }


def _frame(answered: Answered, kind: str, choices: list[Json]) -> Json:
    return {
        "id": "chatcmpl-local",
        "object": kind,
        "created": 0,
        "model": answered.body["model"],
        "choices": choices,
    }


def _finish(reply: Json) -> str:
    usual = "tool_calls" if reply.get("tool_calls") else "stop"
    return str(reply.get(FINISH, usual))


def _completion(answered: Answered) -> Json:
    reply = answered.reply
    message = {name: value for name, value in reply.items() if name != FINISH}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_frame(answered, "chat.completion", [choice]), "usage": _usage(answered)}


def _chunks(answered: Answered) -> list[Json]:
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [
        {"content": piece} for piece in re.findall(r"\S+\s*", answered.reply["content"] or "")
    ]
    for index, made in enumerate(answered.reply.get("tool_calls") or ()):
        function = made["function"]
        middle = len(function["arguments"]) // 2
        opened = {**made, "index": index, "function": {**function, "arguments": ""}}
        deltas.append({"tool_calls": [opened]})
        for piece in (function["arguments"][:middle], function["arguments"][middle:]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    chunks = [
        _frame(
            answered,
            "chat.completion.chunk",
            [{"index": 0, "delta": delta, "finish_reason": None}],
        )
        for delta in deltas
    ]
    last = [{"index": 0, "delta": {}, "finish_reason": _finish(answered.reply)}]
    chunks.append(_frame(answered, "chat.completion.chunk", last))
    if (answered.body.get("stream_options") or {}).get("include_usage"):
        usage = _usage(answered)
        chunks.append({**_frame(answered, "chat.completion.chunk", []), "usage": usage})
    return chunks
