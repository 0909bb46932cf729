#!/usr/bin/env python3
"""Plays a new user's first session, from the clone to `roz trace`, and writes
what was shown into `docs/first-session.md`.

    ROZ_BIN=target/release/roz tests/client/first_session.py            # write the page
    ROZ_BIN=target/release/roz tests/client/first_session.py --check    # hold the page to it

All of it is real: the clone of what is committed here, `install.sh`, the
binary, the client. Only the model is scripted, and the binary is handed to
`install.sh`, so that the tests build it once. The home is a file system of its
own that nobody else sees (Linux, `unshare(2)`). What differs from run to run
(times, ids) is written as one value each; nothing else is changed.
"""
from __future__ import annotations

import argparse
import ctypes
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
PAGE = SOURCES / "docs" / "first-session.md"
sys.path.insert(0, str(HERE))

from client import SYSTEM_PATH, Place, enter_private_network, write_files  # noqa: E402
from story import Session, Tool, Turn, World, decide, do, expect, replies, run, say, spawn  # noqa: E402

CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
WIDTH = 90

SETTINGS = {"permissions": {"allow": ["Bash(roz context:*)", "Bash(roz decide:*)"]}}
PROMPT = "#roz Put oats on the list, commit it and push."

AGENT = [
    do(Tool("Read", {"file_path": "{{project}}/groceries.txt"})),
    do(Tool("Edit", {"file_path": "{{project}}/groceries.txt", "old_string": "bread", "new_string": "bread\noats"})),
    run('git commit -qam "Put oats on the list"'),
    run("git push -q origin main"),
    say("Oats are on the list. The push has to wait for a review, so I stop here."),
    spawn("Review session {{session}}."),
    run("git push -q origin main"),
    say("The reviewer has approved it, and it is pushed."),
]
REVIEWER = [
    run("roz context {{session}}"),
    run("git show --stat HEAD"),
    decide("COMPLETE", "The commit adds oats to groceries.txt and nothing else."),
    say("Approved: the commit does what was asked, and nothing else."),
]


# ------------------------------------------------------------------ the place
class Home(Place):
    """A home as a new account has it, with one small project under git."""

    @property
    def home(self) -> Path:
        return self.root

    @property
    def project(self) -> Path:
        return self.root / "groceries"

    def environment(self) -> dict[str, str]:
        return super().environment() | {"COLUMNS": str(WIDTH)}


def private_home(keep_in_sight: list[Path]) -> Path:
    """An empty home on a file system that only this process and its children see.

    Its path is as long as `/home/dev`, as which it is shown: lines break where
    they would there.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def must(done: int, what: str) -> None:
        if done != 0:
            raise OSError(ctypes.get_errno(), what)

    free = [top for top in (Path("/srv"), Path("/mnt"))
            if top.is_dir() and not any(path.is_relative_to(top) for path in keep_in_sight)]
    if not free:
        raise OSError("there is neither /srv nor /mnt to put a home on")
    must(libc.unshare(CLONE_NEWNS), "no private file systems")
    must(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "no private file systems")
    must(libc.mount(b"tmpfs", bytes(free[0]), b"tmpfs", 0, b"mode=0755"), f"no file system on {free[0]}")
    home = free[0] / "user"
    home.mkdir(mode=0o755)
    return home


# ----------------------------------------------------------------- the record
@dataclass
class Record:
    """The page, as it grows."""

    place: Place
    lines: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.lines += [text.strip(), ""]

    def show(self, *commands: str, keep: tuple[int, int] | None = None, fails: bool = False) -> str:
        """Run them in a shell as they stand, and show what they print; `keep`: only so many
        lines of the beginning and of the end."""
        block = []
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.place.project, env=self.place.environment(),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            expect(f"whether `{command}` failed", done.returncode != 0, done.stdout).equals(fails)
            told = done.stdout.strip("\n").splitlines()
            if keep and len(told) > sum(keep):
                told = [*told[:keep[0]], "…", *told[len(told) - keep[1]:]]
            block += [f"$ {command}", *told]
        self.block("console", block)
        return done.stdout

    def block(self, language: str, lines: list[str]) -> None:
        self.lines += [f"```{language}", *lines, "```", ""]


def conversation(session: Session) -> list[str]:
    """The session as it went: what was said and done, and what roz answered."""
    hooks = [reply for reply in replies(session.events)]
    by_call = {reply.json.get("hookSpecificOutput", {}).get("permissionDecisionReason"): reply for reply in hooks}
    told: list[str] = []

    def put(who: str, text: str) -> None:
        lines = [part for line in text.strip().splitlines() for part in broken(line)]
        told.extend(f"{who if n == 0 else '':9} {line}".rstrip() for n, line in enumerate(lines))

    def turn(actor: str, content: list[dict]) -> None:
        for part in content:
            if part["type"] == "text":
                put(actor, part["text"])
            else:
                put(actor, f"[{part['name']}] {gist(part['input'])}")

    put("you", PROMPT)
    agent, reviewer = session.of("agent"), session.of("reviewer")
    stops = session.replies("Stop")
    for exchange in agent:
        for reason in (reason for reason in by_call if reason and reason[:60] in exchange.heard):
            put("roz", f"denied: {reason}")
        for stop in [stops.pop(0) for stop in stops[:1] if stop.kind == "block" and stop.json["reason"][:60] in exchange.heard]:
            put("roz", f"not yet: {stop.json['reason']}")
        turn("agent", exchange.answer)
        if any(part.get("name") == "Agent" for part in exchange.answer):
            briefs = [reply.context for reply in session.replies("SubagentStart") if reply.context]
            put("roz", briefs[0])
            for said in reviewer:
                turn("reviewer", said.answer)
    expect("stops that are left, all let pass", [stop.kind for stop in stops]).equals(["pass"])
    return told


def broken(line: str) -> list[str]:
    """A line of a conversation as a narrow screen breaks it."""
    indent = line[:len(line) - len(line.lstrip())]
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def gist(call: dict) -> str:
    """A call in a line: what a person would want to know of it."""
    if "command" in call:
        return call["command"]
    if "subagent_type" in call:
        return f"{call['subagent_type']}: {call['prompt']}"
    return call.get("file_path", json.dumps(call))


# --------------------------------------------------------------- what differs
def settle(text: str, session: Session, home: Path) -> str:
    """The text with one value for whatever differs from run to run."""
    uuid, short = "6f0c0d0e-3b1a-4c58-9d27-2a5be1f0c4d1", "6f0c0d0e"
    text = text.replace(str(home), "/home/dev")
    text = text.replace(session.id, uuid)
    # A narrow table cuts it.
    for cut in range(len(uuid) - 1, 9, -1):
        text = text.replace(f"{session.id[:cut]}…", f"{uuid[:cut]}…")
    text = text.replace(session.id[:8], short)
    text = text.replace(session.token, "TOKEN")
    for pattern, value in (
        (r"/usr/(local/)?bin/git", "/usr/bin/git"),
        (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b", "2026-01-02 03:04:05"),
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-02T03:04:05Z"),
        (r"\d+(\.\d+)?(?= ms\b)", lambda it: "…" if it.string[it.start() - 2] != " " else "…".rjust(len(it[0]))),
        (r"\b(just now|\d+ ?s(econds)? ago)\b", "just now"),
        (r"\bcl_\d{8}_\w{6}\b", "cl_20260102_abc123"),
        (r"\ba[0-9a-f]{16}\b", "a0123456789abcdef"),
        (r"\b[0-9a-f]{7}\.\.[0-9a-f]{7}\b", "1234567..89abcde"),
    ):
        text = re.sub(pattern, value, text)
    return text


# ------------------------------------------------------------------- the play
def play(roz: Path, client: Path, version: str) -> str:
    enter_private_network()
    home = private_home([SOURCES, HERE, roz, client.resolve(), Path(sys.executable).resolve()])
    place = Home(home, f"{home}/.local/bin:{SYSTEM_PATH}")
    (home / "tmp").mkdir()
    write_files(home, {".gitconfig": "[user]\nname = Dev\nemail = dev@example.invalid\n[init]\ndefaultBranch = main\n"})
    write_files(place.project, {"groceries.txt": "milk\nbread\n"})
    for words in (("git", "init", "-q"), ("git", "add", "-A"), ("git", "commit", "-qm", "The list"),
                  ("git", "init", "-q", "--bare", str(home / "groceries.git")),
                  ("git", "remote", "add", "origin", str(home / "groceries.git"))):
        expect(" ".join(words), place.run(*words).returncode).equals(0)
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "claude").symlink_to(client)
    (home / "built").mkdir()
    shutil.copy2(roz, home / "built" / "roz")
    expect("the clone", place.run("git", "clone", "-q", str(SOURCES), str(home / "roz")).returncode).equals(0)

    page = Record(place)
    page.say(f"""
# What does a first session look like?

From the clone to an approved push, as a new account sees it. This page is written by
[`tests/client/first_session.py`](../tests/client/first_session.py), which plays all of it in an empty
home, with the real client (Claude Code {version}); `./test.sh` fails if something differs from this page. Three
things are different for you: the model's words are a script, the binary was built before (`--binary`; without it
`./install.sh` builds one, which takes some minutes), and times and ids are replaced by one value each.
""")
    page.say("## Install")
    page.say("""The clone is in `~/roz`. `./install.sh` installs the binary, connects the client, and ends with `roz doctor`,
which plays a session through the real hooks:""")
    page.show("cd ~/roz && ./install.sh --binary ~/built/roz")
    page.say("""In the client's default permission mode a reviewer needs permission for its two commands. Run
`roz install --permissions`, or add this to `~/.claude/settings.json`:""")
    page.block("json", json.dumps(SETTINGS, indent=2).splitlines())
    settings = home / ".claude" / "settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text() if settings.exists() else "{}") | SETTINGS))
    page.say("## See it work")
    page.say("`roz demo` plays a session with all three gates in a temporary home. Its beginning and its end:")
    page.show("roz demo", keep=(21, 2))
    page.say("## Set a project up")
    page.say("""`roz init` asks which gates a project wants; flags answer in advance. This project is a git repository with a file
`groceries.txt` and a remote:""")
    page.show("cd ~/groceries && roz init --review", "git add .roz && git commit -qm 'Set roz up' && git push -q origin main",
              "roz status")
    page.say("How roz reads a command, without running it:")
    page.show("roz explain 'cd /tmp && git -C ~/groceries push'")
    page.say("## The session")
    page.say(f"""A prompt that begins with `#roz` asks for a review. Here the client runs without its screen (`claude -p`);
[in the terminal](terminal.md) the reviewer runs in the background:""")
    world = World(version, home / ".local" / "bin" / "claude", home / ".local" / "bin" / "roz", home / "roz", SOURCES, home)
    options = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(git commit:*) Bash(git push:*)"]
    session = world.play(PROMPT, place=place, plugin_installed=True, bypass_permissions=False, more=options,
                         agent=[at(turn, place.project) for turn in AGENT], reviewers=[REVIEWER])
    session.check()
    expect("answers at the stops", session.kinds("Stop")).equals(["block", "pass"])
    expect("answers before the pushes", session.kinds("PreToolUse", "Bash").count("deny")).equals(1)
    expect("decision", session.review["decision"]["type"]).equals("complete")
    expect("what the remote has", session.place.run("git", "--git-dir", str(home / "groceries.git"), "show", "main:groceries.txt").stdout
           ).equals("milk\nbread\noats\n")
    page.block("text", [f'$ claude -p --permission-mode acceptEdits --allowedTools "{options[-1]}" "{PROMPT}"', "",
                        *conversation(session)])
    page.say("""The agent could not push, could not stop, and could not approve itself. The reviewer is a subagent with
instructions from roz and a token of its own; once it had approved, the push and the stop went through.""")
    page.say("## Afterwards")
    page.show("roz status", "roz list", "roz trace")
    page.say("""`roz uninstall` undoes `roz install`. Read on: [how a review goes](review.md), [how an agent learns from earlier
sessions](reflection.md), [how to keep an agent to the declared work](intents.md), and
[what to do when something is wrong](troubleshooting.md).""")
    return settle("\n".join(page.lines).rstrip() + "\n", session, home)


def at(turn: Turn, project: Path) -> Turn:
    """The same turn, its calls in that project."""
    filled = json.loads(json.dumps([tool.input for tool in turn.tools]).replace("{{project}}", str(project)))
    return Turn(turn.text, tuple(Tool(tool.name, it) for tool, it in zip(turn.tools, filled)), turn.after, turn.tokens)


def words(text: str) -> list[str]:
    """Where lines break hangs on how long a time is in digits; what they say does not."""
    return text.split()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page says something else")
    args = parser.parse_args()
    built = Path(os.environ.get("ROZ_BIN") or parser.error("ROZ_BIN must name the binary")).resolve()
    versions = sorted((HERE / ".clients").glob("*"), key=lambda it: [int(n) for n in it.name.split(".")])
    if not versions:
        parser.error("no client is installed: run install.sh")
    client = versions[-1] / "node_modules" / ".bin" / "claude"
    text = play(built, client, versions[-1].name)
    if not args.check:
        PAGE.write_text(text)
        return 0
    here = PAGE.read_text() if PAGE.exists() else ""
    if words(here) == words(text):
        print(f"ok   {PAGE.relative_to(SOURCES)} is what a first session shows")
        return 0
    sys.stdout.writelines(difflib.unified_diff(here.splitlines(True), text.splitlines(True), "the page", "a first session"))
    print(f"FAIL {PAGE.relative_to(SOURCES)} is not what a first session shows; write it anew with {Path(__file__).name}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
