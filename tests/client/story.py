"""The words in which scenarios are told: what actors say and do, and what is
asked of a session afterwards."""
from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from client import SYSTEM_PATH, Place, run_client
from fake_model import Exchange, FakeModel, Subagents, Tool, Turn, block_text

# What scripts pick up from what their actors are told.
HEAR = {"token": r"--token[ =]['\"]?([A-Za-z0-9_-]{16,})", "agent_id": r"agentId: (\w+)",
        "example": r"(?s)(cat <<'EOF' \| \S+ reflect .*?\nEOF)\n"}
SCENARIOS: list[Callable[[World], None]] = []


def scenario(test: Callable[[World], None]) -> Callable[[World], None]:
    """Have the function run on every version of the client."""
    SCENARIOS.append(test)
    return test


# ------------------------------------------------------------ what actors do
def say(text: str) -> Turn:
    return Turn(text=text)


def do(*tools: Tool, tokens: int = 100) -> Turn:
    """Tool calls, at the same time if there are several."""
    return Turn(tools=tools, tokens=tokens)


def bash(command: str) -> Tool:
    return Tool("Bash", {"command": command, "description": "Run it"})


def run(command: str) -> Turn:
    return do(bash(command))


def spawn(prompt: str = "Please review the work.", *, background: bool = False, **extra) -> Turn:
    """Launch the reviewer."""
    return do(Tool("Agent", {"description": "Review", "prompt": prompt, "subagent_type": "roz:roz",
                             "run_in_background": background, **extra}))


def decide(verdict: str, summary: str, more: str = "") -> Turn:
    """A reviewer posts its decision, with the token that it was told."""
    return run(f'roz decide {{{{session}}}} {verdict} "{summary}" {more} --token {{{{token}}}}')


APPROVES = [run("roz context {{session}}"), decide("COMPLETE", "Looks right."), say("I approved it.")]


# --------------------------------------------------------------- one session
@dataclass(frozen=True)
class Reply:
    """What one hook answered."""

    event: str
    name: str  # the event and what it was about: "PreToolUse:Bash"
    stdout: str
    stderr: str
    exit_code: int | None

    @property
    def json(self) -> dict:
        return json.loads(self.stdout or "{}")

    @property
    def specific(self) -> dict:
        return self.json.get("hookSpecificOutput", {})

    @property
    def kind(self) -> str:
        """block, deny, ask, new input, context or pass."""
        if self.json.get("decision"):
            return self.json["decision"]
        if self.specific.get("permissionDecision"):
            return self.specific["permissionDecision"]
        if "updatedInput" in self.specific:
            return "new input"
        return "context" if "additionalContext" in self.specific else "pass"

    @property
    def context(self) -> str:
        return self.specific.get("additionalContext", "")

    @property
    def word_to_user(self) -> str:
        return self.json.get("systemMessage", "")


@dataclass(frozen=True)
class Result:
    """What a tool call came to, as the model was told."""

    text: str
    failed: bool


class Session:
    """A played session, and what roz knows of it."""

    def __init__(self, place: Place, model: FakeModel, exit_codes: list[int]):
        self.place = place
        self.events = model.events
        self.exchanges = model.exchanges
        self.exit_codes = exit_codes
        self.problems = model.problems + model.unplayed()
        self.id = model.values["session"]
        self.token = model.values.get("token", "(no token was told)")

    def replies(self, event: str = "", about: str = "") -> list[Reply]:
        """Answers of the hooks of an event (of all, if none is named), in order."""
        return [reply for reply in replies(self.events) if event in ("", reply.event) and about in reply.name]

    def kinds(self, event: str, about: str = "") -> list[str]:
        return [reply.kind for reply in self.replies(event, about)]

    def of(self, actor: str, number: int = 0) -> list[Exchange]:
        return [e for e in self.exchanges if (e.actor, e.conversation) == (actor, number)]

    def heard(self, turn: int, actor: str = "agent", number: int = 0) -> str:
        """What that actor was told just before its turn of that number (from 0)."""
        return self.of(actor, number)[turn].heard

    def remembered(self, turn: int) -> str:
        """All that the agent's conversation holds at its turn of that number."""
        return block_text([message["content"] for message in self.of("agent")[turn].body["messages"]])

    def opening(self, number: int = 0) -> Exchange:
        """The first request of a reviewer."""
        return self.of("reviewer", number)[0]

    def results(self, actor: str = "agent", number: int = 0) -> list[Result]:
        """Outcomes of that actor's tool calls, in the order of the calls."""
        found: dict[str, Result] = {}
        for exchange in self.of(actor, number):
            for message in exchange.body["messages"]:
                for block in message["content"] if isinstance(message["content"], list) else []:
                    if block["type"] == "tool_result":
                        content = block.get("content", "")
                        text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
                        found[block["tool_use_id"]] = Result(text, bool(block.get("is_error")))
        calls = [b["id"] for e in self.of(actor, number) for b in e.answer if b["type"] == "tool_use"]
        return [found.get(call, Result("(no result)", True)) for call in calls]

    def roz(self, *args: str) -> subprocess.CompletedProcess:
        return self.place.run("roz", *args)

    @property
    def review(self) -> dict:
        return self.debug["review"]

    @property
    def debug(self) -> dict:
        done = self.roz("debug", self.id, "--json")
        expect("exit code of roz debug", done.returncode, done.stderr).equals(0)
        return json.loads(done.stdout)

    def check(self) -> None:
        """What must hold of any session."""
        expect("problems of the script", self.problems).equals([])
        for reply in self.replies():
            if reply.event == "TaskCompleted":
                continue  # it objects by its exit code and on stderr
            expect(f"exit code of {reply.name}", reply.exit_code).equals(0)
            expect(f"warnings of {reply.name}", reply.stderr).equals("")
            expect(f"kind of answer of {reply.name}", reply.kind).lacks("allow", "approve")

    def course(self) -> str:
        """How it went, in short, for a failure's report."""
        answers = [f"{r.name} → {r.kind}" for r in self.replies() if r.kind != "pass" or r.event == "Stop"]
        return f"{', '.join(answers)}; exit codes {self.exit_codes}; problems of the script: {self.problems or 'none'}"

    def outcomes(self) -> list[str]:
        """How the attempts to get a review went, oldest first."""
        return [attempt["outcome"]["type"] for attempt in self.review["attempts"]]

    def verdicts(self) -> list[str]:
        return [posted["decision"]["type"] for posted in self.review["decision_history"]]

    def notices(self) -> list[str]:
        """What the client shows to the user beside the conversation."""
        return [e["content"] for e in self.events if e.get("subtype") == "informational"]

    def remote(self, branch: str) -> str:
        """The commit at the head of a branch of the remote; empty if there is none."""
        repository = str(self.place.remote)
        return self.place.run("git", "--git-dir", repository, "rev-parse", "-q", "--verify", branch).stdout.strip()


def replies(events: list[dict]) -> list[Reply]:
    return [Reply(e["hook_event"], e["hook_name"], e["stdout"], e["stderr"], e.get("exit_code"))
            for e in events if e.get("subtype") == "hook_response"]


# ------------------------------------------------- conditions for a held turn
def until(turn: Turn, condition: Callable[[list[dict]], bool]) -> Turn:
    """The same turn, held back until the client's events satisfy `condition`."""
    return replace(turn, after=condition)


def after_hook(name: str, times: int = 1) -> Callable[[list[dict]], bool]:
    """True when hooks of that name have answered so often."""
    return lambda events: sum(reply.name.startswith(name) for reply in replies(events)) >= times


# ----------------------------------------------------------------- the stage
@dataclass(frozen=True)
class Step:
    """One process of the client."""

    prompt: str
    resume: bool | str = False  # the session before, or the one of that id
    fork: bool = False  # with `resume`: under a new id
    max_turns: int = 30


@dataclass(frozen=True)
class World:
    """Where a scenario plays: a version of the client, a binary, a plugin."""

    version: str
    client: Path
    roz: Path
    plugin: Path
    sources: Path  # the project's checkout
    root: Path  # an empty folder of this scenario's own
    sessions: list[Session] = field(default_factory=list)  # those played so far

    def place(self, config: str = "", *, home: dict[str, str] | None = None,
              project: dict[str, str] | None = None) -> Place:
        """A fresh HOME and project, with the user's configuration of roz and other files."""
        place = Place(self.root / "place", f"{self.roz.parent}:{SYSTEM_PATH}")
        place.prepare({**({".roz/config.toml": config} if config else {}), **(home or {})}, project or {})
        return place

    def play(self, *steps: str | Step, agent: list[Turn], reviewers: list[list[Turn]] = (),
             helpers: list[list[Turn]] = (), config: str = "", env: dict[str, str] | None = None,
             place: Place | None = None, plugin_installed: bool = False, bypass_permissions: bool = True,
             tools: str = "", more: Sequence[str] = ()) -> Session:
        """Run the client once for every step, on one script. `tools`: the only ones of its own that it shall offer;
        `more`: options of its command line."""
        place = place or self.place(config)
        subagents = {"reviewer": Subagents(reviewer_mark(self.plugin), list(reviewers)),
                     "helper": Subagents("You are the HELPER", list(helpers))}
        exit_codes = []
        with FakeModel(agent, subagents, HEAR) as model:
            for step in steps:
                step = Step(step) if isinstance(step, str) else step
                argv = [str(self.client), "-p", "--output-format", "stream-json", "--verbose",
                        "--include-hook-events", "--max-turns", str(step.max_turns), *more]
                if bypass_permissions:
                    argv += ["--dangerously-skip-permissions"]
                if not plugin_installed:
                    argv += ["--plugin-dir", str(self.plugin)]
                if step.resume:
                    argv += ["--resume", step.resume if isinstance(step.resume, str) else model.values["session"]]
                if tools:
                    argv += ["--tools", tools]
                if step.fork:
                    argv += ["--fork-session"]
                environment = place.client_environment(model.port) | (env or {})
                exit_codes.append(run_client([*argv, "--", step.prompt], place, environment, model.saw))
            write_log(place, model)
        session = Session(place, model, exit_codes)
        self.sessions.append(session)
        return session


def reviewer_mark(plugin: Path) -> str:
    """The first line of the reviewer's own instructions, by which the model knows it."""
    body = (plugin / "agents" / "roz.md").read_text().split("---", 2)[2]
    return body.strip().splitlines()[0]


def write_log(place: Place, model: FakeModel) -> None:
    """What the client printed and what the model was asked, for a failure's post-mortem."""
    (place.root / "events.json").write_text(json.dumps(model.events, indent=1))
    said = [{"actor": e.actor, "number": e.conversation, "heard": e.heard, "answer": e.answer} for e in model.exchanges]
    (place.root / "model.json").write_text(json.dumps(said, indent=1))


# -------------------------------------------------------------- expectations
class Mismatch(AssertionError):
    pass


@dataclass(frozen=True)
class expect:
    """`expect("the answer", answer).equals(42)`: a mismatch names both."""

    what: str
    seen: object
    hint: str = ""

    def equals(self, value) -> None:
        if self.seen != value:
            self.fail(f"{value!r}")

    def has(self, *parts: str) -> None:
        for part in parts:
            if part not in self.seen:
                self.fail(f"something with {part!r}")

    def lacks(self, *parts: str) -> None:
        for part in parts:
            if part in self.seen:
                self.fail(f"nothing with {part!r}")

    def fail(self, wanted: str) -> None:
        seen = repr(self.seen)
        raise Mismatch(f"{self.what}: expected {wanted}, saw {seen if len(seen) < 1500 else seen[:1500] + '…'}"
                       + (f" ({self.hint})" if self.hint else ""))
