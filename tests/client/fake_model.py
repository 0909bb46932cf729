"""A scripted stand-in for the Messages API, on loopback.

It plays the model for the main agent and for each of its subagents: every
request of a conversation is answered with the next turn of that
conversation's script, and everything that was asked and answered is kept for
the assertions. It knows nothing of roz and nothing of the client's processes.
"""
from __future__ import annotations

import itertools
import json
import re
import threading
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What the client asks when it compacts a conversation; no script covers it.
COMPACTION_MARKS = ("create a detailed summary of", "CRITICAL: Respond with TEXT ONLY")
SUMMARY = "<analysis>short</analysis>\n<summary>\nThe user asked for a change and it was made.\n</summary>"
# What the client asks about a call in auto mode, where it does not leave that to the server (`safeguards`).
SAFETY_CHECK_MARK = "You are a security monitor for autonomous AI coding agents"
# A turn whose condition never comes true is answered anyway, and is a problem.
PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Tool:
    """A call that the model makes; `{{name}}` in its strings is filled in."""

    name: str
    input: dict | str  # a text becomes JSON by what is filled in


@dataclass(frozen=True)
class Turn:
    """One answer of the model: text, tool calls, or both."""

    text: str = ""
    tools: tuple[Tool, ...] = ()
    #: hold the answer back until this is true of the client's events
    after: Callable[[list[dict]], bool] | None = None
    #: the size of the conversation, as the client is told; near the end of its window it compacts
    tokens: int = 100


@dataclass
class Subagents:
    """The scripts of one kind of subagent, one for each that is started."""

    mark: str  # found in its system prompt or in its first message
    scripts: list[list[Turn]]


@dataclass
class Conversation:
    actor: str
    script: list[Turn]
    position: int = 0
    heard: dict[str, str] = field(default_factory=dict)
    said_ids: set[str] = field(default_factory=set)
    said_last: str = ""


@dataclass
class Exchange:
    """One request and its answer."""

    actor: str  # "agent", a kind of subagent, "compaction", "safety check" or "side"
    conversation: int  # counts the conversations of that actor from 0
    body: dict
    heard: str  # all that was said since the model last spoke
    answer: list[dict]


class FakeModel(ThreadingHTTPServer):
    """`with FakeModel(agent, subagents, hear) as model:` serves on `model.port`.

    `hear` maps a name to a regular expression that is searched in whatever a
    conversation hears; group 1 becomes `{{name}}`, first of all for that
    conversation, and for the others where they have heard none themselves.
    """

    daemon_threads = True
    ids = itertools.count(1)  # of calls: a conversation may go on with another model
    request_queue_size = 64

    def __init__(self, agent: list[Turn], subagents: dict[str, Subagents], hear: dict[str, str]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        self.hear = hear
        self.subagents = subagents
        self.conversations = {"agent": [Conversation("agent", agent)], **{name: [] for name in subagents}}
        self.values: dict[str, str] = {}
        self.exchanges: list[Exchange] = []
        self.problems: list[str] = []
        self.events: list[dict] = []  # what the client printed so far
        self.changed = threading.Condition()

    def __enter__(self) -> FakeModel:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """Ignores clients that hung up."""

    def saw(self, event: dict) -> None:
        """The client printed an event; turns may be waiting for it."""
        with self.changed:
            self.events.append(event)
            if event.get("session_id"):
                self.values["session"] = event["session_id"]
            self.changed.notify_all()

    def unplayed(self) -> list[str]:
        """What the scripts still hold, when all is over."""
        left = []
        for name, kind in self.subagents.items():
            if started := len(self.conversations[name]):
                left += [f"{name} {n} ended before turn {c.position}" for n, c in enumerate(self.conversations[name])
                         if c.position < len(c.script)]
            if started < len(kind.scripts):
                left.append(f"{name} {started} was never started")
        agent = self.conversations["agent"][0]
        if agent.position < len(agent.script):
            left.append(f"the agent ended before turn {agent.position}")
        return left

    def answer(self, body: dict) -> dict:
        """The Messages API response to one request."""
        heard = heard_since_own_words(body)
        with self.changed:
            actor, number, conversation = self.conversation_of(body, heard)
            turn = self.next_turn(actor, number, conversation, heard)
            if turn.after and not self.changed.wait_for(lambda: turn.after(self.events), PATIENCE_SECONDS):
                self.problems.append(f"{actor} {number} waited in vain before saying {turn.text or turn.tools!r}")
            own = conversation.heard if conversation else {}
            content = self.content(turn, ChainMap(own, self.values))
            if conversation:
                conversation.said_ids |= {block["id"] for block in content if block["type"] == "tool_use"}
                conversation.said_last = spoken(content)
            self.exchanges.append(Exchange(actor, number, body, heard, content))
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        return {
            "id": f"msg_{len(self.exchanges):06d}", "type": "message", "role": "assistant",
            "model": body.get("model", "fake"), "content": content,
            "stop_reason": "tool_use" if turn.tools else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": turn.tokens, "output_tokens": 20, "cache_creation_input_tokens": 0,
                      "cache_read_input_tokens": 0, "service_tier": "standard"},
        } | ({"safeguard_results": [passed_safety_check(calls)]} if body.get("safeguards") else {})

    def conversation_of(self, body: dict, heard: str) -> tuple[str, int, Conversation | None]:
        if any(mark in heard for mark in COMPACTION_MARKS):
            return "compaction", 0, None
        if SAFETY_CHECK_MARK in block_text(body.get("system")):
            return "safety check", 0, None
        if not body.get("tools"):  # titles and other odd jobs of the client
            return "side", 0, None
        opening = block_text(body.get("system")) + block_text(body["messages"][0]["content"])
        for name, kind in self.subagents.items():
            if kind.mark in opening:
                known = self.conversations[name]
                number = next((n for n, c in enumerate(known) if continues(body, c)), len(known))
                if number == len(known):
                    if number >= len(kind.scripts):
                        self.problems.append(f"{name} {number} was started, which no script foresees")
                    known.append(Conversation(name, kind.scripts[number] if number < len(kind.scripts) else []))
                return name, number, known[number]
        return "agent", 0, self.conversations["agent"][0]

    def next_turn(self, actor: str, number: int, conversation: Conversation | None, heard: str) -> Turn:
        if conversation is None:
            passed = "<severity>0" if "<severity>" in heard else "<block>no"
            return Turn(text={"compaction": SUMMARY, "safety check": passed}.get(actor, '{"title": "A title"}'))
        for name, pattern in self.hear.items():
            if found := re.search(pattern, heard):
                conversation.heard[name] = self.values[name] = found[1]
        conversation.position += 1
        if conversation.position > len(conversation.script):
            self.problems.append(f"{actor} {number} was asked for more than its script; it heard …{heard[-300:]!r}")
            return Turn(text="I have nothing more to say.")
        return conversation.script[conversation.position - 1]

    def content(self, turn: Turn, values: ChainMap) -> list[dict]:
        blocks = [{"type": "text", "text": fill(turn.text, values)}] if turn.text else []
        for tool in turn.tools:
            filled = fill(tool.input, values)
            blocks.append({"type": "tool_use", "id": f"toolu_fake{next(self.ids):06d}", "name": tool.name,
                           "input": json.loads(filled) if isinstance(filled, str) else filled})
        return blocks


def passed_safety_check(calls: list[str]) -> dict:
    """What the server says of the calls of a message in auto mode: none of them is dangerous."""
    harmless = {"type": "evaluated", "outcome": "not_flagged"}
    return {"type": "dangerous_tool_use", "status": {"type": "available", "tool_uses": dict.fromkeys(calls, harmless)}}


def fill(value, values):
    """Put what is known in the place of every `{{name}}`; unknown names stay."""
    if isinstance(value, str):
        return re.sub(r"\{\{(\w+)\}\}", lambda m: values.get(m[1], m[0]), value)
    if isinstance(value, list):
        return [fill(v, values) for v in value]
    if isinstance(value, dict):
        return {k: fill(v, values) for k, v in value.items()}
    return value


def block_text(content) -> str:
    """All text of a message's content, tool results included."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(block_text(block) for block in content)
    if isinstance(content, dict):
        return content.get("text", "") if content.get("type") == "text" else block_text(content.get("content"))
    return ""


def heard_since_own_words(body: dict) -> str:
    texts = []
    for message in reversed(body["messages"]):
        if message["role"] == "assistant":
            break
        texts.append(block_text(message["content"]))
    return "\n".join(reversed(texts))


def spoken(content) -> str:
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def continues(body: dict, conversation: Conversation) -> bool:
    """Whether the request carries on what was said in that conversation."""
    said = [m["content"] for m in body["messages"] if m["role"] == "assistant" and isinstance(m["content"], list)]
    ids = {block["id"] for content in said for block in content if block["type"] == "tool_use"}
    if ids or conversation.said_ids:
        return bool(ids & conversation.said_ids)
    return bool(said) and spoken(said[-1]) == conversation.said_last


def stream(message: dict):
    """The server-sent events that spell out one message."""
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {key: message[key] for key in ("stop_reason", "stop_sequence", "safeguard_results") if key in message}
    yield {"type": "message_delta", "delta": end, "usage": message["usage"]}
    yield {"type": "message_stop"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args) -> None:
        """Quiet: the server keeps what matters."""

    def do_HEAD(self) -> None:
        self.send_json(200, {})

    def do_GET(self) -> None:
        self.send_json(200, {"data": [], "has_more": False, "first_id": None, "last_id": None})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self.send_json(200, {"input_tokens": 100})
        elif path == "/v1/messages":
            message = self.server.answer(body)
            if body.get("stream"):
                self.send_stream(message)
            else:
                self.send_json(200, message)
        else:
            self.send_json(404, {"type": "error", "error": {"type": "not_found_error", "message": "not found"}})

    def send_json(self, status: int, value: dict) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_stream(self, message: dict) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in stream(message):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True
