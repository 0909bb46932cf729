#!/usr/bin/env python3
"""Plays roz in the client's terminal interface, before a person who reads the screen (in tmux).

    ROZ_BIN=target/release/roz tests/client/terminal.py --check               # all versions, all modes
    ROZ_BIN=… tests/client/terminal.py --check --version 2.1.330 --mode auto  # some of them
    ROZ_BIN=… tests/client/terminal.py --write FILE                           # and write the screens to FILE

In each permission mode two stories are played: work that is held, reviewed in
the background, approved and pushed; and calls that roz asks the person about.
The person looks until the screen shows what comes next, and the reviewer waits
until the person has seen that it is at work. Words of the client and of roz
that the stories depend on are all in `WORDS`, and what the person is asked is
in `ASKED`.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import SYSTEM_PATH, enter_private_network  # noqa: E402
from fake_model import FakeModel, Subagents  # noqa: E402
from first_session import SETTINGS, Home, private_home, settle  # noqa: E402
from run import SOURCES, build_plugin  # noqa: E402
from story import (  # noqa: E402
    HEAR, Mismatch, Session, Tool, Turn, decide, do, expect, reviewer_mark, run, say, spawn, until)

COLUMNS, ROWS = 100, 75
PATIENCE_SECONDS = 60.0
MODES = ("default", "acceptEdits", "auto")

WORDS = {
    # on the screen, as regular expressions
    "ready": "❯",
    "question": r"❯ 1\. Yes",
    "refused": "ejected write",
    "turn over": r"✻ \S+ for \d",
    "waiting": "✻ Waiting for 1 .*roz: review reviewing",  # the latter is the status line
    "approved": r"✻ \S+ for \d.*roz: review approved",
    # to the agent
    "held": "Stop hook feedback",
    "in the background": "Async agent launched",
    "rewritten": "a hook changed this call's input after auto mode reviewed it",
}
# What a part of each question says that the person is asked while work is reviewed.
ASKED = {
    "default": ["edit to groceries.txt", "git commit", "git push"],
    "acceptEdits": ["git commit", "git push"],
    "auto": [],
}
# Where the client checks a launch before its hooks, and does not run what one of them has changed: only a launch in roz's
# own words, which gets no brief put in, starts the reviewer. There, too, subagents report by a tool of their own.
CHECKED_BEFORE_HOOKS = {("2.1.330", "auto")}


# ----------------------------------------------------------------- the screen
class Screen:
    """A terminal of a fixed size with the client in it, and the person in front of it."""

    def __init__(self, home: Home, environment: dict[str, str], argv: list[str]):
        self.home, self.environment = home, environment
        self.questions: list[str] = []  # that the person was asked
        self.tmux("start-server", ";", "set", "-g", "focus-events", "on", ";",
                  "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *argv)

    def tmux(self, *args: str) -> str:
        return subprocess.run(["tmux", "-S", str(self.home.root / "tmux"), "-f", "/dev/null", *args],
                              cwd=self.home.project, env=self.environment, capture_output=True, text=True).stdout

    def text(self) -> str:
        """What is on the screen, if possible when nothing has changed on it between two looks."""
        text = ""
        for _ in range(20):
            before, text = text, self.tmux("capture-pane", "-p").rstrip()
            if text == before:
                break
            time.sleep(0.1)
        return text

    def wait_for(self, pattern: str) -> str:
        """What the screen shows, once the pattern is on it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not re.search(pattern, text := self.text(), re.DOTALL):
            if time.monotonic() > deadline:
                raise Mismatch(f"the screen never showed {pattern!r}")
        return text

    def type(self, text: str) -> None:
        self.wait_for(WORDS["ready"])
        self.tmux("send-keys", "-l", text)
        self.wait_for(re.escape(text))
        self.tmux("send-keys", "Enter")

    def answer(self, key: str) -> None:
        """Answer a question of the client, once there is one."""
        question = lowest_part(self.wait_for(WORDS["question"]))
        self.questions.append(question)
        for _ in range(10):  # for a moment after it has asked, the client takes no answer
            self.tmux("send-keys", key)
            for _ in range(10):
                if lowest_part(self.text()) != question:
                    return
        raise Mismatch(f"the client took no answer to\n{question}")

    def read_until(self, pattern: str) -> str:
        """Look until the pattern is there, and say yes to whatever is asked on the way."""
        while re.search(WORDS["question"], text := self.wait_for(f"{pattern}|{WORDS['question']}")):
            self.answer("Enter")
        return text


def lowest_part(screen: str) -> str:
    """What is below the last rule of a screen; questions are there."""
    return re.split("(?m)^─+$", screen)[-1].strip("\n")


# ------------------------------------------------------------------ the stage
@dataclass
class Stage:
    """A version of the client in a permission mode, and what a person sees of it."""

    version: str
    mode: str
    roz: Path
    plugin: Path
    complaint: str = ""  # empty: all went as it should
    screens: dict[str, str] = field(default_factory=dict)

    @property
    def client(self) -> Path:
        return HERE / ".clients" / self.version / "node_modules" / ".bin" / "claude"

    def set_up(self) -> None:
        """A home of a person who has been through the client's first questions."""
        home = private_home([SOURCES, self.roz, self.client.resolve(), Path(sys.executable).resolve()])
        self.home = Home(home, f"{self.roz.parent}:{SYSTEM_PATH}")
        answered = {
            "hasCompletedOnboarding": True, "theme": "dark", "hasSeenAutoModeEntryWarning": True,
            "projects": {str(self.home.project): {"hasTrustDialogAccepted": True}},
            "customApiKeyResponses": {"approved": ["none"], "rejected": []},  # the key of `client_environment`
        }
        settings = SETTINGS | {"statusLine": {"type": "command", "command": "roz statusline"}}
        self.home.prepare({".claude.json": json.dumps(answered), ".claude/settings.json": json.dumps(settings),
                           ".roz/config.toml": '[review.gates]\ntools = ["Bash:git push*"]\n'},
                          {"groceries.txt": "milk\nbread\n"})

    @contextmanager
    def play(self, agent: list[Turn], *reviewers: list[Turn]) -> Iterator[tuple[Screen, FakeModel]]:
        """The screen and the model behind it, until the story is told."""
        with FakeModel(agent, {"reviewer": Subagents(reviewer_mark(self.plugin), list(reviewers))}, HEAR) as model:
            model.values["session"] = str(uuid.uuid4())
            argv = [str(self.client), "--plugin-dir", str(self.plugin), "--permission-mode", self.mode,
                    "--session-id", model.values["session"]]
            screen = Screen(self.home, self.home.client_environment(model.port) | {"TERM": "xterm-256color"}, argv)
            try:
                yield screen, model
            except Mismatch as mismatch:
                raise Mismatch(f"{mismatch}\nproblems of the script: {model.problems}\nthe screen:\n{screen.text()}")
            finally:
                screen.tmux("kill-server")

    def keep(self, what: str, screen: str, session: Session) -> None:
        """Remember a screen, with one value for whatever differs from run to run."""
        screen = settle(screen, session, self.home.root)
        screen = re.sub(r"✻ \S+ for \d+s( · done .*)?", "✻ Worked for 5s", screen)
        self.screens[what] = re.sub(r"\n{4,}", "\n\n", screen)


# ---------------------------------------------------------------- the stories
def review(stage: Stage) -> None:
    """Work is held, reviewed in the background, approved, and pushed."""
    groceries = str(stage.home.project / "groceries.txt")
    report, rewritten = say("I approved it."), (stage.version, stage.mode) in CHECKED_BEFORE_HOOKS
    launches = [spawn("Review session {{session}}.", background=True)]
    if rewritten:
        launches.insert(0, spawn("Please review what I did.", background=True))
        report = do(Tool("SubagentHandback", {"message": "I approved it."}))
    agent = [
        do(Tool("Read", {"file_path": groceries})),
        do(Tool("Edit", {"file_path": groceries, "old_string": "bread", "new_string": "bread\noats"})),
        run('git commit -qam "Put oats on the list"'),
        run("git push -q origin main"),
        say("Oats are on the list. The push has to wait for a review."),
        *launches,
        run("git push -q origin main"),
        say("I wait for the reviewer."),
        run("git push -q origin main"),
        say("The reviewer has approved it, and it is pushed."),
    ]
    reviewer = [
        until(run("roz context {{session}}"), bool),  # there are no events but that of the person
        run("git show HEAD"),
        decide("COMPLETE", "The commit adds oats to groceries.txt and nothing else."),
        report,
    ]
    with stage.play(agent, reviewer) as (screen, model):
        screen.type("#roz Put oats on the list, commit it and push.")
        waiting = screen.read_until("I wait for the reviewer.*" + WORDS["waiting"])
        model.saw({"type": "the person sees that the reviewer is at work"})
        pushed = screen.read_until("it is pushed.*" + WORDS["approved"])
        s = Session(stage.home, model, [])
        s.check()
        failed = [False, False, False, True, *[True] * rewritten, False, True, False]
        expect("which calls failed", [result.failed for result in s.results()]).equals(failed)
        expect("what the agent hears at its stop", s.heard(5)).has(WORDS["held"])
        if rewritten:
            expect("the launch in other words", s.results()[4].text).has(WORDS["rewritten"])
        expect("the launch", s.results()[4 + rewritten].text).has(WORDS["in the background"])
        expect("decision", s.review["decision"]["type"]).equals("complete")
        pushed_file = s.place.git("--git-dir", str(s.place.remote), "show", "main:groceries.txt")
        expect("what the remote has", pushed_file.split()).equals(["milk", "bread", "oats"])
        asked = screen.questions
        expect("number of questions", len(asked), "\n".join(asked)).equals(len(ASKED[stage.mode]))
        for question, part in zip(asked, ASKED[stage.mode]):
            expect("question", question).has(part)
    stage.keep("The reviewer is at work", waiting, s)
    stage.keep("Approved and pushed", pushed, s)


def ask(stage: Stage) -> None:
    """What roz asks about is the person's to refuse and to allow, whatever the mode."""
    config = stage.home.project / ".roz" / "config.toml"
    write = do(Tool("Write", {"file_path": str(config), "content": '[review]\nmode = "always"\n'}))
    agent = [write, write, run("echo >> .roz/config.toml"), say("It is written.")]
    with stage.play(agent) as (screen, model):
        screen.type("Have everything reviewed here.")
        by_tool = screen.wait_for(WORDS["question"])
        screen.answer("Escape")
        screen.wait_for(WORDS["refused"])
        expect("whether it is there", config.exists()).equals(False)
        screen.type("Do it all the same.")
        screen.answer("Enter")
        by_command = screen.wait_for("echo.*" + WORDS["question"])
        screen.answer("Enter")
        screen.read_until("It is written.*" + WORDS["turn over"])
        s = Session(stage.home, model, [])
        s.check()
        expect("what is written", config.read_text()).equals('[review]\nmode = "always"\n\n')
        expect("number of questions", len(screen.questions)).equals(3)
    stage.keep("roz asks about a file", by_tool, s)
    stage.keep("roz asks about a command", by_command, s)


# -------------------------------------------------------------------- the run
def tell(stage: Stage) -> Stage:
    """Both stories, in a worker process."""
    try:
        for story in (review, ask):
            stage.set_up()
            story(stage)
    except Mismatch as mismatch:
        stage.complaint = f"{story.__name__}: {mismatch}"
    except Exception:  # must not take the others with it
        stage.complaint = traceback.format_exc()
    return stage


def page(stages: list[Stage]) -> str:
    lines = []
    for stage in stages:
        for what, screen in stage.screens.items():
            lines += [f"## {stage.version}, {stage.mode}: {what}", "", "```text", screen.strip("\n"), "```", ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="play, and fail if anything is not as it should be")
    what.add_argument("--write", type=Path, metavar="FILE", help="the same, and write the screens down (Markdown)")
    parser.add_argument("--version", action="append", help="only this version of the client (default: all installed)")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this permission mode")
    parser.add_argument("--jobs", type=int, default=2, help="sessions at a time (default 2)")
    args = parser.parse_args()
    if not shutil.which("tmux"):
        print("SKIP the terminal interface: tmux is not installed (`apt-get install tmux`)")
        return 0
    versions = args.version or sorted(p.name for p in (HERE / ".clients").glob("*"))
    if not versions:
        parser.error("no client is installed: run install.sh")
    built = os.environ.get("ROZ_BIN") or parser.error("ROZ_BIN must name the binary")

    with tempfile.TemporaryDirectory(prefix="roz-terminal-") as work:
        roz, plugin = Path(work, "bin", "roz"), Path(work, "plugin")
        roz.parent.mkdir()
        shutil.copy2(built, roz)
        build_plugin(SOURCES, plugin, roz)
        stages = [Stage(version, mode, roz, plugin) for version in versions for mode in args.mode or MODES]
        # Workers are spawned, so that each is single-threaded when it enters its network.
        with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn"), enter_private_network) as pool:
            told = []
            for stage in pool.map(tell, stages):
                told.append(stage)
                print(f"{'FAIL' if stage.complaint else 'ok  '} {stage.version} {stage.mode}", flush=True)
                if stage.complaint:
                    print("     " + stage.complaint.replace("\n", "\n     "))
    if args.write:
        args.write.write_text(page(told))
    return 1 if any(stage.complaint for stage in told) else 0


if __name__ == "__main__":
    sys.exit(main())
