#!/usr/bin/env python3
"""Plays one session with each of the other agents: the real client, offline, with a scripted model.

    tests/agents/run.py [NAME ...]     ROZ_BIN names the binary; the clients are in .clients/ (install.sh)

`roz install --client NAME` wires the client in a home of its own.  Then: the user asks for a review by
`#roz`; the agent selects an intent, is refused a write out of its scope, is refused a gated call, wants
to stop and is held, starts the client's reviewer, which looks and decides, makes the gated call again,
and stops.  The learning's title has to be there from the first request on.

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
        self.write(self.home / ".roz/config.toml", 'review.gates.tools = ["Bash:./publish.sh*"]\n')
        self.write(self.project / ".orchestration/active_intents.yaml", INTENTS)
        self.write(self.project / "src/parser.py", "def parse(line):\n    return line.split()[0]\n")
        self.write(self.project / "publish.sh", "#!/bin/sh\necho run >> published.log\n")
        # Login shells reset PATH; a user has roz on it there.
        for name in (".bash_profile", ".profile"):
            self.write(self.home / name, f"export PATH={Path(ROZ).parent}:$PATH\n")
        self.write(self.project / ".gitignore", "published.log\n")
        self.write(self.project / ".roz/learnings.md", LEARNING)
        (self.project / "publish.sh").chmod(0o755)
        self.env = {
            "HOME": str(self.home), "PATH": f"{Path(ROZ).parent}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "TERM": "dumb", "USER": "dev", "SHELL": "/bin/bash", "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Dev"), ("EMAIL", "dev@example.com"))},
        }
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "First"]):
            self.run(["git", *words])

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
        return self.run([ROZ, *args], **more)


# ---------------------------------------------------------------- the clients
class Client:
    name = ""
    program: list[str] = []
    has_token = True
    has_reviewer = True
    patience = 150

    def is_there(self) -> bool:
        return all(Path(word).exists() for word in self.program)

    def shell(self, line: str) -> dict:
        """A call that runs a line."""
        raise NotImplementedError

    def write(self, path: str, text: str) -> dict:
        raise NotImplementedError

    def launch(self) -> dict:
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


class Codex(Client):
    name = "codex"
    program = [newest("codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")]

    def shell(self, line):
        return {"name": "exec", "namespace": "functions",
                "raw": "text(await tools.exec_command(" + json.dumps({"cmd": line}) + "));"}

    def write(self, path, text):
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
        return {"name": "exec", "namespace": "functions", "raw": f"text(await tools.apply_patch({json.dumps(patch)}));"}

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
        return {"name": "apply_patch", "raw": f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"}

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


# ------------------------------------------------------------------ the session
def script(client: Client) -> dict:
    call = lambda tool, *expect: {"tools": [tool], "expect": list(expect)}  # noqa: E731
    decide = "roz decide {{session}} COMPLETE 'read the change'" + (" --token {{token}}" if client.has_token else "")
    turns = [
        call(client.shell("roz intent select INT-001"), re.escape(TITLE)),
        call(client.write("docs.txt", "out of scope")),
        call(client.write("src/new.py", "x = 1"), "SCOPE_VIOLATION"),
        call(client.shell("./publish.sh")),
        {"text": "I stop.", "expect": ["waits for an independent review"]},
    ]
    if client.has_reviewer:
        turns += [call(client.launch(), "not done until an independent reviewer")]
        if client.name == "codex":
            turns += [call({"name": "wait_agent", "namespace": "collaboration", "input": {"timeout_ms": 60000}})]
        turns += [call(client.shell("./publish.sh")), {"text": "Over."}]
    else:
        turns += [{"text": "I stop again.", "expect": ["not done until an independent reviewer"], "repeat": 5}]
    # Where events do not say which agent acts, the reviewer has a tool of its own.
    own = {"name": "mcp_roz_reviewer_decide", "input": {"session": "{{session}}", "verdict": "COMPLETE", "summary": "read it"}}
    done = {"tools": [{"name": "complete_task", "input": {"result": "Approved."}}]} if client.name == "gemini" else {"text": "Approved."}
    reviewer = [
        call(client.shell("roz context {{session}} --diff")),
        call(own if client.name == "gemini" else client.shell(decide), r"\+x = 1"),
        {**done, "expect": ["the work is approved"]},
    ]
    # opencode asks the same model for a title of the session, without tools.
    title = {"title": {"match": {"lacks_tool": "bash"}}} if client.name == "opencode" else {}
    return {"actors": {**title, "roz": {"match": {"system_contains": REVIEWER}, "turns": reviewer}, "main": {"turns": turns}},
            "captures": CAPTURES}


def play(client: Client, keep: Path | None) -> list[str]:
    """What was wrong."""
    root = keep or Path(tempfile.mkdtemp(prefix=f"roz-{client.name}-"))
    wrong = []
    try:
        place = Place(root)
        model_of = gemini_model if client.name == "gemini" else fake_model
        spec = {**script(client), "vars": {"project": str(place.project), "session": "", "token": ""}}
        with model_of.FakeModel(spec) as model:
            client.setup(place, model.port)
            place.roz("install", "--client", client.name)
            done = place.run(client.argv(), client.env(model.port), client.patience, check=False)
            log = model.script.log
        if keep:
            (root / "model.json").write_text(json.dumps(log, indent=1))
            (root / "out.txt").write_text(done.stdout + "\n--\n" + done.stderr)
        asked = [entry for entry in log if "answer" in entry]
        wrong += [f"request {entry['n']} ({entry['actor']}) lacks {entry['missing']}" for entry in asked if entry.get("missing")]
        at = model.script.at
        for actor, count in (("main", len(spec["actors"]["main"]["turns"])), ("roz", 3)):
            if actor == "roz" and not client.has_reviewer:
                continue
            if at.get(actor, 0) < count and not (actor == "main" and not client.has_reviewer):
                wrong.append(f"{actor} came to turn {at.get(actor, 0)} of {count}")
        published = place.project / "published.log"
        runs = len(published.read_text().splitlines()) if published.exists() else 0
        if runs != int(client.has_reviewer):
            wrong.append(f"the gated call ran {runs} times")
        if (place.project / "docs.txt").exists():
            wrong.append("the write out of scope was made")
        if not (place.project / "src/new.py").exists():
            wrong.append("the write in scope was not made")
        if wrong:
            wrong.append(f"exit code {done.returncode}: {done.stderr[-600:]}")
    except Exception as err:  # one client's trouble is not another's
        wrong.append(repr(err)[:2000])
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)
    return wrong




def main() -> int:
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    keep = next((Path(word.removeprefix("--keep=")) for word in sys.argv[1:] if word.startswith("--keep=")), None)
    if not only_loopback():
        print("run.py: no network namespace of its own here, so the clients are not run", file=sys.stderr)
        return 1
    passed = failed = skipped = 0
    for client in ALL:
        if names and client.name not in names:
            continue
        if not client.is_there():
            print(f"{client.name}: not installed, so its session was not run")
            skipped += 1
            continue
        if keep:
            shutil.rmtree(keep / client.name, ignore_errors=True)
        wrong = play(client, keep and keep / client.name)
        print(f"{client.name}: {'; '.join(wrong) if wrong else 'ok'}", flush=True)
        passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
    print(f"agents: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
