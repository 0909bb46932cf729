#!/usr/bin/env python3
"""Measures what a review adds to a session, with the real client and the scripted model.

    ROZ_BIN=target/release/roz tests/client/cost.py

Plays the same piece of work with and without a review, for a small and a large change, and prints
how many requests the client made for it and how much text it sent in them. The scripted model says
nothing of its own, so this is the price of the procedure: what a real model reads beside the
changes, thinks and answers is not in it. Tokens are estimated as a quarter of the characters, since
a scripted model has no tokenizer. How long a review takes depends on the model, and is not measured.
"""
from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
sys.path.insert(0, str(HERE))

from client import enter_private_network  # noqa: E402
from fake_model import Exchange  # noqa: E402
from run import build_plugin  # noqa: E402
from story import Session, World, decide, run, say, spawn  # noqa: E402

#: name, changed lines, further pages of `roz context --diff` that the reviewer has to see
CHANGES = (("1 line", 1, 0), ("300 lines", 300, 0), ("1,500 lines", 1500, 2))


def characters(exchange: Exchange) -> int:
    """Of one request: instructions, tools and the conversation so far."""
    return sum(len(json.dumps(exchange.body.get(part, ""), ensure_ascii=False)) for part in ("system", "tools", "messages"))


def play(lines: int, pages: int, reviewed: bool, version: str, root: Path, plugin: Path, roz: Path) -> Session:
    root.mkdir()
    client = HERE / ".clients" / version / "node_modules" / ".bin" / "claude"
    world = World(version, client, roz, plugin, SOURCES, root)
    work = run(f"for n in $(seq {lines}); do echo \"the line of that number is $n\"; done >> notes.txt")
    looks = [run("roz context {{session}} --diff --page %d" % (page + 2)) for page in range(pages)]
    reviewer = [run("roz context {{session}}"), *looks, decide("COMPLETE", "I looked at notes.txt, and it is right."),
                say("Approved: notes.txt has the lines that were asked for.")]
    agent = [work, say("Done.")] + ([spawn("Review session {{session}}."), say("Reviewed and done.")] if reviewed else [])
    session = world.play(("#roz " if reviewed else "") + "Add the lines to notes.txt.", agent=agent,
                         reviewers=[reviewer] if reviewed else [])
    session.check()
    return session


def main() -> int:
    roz = Path(os.environ.get("ROZ_BIN") or sys.exit("ROZ_BIN must name the binary")).resolve()
    version = max((path.name for path in (HERE / ".clients").glob("*")), key=lambda it: [int(n) for n in it.split(".")])
    enter_private_network()
    print(f"client {version}; characters (about tokens)")
    with tempfile.TemporaryDirectory() as folder:
        plugin = Path(folder, "plugin")
        build_plugin(SOURCES, plugin, roz)
        for number, (name, lines, pages) in enumerate(CHANGES):
            plain = play(lines, pages, False, version, Path(folder, f"plain{number}"), plugin, roz)
            session = play(lines, pages, True, version, Path(folder, f"review{number}"), plugin, roz)
            agent, reviewer = session.of("agent"), session.of("reviewer")
            told = sum(len(exchange.heard) for exchange in agent) - sum(len(it.heard) for it in plain.of("agent"))
            rows = {
                "further requests of the agent": len(agent) - len(plain.of("agent")),
                "what it is told": told,
                "requests of the reviewer": len(reviewer),
                "before it looks": characters(reviewer[0]),
                "with the changes, at its end": characters(reviewer[-1]),
                "all its requests, one by one": sum(characters(exchange) for exchange in reviewer),
            }
            print(f"\n{name}")
            for what, count in rows.items():
                print(f"  {what:30} {count:>9,}" + ("" if count < 100 else f"  ({count // 4:,})"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
