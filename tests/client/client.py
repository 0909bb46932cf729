"""Runs the real client, headless, in a place of its own.

Each run has a fresh HOME, a fresh git project, a clean environment, and a
network that consists of loopback. What the client prints (stream-json with
its hook events) is passed on line by line. The assertions about it are in
`story.py` and in the scenarios.
"""
from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40


def enter_private_network() -> None:
    """Move this process (before it has threads) to a network with loopback only.

    Refuses to go on where the kernel forbids it: the client must not be able
    to reach anything but the scripted model.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWNET if user == 0 else CLONE_NEWUSER | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "no private network for the client")
    if user != 0:  # stay who we are inside the new user namespace
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP | IFF_RUNNING))


@dataclass(frozen=True)
class Place:
    """The folders of one scenario."""

    root: Path
    path: str  # PATH of everything that runs here

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def remote(self) -> Path:
        """The bare repository that `git push origin` goes to."""
        return self.root / "remote.git"

    def prepare(self, home_files: dict[str, str], project_files: dict[str, str]) -> None:
        (self.root / "tmp").mkdir(parents=True)
        write_files(self.home, {".gitconfig": "[user]\nname = Dev\nemail = dev@example.invalid\n", **home_files})
        write_files(self.project, {"notes.txt": "first\n", **project_files})
        self.git("init", "-q", "--bare", "-b", "main", str(self.remote))
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "First")
        self.git("remote", "add", "origin", str(self.remote))

    def git(self, *args: str) -> str:
        done = self.run("git", *args)
        done.check_returncode()
        return done.stdout

    def run(self, *argv: str) -> subprocess.CompletedProcess:
        """A command in the project, as the user would start it."""
        return subprocess.run(argv, cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def environment(self) -> dict[str, str]:
        """What the user's own shell would have, and nothing of ours."""
        return {"PATH": self.path, "HOME": str(self.home), "TMPDIR": str(self.root / "tmp"), "LANG": "C.UTF-8",
                "TERM": "dumb", "USER": "dev", "SHELL": "/bin/bash", "GIT_CONFIG_NOSYSTEM": "1"}

    def client_environment(self, port: int) -> dict[str, str]:
        return self.environment() | {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "ENABLE_TOOL_SEARCH": "false",  # else the newer client hides some tools behind a search
            "IS_SANDBOX": "1",  # lets root use bypass mode
        }


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def run_client(argv: list[str], place: Place, env: dict[str, str], on_event: Callable[[dict], None],
               timeout: float = 60.0) -> int:
    """One client process, to its end: its exit code. Its stderr goes to a file beside HOME."""
    with open(place.root / "stderr.txt", "ab") as stderr:
        client = subprocess.Popen(argv, cwd=place.project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=stderr, start_new_session=True)
    watchdog = threading.Timer(timeout, lambda: os.killpg(client.pid, signal.SIGKILL))
    watchdog.start()
    try:
        for line in client.stdout:
            if line.startswith(b"{"):
                on_event(json.loads(line))
        return client.wait()
    finally:
        watchdog.cancel()
