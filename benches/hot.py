#!/usr/bin/env python3
"""Writes `.cargo/hot.ld`: what a hook runs is put together in the binary.

A hook touches a tenth of the program's text. Spread over all of it, that is
some sixty page faults more, a sixth of what a hook costs. So the linker is told
which functions come first: those that were seen to run, under valgrind.

    CARGO_PROFILE_RELEASE_STRIP=false cargo build --release --target x86_64-unknown-linux-musl
    benches/hot.py target/x86_64-unknown-linux-musl/release/roz

A list that has grown old does no harm: a name that is gone is passed over, a
function that is new stands with the rest. Needs `valgrind`, `nm` and `git`.
"""

import bisect
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LINE = (
    "cd src && cargo build --release 2>&1 | tee build.log | grep -v warning; "
    'for f in a b c; do echo "$f"; done; if [ -f x ]; then cat x; else touch y; fi; '
    "git add -A && git commit -m \"what was done\" && git log --oneline | head -5; "
    "sed -n 1,5p a.py > b; (cd .. && ls -la); python3 -c 'print(1)' <<< \"$HOME\""
)
CONFIG = """
[review.gates]
tools = ["mcp__tissue__close*", "Bash:gh issue close*", "Bash:git push*"]
"""
HEAD = """/* Made by benches/hot.py, which says why. What a hook runs stands together. */
SECTIONS {
  .text.hot : {
"""
TAIL = """  }
}
INSERT BEFORE .text;
"""


def symbols(binary):
    """The length and the names of each function, by its address."""
    told = subprocess.run(["nm", "-S", "--defined-only", binary], capture_output=True, text=True, check=True)
    found = {}
    for line in told.stdout.splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tTwW":
            length, names = found.setdefault(int(parts[0], 16), (int(parts[1], 16), set()))
            names.add(parts[3])
    return found


def pattern(name):
    """A name without what each build makes anew: the marks of crates."""
    return re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", name)


def ran(binary, event, payload, folder, functions):
    """The functions that a hook runs."""
    addresses = sorted(functions)
    out = folder / "callgrind"
    command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no"]
    subprocess.run(
        [*command, f"--callgrind-out-file={out}", binary, "hook", event],
        input=json.dumps(payload).encode(),
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    for line in out.read_text(errors="replace").splitlines():
        found = re.match(r"0x([0-9a-f]+) ", line)
        if found:
            address = int(found[1], 16)
            start = addresses[max(bisect.bisect_right(addresses, address) - 1, 0)]
            length, names = functions[start]
            if start <= address < start + length:
                # Its section may have any of them.
                yield from names


def main():
    binary = os.path.abspath(sys.argv[1])
    functions = symbols(binary)
    size, alike = collections.Counter(), collections.Counter()
    for length, names in functions.values():
        for name in names:
            size[pattern(name)] += length
            alike[pattern(name)] += 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        project = folder / "project"
        (folder / "home").mkdir()
        (project / "src").mkdir(parents=True)
        (project / "a.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        common = {"session_id": "11111111-1111-4111-8111-111111111111", "cwd": str(project)}
        edit = {"file_path": str(project / "a.py"), "old_string": "1", "new_string": "2"}
        calls = [("Bash", {"command": LINE}), ("Edit", edit), ("Read", {"file_path": str(project / "a.py")})]
        # What most calls run stands first, and close together.
        most, others = {}, {}
        # Of a user who has set nothing up, and of one who has, within a review.
        for is_set_up in (False, True):
            if is_set_up:
                (folder / "home/.roz").mkdir(exist_ok=True)
                (folder / "home/.roz/config.toml").write_text(CONFIG)
                # A file that was written just now is not taken from the cache.
                time.sleep(3)
                prompt = {**common, "prompt": "#roz fix it"}
                list(ran(binary, "user-prompt", prompt, folder, functions))
            for tool, given in calls:
                payload = {**common, "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}
                for event in ("pre-tool-use", "post-tool-use"):
                    found = most if (tool, event) == ("Bash", "pre-tool-use") else others
                    found.update(dict.fromkeys(ran(binary, event, payload, folder, functions)))
        others.update(dict.fromkeys(ran(binary, "stop", common, folder, functions)))
    patterns = {}
    for name in [*sorted(most, key=pattern), *sorted(others, key=pattern)]:
        it = pattern(name)
        # Of a name that many share, most are not what ran.
        if re.fullmatch(r"[\w$.*]+", it) and alike[it] <= 12 and size[it] <= 64 * 1024:
            patterns[it] = None
    text = "".join(f"    *(.text.{it})\n" for it in patterns)
    # These are written in assembly, in no section of their own.
    text += "".join(f"    *{it}.lo(.text)\n" for it in ("memcpy", "memmove", "memset", "syscall_cp"))
    target = pathlib.Path(__file__).resolve().parent.parent / ".cargo/hot.ld"
    target.write_text(HEAD + text + TAIL)
    print(f"{len(patterns)} names, {sum(size[it] for it in patterns) // 1024} KiB in {target}")


main()
