#!/usr/bin/env python3
"""Plays every scenario on every version of the client, and says what held.

    ROZ_BIN=target/release/roz tests/client/run.py [--version V] [NAME ...]

A NAME picks the scenarios that contain it. `install.sh` must have run. The
last line is `N passed, N failed`; the exit code is 1 if any failed.
"""
from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
sys.path.insert(0, str(HERE))

from client import enter_private_network  # noqa: E402
from story import SCENARIOS, Mismatch, World  # noqa: E402

PLUGIN_FILES = (".claude-plugin", "agents", "hooks", "skills", "templates")


@dataclass(frozen=True)
class Outcome:
    scenario: str
    version: str
    seconds: float
    complaint: str  # empty: it held


def load_scenarios() -> dict:
    for module in sorted((HERE / "scenarios").glob("[a-z]*.py")):
        importlib.import_module(f"scenarios.{module.stem}")
    return {test.__name__: test for test in SCENARIOS}


def build_plugin(sources: Path, plugin: Path, roz: Path) -> None:
    """The project's plugin, its hooks naming the binary by its absolute path."""
    for name in PLUGIN_FILES:
        if (sources / name).is_dir():
            shutil.copytree(sources / name, plugin / name)
    path = plugin / "hooks" / "hooks.json"
    hooks = json.loads(path.read_text())
    for entry in (hook for event in hooks["hooks"].values() for group in event for hook in group["hooks"]):
        if entry["command"] == "roz":
            entry["command"] = str(roz)
    path.write_text(json.dumps(hooks, indent=2))


def play(name: str, world: World) -> Outcome:
    """One scenario, in a worker process."""
    started = time.monotonic()
    world.root.mkdir(parents=True)
    complaint = ""
    try:
        load_scenarios()[name](world)
        for session in world.sessions:
            session.check()
    except Mismatch as mismatch:
        complaint = str(mismatch)
    except Exception:  # a scenario must not take the others with it
        complaint = traceback.format_exc()
    if complaint:
        complaint = "\n".join([complaint.rstrip(), *(f"course: {session.course()}" for session in world.sessions)])
    return Outcome(name, world.version, time.monotonic() - started, complaint)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--version", action="append", help="only this version of the client (default: all installed)")
    parser.add_argument("--jobs", type=int, default=3, help="scenarios at a time (default 3)")
    parser.add_argument("--sources", type=Path, default=SOURCES, help="the checkout whose plugin files are used")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the scenarios, and say where")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()

    names = [n for n in load_scenarios() if not args.names or any(part in n for part in args.names)]
    if not names:
        parser.error("no scenario has such a name")
    if args.list:
        print("\n".join(names))
        return 0
    versions = args.version or sorted(p.name for p in (HERE / ".clients").glob("*"))
    if not versions:
        parser.error("no client is installed: run install.sh")
    built = os.environ.get("ROZ_BIN") or parser.error("ROZ_BIN must name the binary")

    work = Path(tempfile.mkdtemp(prefix="roz-client-"))
    roz, plugin = work / "bin" / "roz", work / "plugin"
    roz.parent.mkdir()
    shutil.copy2(built, roz)
    build_plugin(args.sources.resolve(), plugin, roz)
    failed = 0
    # Workers are spawned, so that each is single-threaded when it enters its network.
    with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn"), enter_private_network) as pool:
        plays = [
            pool.submit(play, name, World(version, HERE / ".clients" / version / "node_modules" / ".bin" / "claude",
                                          roz, plugin, args.sources.resolve(), work / version / name))
            for name in names for version in versions
        ]
        for outcome in (finished.result() for finished in as_completed(plays)):
            verdict = "FAIL" if outcome.complaint else "ok"
            print(f"{verdict:4} {outcome.version} {outcome.scenario} ({outcome.seconds:.1f} s)")
            if outcome.complaint:
                failed += 1
                print("     " + outcome.complaint.replace("\n", "\n     "))
            sys.stdout.flush()
    if args.keep:
        print(f"kept: {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{len(plays) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
