#!/usr/bin/env python3
"""Writes `.cargo/hot.ld`: what a hook runs and reads is put together in the binary.

A hook touches a twentieth of the program. Spread over all of it, that is some
fifty page faults more, a quarter of what a hook costs. So the linker is told
which functions and constants come first: those that were seen to be used, under
valgrind, by what people let agents run.

    cargo rustc --release --bin roz --target x86_64-unknown-linux-musl -- -C link-arg=-Wl,-Map=target/roz.map
    benches/hot.py target/x86_64-unknown-linux-musl/release/roz target/roz.map

Make it anew when what a hook does has changed much, and before a release:
constants have no names but their number, and a change of the code changes them.
A list that has grown old does no harm: a name that is gone is passed over, what
is new stands with the rest. Needs `valgrind` and `git`.
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

# What people let agents run: what most of these lines need stands first.
LINES = [
    "ls -la src",
    "cd src && cargo build --release 2>&1 | tee build.log | grep -v warning; "
    'for f in a b c; do echo "$f"; done; if [ -f x ]; then cat x; else touch y; fi; '
    "git add -A && git commit -m \"what was done\" && git log --oneline | head -5; "
    "sed -n 1,5p a.py > b; (cd .. && ls -la); python3 -c 'print(1)' <<< \"$HOME\"",
    "cd src/api && RUST_LOG=debug cargo test --workspace -- --nocapture 2>&1 | tee /tmp/t.log | "
    "grep -E '^(test result|error)' || { echo \"failed: $(tail -n 1 /tmp/t.log)\"; exit 1; }; "
    'for f in src/*.rs; do rustfmt --check "$f" >/dev/null || echo "$f"; done; git status',
    "git diff --stat HEAD~1 && git status --short",
    'git add src/a.py && git commit -q -m "$(cat <<\'EOF\'\nOne line\n\nAnd more.\nEOF\n)" && git log -1',
    "npm ci && npm run build 2>&1 | tail -20",
    "python3 - <<'EOF'\nimport json\nprint(json.dumps({'a': 1}))\nEOF",
    "find . -name '*.rs' -not -path './target/*' | xargs grep -ln 'fn main' | sort | uniq -c",
    "mkdir -p out && cp a.py out/ && rm -f out/old.txt && mv out/a.py out/b.py",
    "export PATH=$HOME/bin:$PATH; which node && node --version; echo $?",
    "timeout 60 pytest -x -q tests/test_a.py > out.txt 2>&1; tail -5 out.txt",
    "docker compose up -d && curl -s localhost:8080/health | jq .status",
    "cat a.py | head -20; wc -l src/*.py; sed -i 's/a/b/' a.py",
]
CONFIG = """
[review.gates]
tools = ["mcp__tissue__close*", "Bash:gh issue close*", "Bash:git push*"]
"""
HEAD = "/* Made by benches/hot.py, which says why. */\n"
# What is larger stands where it stood: little of it is used.
LARGEST = 64 * 1024
# Of a name that many share, most are not what ran.
MOST_ALIKE = 12
# Not seen under valgrind, which has no vdso and ends by itself.
UNSEEN = [".text._Exit", ".text.strcmp"]


def sections(linker_map):
    """What was linked into the text and the constants: address, length, pattern."""
    found, name = [], None
    for line in linker_map.read_text(errors="replace").splitlines():
        alone = re.fullmatch(r" (\.(?:text|rodata)\S*)", line)
        if alone:
            name = alone[1]
            continue
        whole = re.fullmatch(r" (\.(?:text|rodata)\S*)? +0x(\w+) +0x(\w+) (\S+)", line)
        if whole and (whole[1] or name):
            address, length = int(whole[2], 16), int(whole[3], 16)
            if address and length:
                found.append((address, length, pattern(whole[1] or name, whole[4])))
        name = None
    return sorted(found)


def pattern(name, file):
    """As the linker is told: without what each build makes anew, the marks of crates."""
    if name in (".text", ".rodata"):
        # Written in assembly, in no section of its own.
        return f"*{re.split('[/(]', file)[-1].rstrip(')')}({name})"
    name = re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", name)
    return f"*({re.sub(r'[.]Lanon[.][0-9a-f]+[.]', '.Lanon.*.', name)})"


def used(binary, event, payload, folder, linked):
    """The patterns of what a hook runs and reads."""
    addresses = [it[0] for it in linked]
    out = folder / "trace"
    subprocess.run(
        ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={out}", binary, "hook", event],
        input=json.dumps(payload).encode(),
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    touched = set()
    for line in out.read_text(errors="replace").splitlines():
        if line[:2] in ("I ", " L", " M"):
            touched.add(int(line[3:].split(",")[0], 16) >> 4)
    found = set()
    for address in touched:
        # Sixteen bytes may be of two.
        for address in (address << 4, (address << 4) + 15):
            start, length, name = linked[max(bisect.bisect_right(addresses, address) - 1, 0)]
            if start <= address < start + length:
                found.add(name)
    return found


def tier(count):
    """What all lines use, what half of them use, what some do."""
    whole = 2 * len(LINES)
    return 3 if count == whole else 2 if 2 * count >= whole else 1 if count >= 4 else 0


def main():
    binary, linker_map = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    linked = sections(linker_map)
    size, alike = collections.Counter(), collections.Counter()
    for _, length, name in linked:
        size[name] += length
        alike[name] += 1
    # How many lines use it; and what other events do.
    lines_with, others = collections.Counter(), set()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        project = folder / "project"
        (folder / "home").mkdir()
        (project / "src").mkdir(parents=True)
        (project / "a.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        common = {"session_id": "11111111-1111-4111-8111-111111111111", "cwd": str(project)}
        edit = {"file_path": str(project / "a.py"), "old_string": "1", "new_string": "2"}
        lines = [("Bash", {"command": line}) for line in LINES]
        calls = [("Edit", edit), ("Read", {"file_path": str(project / "a.py")})]
        # Of a user who has set nothing up, and of one who has, within a review.
        for is_set_up in (False, True):
            if is_set_up:
                (folder / "home/.roz").mkdir(exist_ok=True)
                (folder / "home/.roz/config.toml").write_text(CONFIG)
                # A file that was written just now is not taken from the cache.
                time.sleep(3)
                prompt = {**common, "prompt": "#roz fix it"}
                others |= used(binary, "user-prompt", prompt, folder, linked)
            for tool, given in [*lines, *calls]:
                payload = {**common, "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}
                found = used(binary, "pre-tool-use", payload, folder, linked)
                if tool == "Bash":
                    lines_with.update(found)
                else:
                    others |= found
            for tool, given in [lines[0], *calls]:
                payload = {**common, "tool_name": tool, "tool_input": given, "tool_use_id": "toolu_1"}
                others |= used(binary, "post-tool-use", payload, folder, linked)
        others |= used(binary, "stop", common, folder, linked)
    order = sorted(lines_with, key=lambda it: (-tier(lines_with[it]), it))
    order += [f"*({it})" for it in UNSEEN] + sorted(others - set(lines_with))
    kept = [it for it in order if alike[it] <= MOST_ALIKE and size[it] <= LARGEST]
    text = HEAD
    for kind in (".text", ".rodata"):
        patterns = [it for it in dict.fromkeys(kept) if re.search(r"\((\.[a-z]+)", it)[1] == kind]
        text += f"SECTIONS {{\n  {kind}.hot : {{\n"
        text += "".join(f"    {it}\n" for it in patterns)
        text += f"  }}\n}}\nINSERT BEFORE {kind};\n"
        print(f"{kind}: {len(patterns)} names, {sum(size[it] for it in patterns) // 1024} KiB")
    target = pathlib.Path(__file__).resolve().parent.parent / ".cargo/hot.ld"
    target.write_text(text)


main()
