#!/usr/bin/env python3
"""Plays sessions with each of the other agents: the real client, offline, with a scripted model.

    tests/agents/run.py [NAME ...] [--only=SESSION] [--keep=FOLDER]

ROZ_BIN names the binary; the clients are in .clients/ (install.sh).  `roz install --client NAME` wires
the client in a home of its own.  The sessions:

review    The user asks for a review by `#roz`; the agent selects an intent, is refused a write out of its
          scope (where the client has patches: one over three files), is refused a gated call, wants to
          stop and is held, starts the client's reviewer, which looks and decides, makes the gated call
          again, and stops.  The learning's title has to be there from the first request on.
issues    The reviewer finds an issue; the gated call is refused, the agent fixes it, starts the reviewer by the
          same call, which approves, and makes the gated call.
script    The agent is started by `roz run`; a script of its own pushes, and the push is refused.  Then
          the reviewer approves, and the script pushes.
stops     The agent stops again and again: it is held `max_blocks` times and no more.
crash     roz dies at every hook, and
hang      roz never answers: the call runs all the same.
plugin    The client loads roz's plugin for Claude Code as it is: a gated call is denied, others run.
together  A session of this client and one of Codex at the same time in one project: both changes are in
          the ledger, and what one of them had approved the other need not have approved again.

Exit code 1 if anything was otherwise.  A client that is not installed is named, and counts as not run.
"""
from __future__ import annotations

import ctypes
import datetime
import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import fake_model  # noqa: E402
import gemini_model  # noqa: E402

CLIENTS = HERE / ".clients"
ROZ = os.environ.get("ROZ_BIN") or shutil.which("roz") or "roz"
PROMPT = "#roz Publish the parser."
TITLE = "parser.py fails on an empty line because str.split gives nothing"
LEARNING = f"""## {TITLE} ^cl_{datetime.date.today():%Y%m%d}_abcdef

- **Category:** pitfall
- **Tags:** parser

> src/parser.py takes [0] of str.split(), which is empty for an empty line. Guard it.
"""
INTENTS = """active_intents:
  - id: INT-001
    name: Parser
    status: PENDING
    owned_scope: ["src/**"]
    constraints: []
    acceptance_criteria: [It works]
"""
REVIEWER = "You are roz, an independent reviewer"
CAPTURES = {"session": r"session ([A-Za-z0-9_-]{8,})", "token": r"one-time token is (\w+)"}


def only_loopback() -> bool:
    """Leaves the network namespace; nothing but 127.0.0.1 is there afterwards."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x40000000 if os.geteuid() == 0 else 0x50000000) != 0:
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        name = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(it, 0x8913, name))[1]
        fcntl.ioctl(it, 0x8914, struct.pack("16sh", b"lo", flags | 1))
    return True


class Place:
    """A home and a project with an intent, a learning, a gate and something to publish."""

    def __init__(self, root: Path):
        self.root, self.home, self.project = root, root / "home", root / "project"
        self.roz_at = root / "bin/roz"
        self.roz_at.parent.mkdir(parents=True)
        shutil.copy(shutil.which(ROZ) or ROZ, self.roz_at)
        self.write(self.home / ".roz/config.toml", 'review.gates.tools = ["Bash:./publish.sh*", "Bash:git push*"]\n')
        self.write(self.project / ".orchestration/active_intents.yaml", INTENTS)
        self.write(self.project / "src/parser.py", "def parse(line):\n    return line.split()[0]\n")
        self.write(self.project / "publish.sh", "#!/bin/sh\necho run >> published.log\n")
        # Login shells reset PATH; a user has roz on it there.
        for name in (".bash_profile", ".profile"):
            self.write(self.home / name, f"export PATH={self.roz_at.parent}:$PATH\n")
        self.write(self.project / "release.sh", "#!/bin/sh\ngit push -q ../remote.git HEAD:main\n")
        self.write(self.project / ".gitignore", "published.log\n")
        self.write(self.project / ".roz/learnings.md", LEARNING)
        for name in ("publish.sh", "release.sh"):
            (self.project / name).chmod(0o755)
        self.env = {
            "HOME": str(self.home), "PATH": f"{self.roz_at.parent}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "TERM": "dumb", "USER": "dev", "SHELL": "/bin/bash", "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Dev"), ("EMAIL", "dev@example.com"))},
        }
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "First"]):
            self.run(["git", *words])
        self.run(["git", "init", "-q", "--bare", "../remote.git"])

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, argv: list[str], env: dict | None = None, limit: float = 120, stdin: str = "", check: bool = True):
        done = subprocess.run(argv, cwd=self.project, env={**self.env, **(env or {})}, input=stdin,
                              capture_output=True, text=True, timeout=limit)
        if check and done.returncode != 0:
            raise RuntimeError(f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def roz(self, *args: str, **more):
        return self.run([str(self.roz_at), *args], **more)

    def pushed(self) -> bool:
        return self.run(["git", "-C", "../remote.git", "rev-parse", "-q", "--verify", "main"], check=False).returncode == 0

    def count(self, name: str) -> int:
        """The lines of a file in the project; 0 where it is not."""
        path = self.project / name
        return len(path.read_text().splitlines()) if path.exists() else 0


# ---------------------------------------------------------------- the clients
class Client:
    name = ""
    program: list[str] = []
    has_token = True
    patience = 150

    def is_there(self) -> bool:
        return all(Path(word).exists() for word in self.program)

    def shell(self, line: str) -> dict:
        """A call that runs a line."""
        raise NotImplementedError

    def write(self, path: str, text: str) -> dict:
        raise NotImplementedError

    def out_of_scope(self) -> dict:
        return self.write("docs.txt", "out of scope")

    def launch(self) -> dict:
        raise NotImplementedError

    def plugin(self, place: "Place") -> list[str]:
        """Has the client load the plugin for Claude Code; more words for its command line."""
        raise NotImplementedError

    def setup(self, place: Place, port: int) -> None:
        """Points the client at the model."""

    def argv(self) -> list[str]:
        raise NotImplementedError

    def env(self, port: int) -> dict:
        return {}


def newest(name: str, folder: str) -> str:
    return str(CLIENTS / name / "node_modules" / folder)


NODE = newest("node", "node/bin/node")


def patch(files: dict[str, str]) -> str:
    added = "".join(f"*** Add File: {path}\n+{text}\n" for path, text in files.items())
    return f"*** Begin Patch\n{added}*** End Patch\n"


SCATTERED = patch({"src/first.py": "x = 1", "docs.txt": "out of scope", "src/third.py": "x = 3"})


class Codex(Client):
    name = "codex"
    program = [newest("codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")]

    def shell(self, line):
        return {"name": "exec", "namespace": "functions",
                "raw": "text(await tools.exec_command(" + json.dumps({"cmd": line}) + "));"}

    def write(self, path, text):
        return self.patch(patch({path: text}))

    def out_of_scope(self):
        return self.patch(SCATTERED)

    def patch(self, text):
        return {"name": "exec", "namespace": "functions", "raw": f"text(await tools.apply_patch({json.dumps(text)}));"}

    def plugin(self, place):
        place.run([*self.program, "plugin", "marketplace", "add", str(place.root / "plugin")])
        place.run([*self.program, "plugin", "add", "roz@roz"])
        return ["--dangerously-bypass-hook-trust"]

    def launch(self):
        return {"name": "spawn_agent", "namespace": "collaboration", "input": {
            "task_name": "review", "message": "Review session {{session}}.", "agent_type": "roz", "fork_turns": "none"}}

    def setup(self, place, port):
        place.write(place.home / ".codex/config.toml", "\n".join([
            'model = "gpt-6.2-sol"', 'model_provider = "fake"', "check_for_update_on_startup = false",
            "[model_providers.fake]", 'name = "fake"', f'base_url = "http://127.0.0.1:{port}/v1"',
            'wire_api = "responses"', "requires_openai_auth = false", "request_max_retries = 0",
            "stream_max_retries = 0", "supports_websockets = false", "[analytics]", "enabled = false", ""]))

    def argv(self):
        return [*self.program, "exec", "--skip-git-repo-check", "--json",
                "--dangerously-bypass-approvals-and-sandbox", PROMPT]


class Copilot(Client):
    name = "copilot"
    program = [newest("copilot", "@github/copilot-linux-x64/copilot")]

    def shell(self, line):
        return {"name": "bash", "input": {"command": line, "description": "Run it"}}

    def write(self, path, text):
        return {"name": "apply_patch", "raw": patch({path: text})}

    def out_of_scope(self):
        return {"name": "apply_patch", "raw": SCATTERED}

    def plugin(self, place):
        return ["--plugin-dir", str(place.root / "plugin")]

    def launch(self):
        return {"name": "task", "input": {"name": "review", "agent_type": "roz", "description": "Review",
                                          "prompt": "Review session {{session}}.", "mode": "sync"}}

    def argv(self):
        return [*self.program, "-p", PROMPT, "--allow-all", "--output-format", "json", "--no-auto-update"]

    def env(self, port):
        return {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "COPILOT_MODEL": "gpt-5.4",
                "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1", "COPILOT_PROVIDER_WIRE_API": "responses"}


class Qwen(Client):
    name = "qwen"
    program = [NODE, newest("qwen", "@qwen-code/qwen-code/cli.js")]
    has_token = False

    def shell(self, line):
        return {"name": "run_shell_command", "input": {"command": line, "description": "Run", "is_background": False}}

    def write(self, path, text):
        return {"name": "write_file", "input": {"file_path": "{{project}}/" + path, "content": text + "\n"}}

    def launch(self):
        return {"name": "agent", "input": {"description": "Review", "prompt": "Review session {{session}}.",
                                           "subagent_type": "roz", "run_in_background": False}}

    def setup(self, place, port):
        place.write(place.home / ".qwen/settings.json", json.dumps({
            "security": {"auth": {"selectedType": "openai"}}, "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}, indent=2))

    def argv(self):
        return [*self.program, "--output-format", "stream-json", "--approval-mode", "yolo", "-p", PROMPT]

    def env(self, port):
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": "fake-model"}


class Opencode(Client):
    name = "opencode"
    program = [newest("opencode", "opencode-linux-x64/bin/opencode")]

    def shell(self, line):
        return {"name": "bash", "input": {"command": line, "description": "Run"}}

    def write(self, path, text):
        return {"name": "write", "input": {"filePath": "{{project}}/" + path, "content": text + "\n"}}

    def launch(self):
        return {"name": "task", "input": {"description": "Review", "prompt": "Review session {{session}}.",
                                          "subagent_type": "roz"}}

    def setup(self, place, port):
        place.write(place.home / ".config/opencode/opencode.json", json.dumps({
            "$schema": "https://opencode.ai/config.json", "model": "fake/fake-model", "small_model": "fake/fake-model",
            "autoupdate": False, "share": "disabled",
            "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake",
                                  "models": {"fake-model": {"name": "Fake", "tool_call": True}},
                                  "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"}}}}, indent=2))

    def argv(self):
        return [*self.program, "run", "--format", "json", "--auto", PROMPT]

    def env(self, port):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "npm_config_fetch_retries": "0"}


class Gemini(Client):
    name = "gemini"
    program = [NODE, newest("gemini", "@google/gemini-cli/bundle/gemini.js")]
    has_token = False

    def launch(self):
        return {"name": "invoke_agent", "input": {"agent_name": "roz", "prompt": "Review session {{session}}."}}

    def shell(self, line):
        return {"name": "run_shell_command", "input": {"command": line, "description": "Run"}}

    def write(self, path, text):
        return {"name": "write_file", "input": {"file_path": "{{project}}/" + path, "content": text + "\n"}}

    def setup(self, place, port):
        place.write(place.home / ".gemini/settings.json", json.dumps({
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False}, "security": {"auth": {"selectedType": "gemini-api-key"}},
            "model": {"name": "gemini-2.5-pro"}}, indent=2))

    def argv(self):
        return [*self.program, "--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust", "-p", PROMPT]

    def env(self, port):
        return {"GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}", "GEMINI_API_KEY": "dummy", "NO_COLOR": "1",
                "GEMINI_CLI_NO_RELAUNCH": "true"}


ALL = [Codex(), Copilot(), Qwen(), Opencode(), Gemini()]


# ----------------------------------------------------------------- the sessions
def call(tool: dict, *expect: str, **more) -> dict:
    return {"tools": [tool], "expect": list(expect), **more}


def verdict(client: Client, word: str, summary: str, *expect: str) -> list:
    """The turns of a reviewer that looks and decides."""
    decide = f"roz decide {{{{session}}}} {word} '{summary}'" + (" --token {{token}}" if client.has_token else "")
    # Where events do not say which agent acts, the reviewer has a tool of its own.
    own = {"name": "mcp_roz_reviewer_decide", "input": {"session": "{{session}}", "verdict": word, "summary": summary}}
    done = {"tools": [{"name": "complete_task", "input": {"result": "Done."}}]} if client.name == "gemini" else {"text": "Done."}
    return [
        call(client.shell("roz context {{session}} --diff")),
        call(own if client.name == "gemini" else client.shell(decide), *expect),
        done,
    ]


def script(client: Client, turns: list, reviewer: list | None = None) -> dict:
    """What the model says: `turns`, and as the reviewer what approves."""
    if reviewer is None:
        *looks, done = verdict(client, "COMPLETE", "read the change", r"\+x = 1")
        reviewer = [*looks, {**done, "expect": ["the work is approved"]}]
    # opencode asks the same model for a title of the session, without tools.
    title = {"title": {"match": {"lacks_tool": "bash"}}} if client.name == "opencode" else {}
    return {"actors": {**title, "roz": {"match": {"system_contains": REVIEWER}, "turns": reviewer}, "main": {"turns": turns}},
            "captures": CAPTURES}


def reviewed(client: Client, told: str = "not done until an independent reviewer", task: str = "review") -> list:
    turns = [call(client.launch(), told)]
    if client.name == "codex":
        # It starts no second agent of the same task name.
        turns[0]["tools"][0]["input"]["task_name"] = task
        turns += [call({"name": "wait_agent", "namespace": "collaboration", "input": {"timeout_ms": 60000}})]
    return turns


class Session:
    """A client and its scripted model in a place."""

    def __init__(self, client: Client, place: Place, turns: list, reviewer: list | None = None):
        self.client, self.place, self.turns, self.wrong = client, place, turns, []
        self.reviewer = reviewer

    def play(self, before: list[str] = (), more: list[str] = (), install: bool = True, prompt: str = PROMPT) -> "Session":
        client, place = self.client, self.place
        model_of = gemini_model if client.name == "gemini" else fake_model
        spec = {**script(client, self.turns, self.reviewer), "vars": {"project": str(place.project), "session": "", "token": ""}}
        with model_of.FakeModel(spec) as model:
            client.setup(place, model.port)
            if install:
                place.roz("install", "--client", client.name)
            more = more() if callable(more) else more
            argv = [word.replace(PROMPT, prompt) for word in client.argv()]
            argv = [*argv, *more] if client.name == "copilot" else [*argv[:-1], *more, argv[-1]]
            done = place.run([*before, *argv], client.env(model.port), client.patience, check=False)
            self.log, self.at = model.script.log, model.script.at
        (place.root / f"{client.name}.json").write_text(json.dumps(self.log, indent=1))
        self.said = f"exit code {done.returncode}: {done.stdout[-300:]} {done.stderr[-600:]}"
        (place.root / f"{client.name}.txt").write_text(done.stdout + "\n--\n" + done.stderr)
        for entry in self.log:
            if entry.get("missing"):
                self.wrong.append(f"request {entry['n']} ({entry['actor']}) lacks {entry['missing']}")
        return self

    def check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)

    def came_to_the_end(self, **turns: int) -> None:
        for actor, count in turns.items():
            self.check(self.at.get(actor, 0) >= count, f"{actor} came to turn {self.at.get(actor, 0)} of {count}")


def review(client: Client, place: Place) -> Session:
    session = Session(client, place, [
        call(client.shell("roz intent select INT-001"), re.escape(TITLE)),
        call(client.out_of_scope()),
        call(client.write("src/new.py", "x = 1"), "SCOPE_VIOLATION"),
        call(client.shell("./publish.sh")),
        {"text": "I stop.", "expect": ["waits for an independent review"]},
        *reviewed(client),
        call(client.shell("./publish.sh")),
        {"text": "Over."},
    ]).play()
    session.came_to_the_end(main=len(session.turns), roz=3)
    session.check(place.count("published.log") == 1, f"the gated call ran {place.count('published.log')} times")
    for name in ("docs.txt", "src/first.py", "src/third.py"):
        session.check(not (place.project / name).exists(), f"the write out of scope was made: {name}")
    session.check((place.project / "src/new.py").exists(), "the write in scope was not made")
    return session


def issues(client: Client, place: Place) -> Session:
    session = Session(client, place, [
        call(client.shell("roz intent select INT-001")),
        call(client.write("src/new.py", "x = 1")),
        {"text": "I stop."},
        *reviewed(client),
        call(client.shell("./publish.sh")),
        {"text": "I stop.", "expect": ["wrong value"]},
        call(client.shell("echo 'x = 2' > src/new.py"), "wrong value"),
        {"text": "I stop."},
        *reviewed(client, "wrong value", "review_again"),
        call(client.shell("./publish.sh")),
        {"text": "Over."},
    ], [*verdict(client, "ISSUES", "src/new.py:1 has the wrong value", r"\+x = 1"),
        *verdict(client, "COMPLETE", "read the change", r"\+x = 2")]).play()
    session.came_to_the_end(main=len(session.turns), roz=6)
    session.check(place.count("published.log") == 1, f"the gated call ran {place.count('published.log')} times")
    return session


def in_a_script(client: Client, place: Place) -> Session:
    session = Session(client, place, [
        call(client.shell("roz intent select INT-001")),
        call(client.write("src/new.py", "x = 1")),
        call(client.shell("./release.sh; true")),
        {"text": "I stop.", "expect": ["waits for an independent review"]},
        *reviewed(client),
        call(client.shell("test ! -e ../remote.git/refs/heads/main && ./release.sh")),
        {"text": "Over."},
    ]).play(before=[str(place.roz_at), "run", "--"])
    session.came_to_the_end(main=len(session.turns), roz=3)
    session.check(place.pushed(), "the push that was approved was not made")
    return session


def stops(client: Client, place: Place) -> Session:
    session = Session(client, place, [{"text": "I stop.", "repeat": "forever"}]).play()
    answers = [entry for entry in session.log if entry.get("actor") == "main"]
    session.check(len(answers) == 4, f"the agent stopped {len(answers)} times, of which 3 should be held")
    return session


def broken(lines: str):
    def play(client: Client, place: Place) -> Session:
        def breaks() -> list[str]:
            place.roz_at.unlink()
            place.write(place.roz_at, f"#!/bin/sh\n{lines}\n")
            place.roz_at.chmod(0o755)
            return []
        session = Session(client, place, [call(client.shell("echo made > made.txt")), {"text": "Over."}]).play(more=breaks)
        session.check(place.count("made.txt") == 1, "the call did not run")
        return session
    return play


def plugin(client: Client, place: Place) -> Session:
    for name in (".claude-plugin", "hooks", "agents"):
        shutil.copytree(HERE.parents[1] / name, place.root / "plugin" / name)
    session = Session(client, place, [
        call(client.shell("roz intent select INT-001")),
        call(client.shell("echo made > src/made.txt")),
        call(client.shell("./publish.sh")),
        {"text": "I stop.", "expect": ["waits for an independent review"]},
        {"text": "I stop.", "expect": ["not done until an independent reviewer"], "repeat": "forever"},
    ]).play(more=lambda: client.plugin(place), install=False)
    session.check(place.count("src/made.txt") == 1, "an ordinary call did not run")
    session.check(place.count("published.log") == 0, "the gated call ran")
    return session


def together(client: Client, place: Place) -> Session:
    """The other one writes, and waits for what this one has approved."""
    # Codex leaves a command alone that takes longer than ten seconds.
    waits = "timeout 8 sh -c 'until [ -e published.log ]; do sleep 0.3; done'; true"
    other = ALL[0]
    second = Session(other, place, [
        call(other.shell("roz intent select INT-001")),
        call(other.write("src/other.py", "y = 2")),
        call(other.shell(waits), repeat=4),
        call(other.shell("./publish.sh")),
        {"text": "Over."},
    ])
    first = Session(client, place, [
        call(client.shell("roz intent select INT-001"), re.escape(TITLE)),
        call(client.write("src/new.py", "x = 1")),
        call(client.shell("timeout 60 sh -c 'until [ -e src/other.py ]; do sleep 0.3; done'; true")),
        {"text": "I stop."},
        *reviewed(client),
        call(client.shell("./publish.sh")),
        {"text": "Over."},
    ])
    with ThreadPoolExecutor() as pool:
        playing = pool.submit(first.play)
        # Gemini CLI does not tell its shells their session, so that one selects alone.
        while not (place.project / "src/new.py").exists() and not playing.done():
            time.sleep(0.1)
        second.play(prompt="Publish it too.")
        playing.result()
    first.wrong += [f"{other.name}: {text}" for text in second.wrong]
    first.check(place.count("published.log") == 2, f"the gated call ran {place.count('published.log')} times of 2")
    place.roz("ledger", "verify")
    for name in ("src/new.py", "src/other.py"):
        blamed = place.roz("blame", name, check=False)
        first.check("INT-001" in blamed.stdout, f"{name}: {blamed.stdout}{blamed.stderr}")
    return first


SESSIONS = {"review": review, "issues": issues, "script": in_a_script, "stops": stops, "crash": broken("kill -SEGV $$"),
            "hang": broken("exec sleep 1000"), "plugin": plugin, "together": together}
# Both are started by the plugin for Claude Code unchanged; the others have no such plugins, or are wired alike.
PLUGINS = ("codex", "copilot")


def play(client: Client, name: str, keep: Path | None) -> list[str]:
    """What was wrong."""
    root = keep or Path(tempfile.mkdtemp(prefix=f"roz-{client.name}-"))
    try:
        session = SESSIONS[name](client, Place(root))
        return [*session.wrong, session.said] if session.wrong else []
    except Exception as err:  # one client's trouble is not another's
        return [repr(err)[:2000]]
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def main() -> int:
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    keep = Path(options["keep"]) if "keep" in options else None
    if not only_loopback():
        print("run.py: no network namespace of its own here, so the clients are not run", file=sys.stderr)
        return 1
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    wanted = []
    for client in ALL:
        if names and client.name not in names:
            continue
        if not client.is_there():
            print(f"{client.name}: not installed, so its sessions were not run")
            counts["skipped"] += 1
            continue
        for name in SESSIONS:
            unfit = name == "plugin" and client.name not in PLUGINS or name == "together" and client is ALL[0]
            if options.get("only", name) == name and not unfit:
                wanted.append((client, name))

    def run(item) -> tuple[str, list[str]]:
        client, name = item
        folder = keep and keep / f"{client.name}-{name}"
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        return f"{client.name}, {name}", play(client, name, folder)

    with ThreadPoolExecutor(max_workers=2) as pool:
        for title, wrong in pool.map(run, wanted):
            print(f"{title}: {'; '.join(wrong) if wrong else 'ok'}", flush=True)
            counts["failed" if wrong else "passed"] += 1
    print("agents: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
