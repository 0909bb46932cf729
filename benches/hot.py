#!/usr/bin/env python3
"""Learns what hooks run and read, so that it stands together in the binary.

A hook touches a twentieth of the program. Spread over all of it, that is some
fifty page faults more, and most of each line of the processor's cache is what
does not run. So the compiler is told how often each part of a function runs
(`.cargo/hot.profdata`, used by `.cargo/hot`), and puts what never does out of
the way; and the linker is told which functions and constants come first
(`.cargo/hot.ld`, used by `build.rs`): what most of `everyday.txt` needs, and
after it what each line needs beside that.

    benches/hot.py profile    # builds with counters, runs hooks, writes the profile
    benches/hot.py order      # builds with the profile, looks at hooks, writes the order

Make both anew when what a hook does has changed much, and before a release, in
this order: each builds the program once. What has grown old does no harm: a
function that has changed has no profile, a name that is gone is passed over,
what is new stands with the rest. Needs `valgrind`, `git`, and
`rustup component add llvm-tools`.
"""

import bisect
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-musl"
EVERYDAY = ROOT / "benches/everyday.txt"
CONFIG = """
[review.gates]
tools = ["mcp__tissue__close*", "Bash:gh issue close*", "Bash:git push*"]
"""
# What costs much for its length, for the loops: `#` is a number that rises.
LONG = [
    "cp a b;", "rm f#;", "bash s#.sh;", "echo a>>f#;", "git -C d# st;", "git -c a=b c;", "$a$b ",
    "x#=a;", "echo $x#;", "cd d#;", "if a;then b;fi;", "for i in a b;do c $i;done;", "${x//a/b} ",
    "env a=b c#;", "find . -name a# -delete;", "cat <<E\na\nE\n", "a | b ", "'a' \"b\" ", "f#(){ a;};",
    "python3 -c 'a';", "sed -i s/a/b/ f#;", "tar xf a# -C b;", "{a,b}", "$(a) ", "((a+1));", "alias a#=b;",
]
HEAD = "/* Made by benches/hot.py, which says why. */\n"
# The heap behind all other memory that begins as zeros: what is used of that shares its first page.
HEAP = "SECTIONS {\n  .bss.heap : {\n    *(.bss._RNvC*_8roz_heap3THE)\n  }\n}\nINSERT AFTER .bss;\n"
# What is larger stands where it stood: little of it is used.
LARGEST = 128 * 1024
# Of a name that many share, most are not what ran.
MOST_ALIKE = 12
# Not seen under valgrind, which has no vdso and ends by itself.
UNSEEN = [".text._Exit", ".text.strcmp"]


def build(*flags, **settings):
    """The binary that cargo makes."""
    cargo = ["cargo", "rustc", "--release", "--locked", "--bin", "roz", "--target", TARGET]
    made = subprocess.run(
        [*cargo, "--message-format=json-render-diagnostics", *flags],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    told = [json.loads(line) for line in made.stdout.splitlines()]
    return next(it["executable"] for it in reversed(told) if it.get("executable"))


def hooks(run):
    """What people do, of a user who has set nothing up, and of one who has, within a review.

    `run(kind, event, payload, environment)` is called for each, and many of a kind at a time."""
    rows = [it.replace("\\n", "\n") for it in EVERYDAY.read_text().splitlines() if it[0] != "#"]
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(
        os.cpu_count()
    ) as pool:
        folder = pathlib.Path(temporary)
        home, project = folder / "home", folder / "project"
        home.mkdir()
        (project / "src").mkdir(parents=True)
        (project / "a.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        common = {"session_id": "11111111-1111-4111-8111-111111111111", "cwd": str(project)}
        edit = {"file_path": str(project / "a.py"), "old_string": "1", "new_string": "2"}
        lines = [("Bash", {"command": row}) for row in rows]
        calls = [("Edit", edit), ("Read", {"file_path": str(project / "a.py")})]
        env = {"HOME": str(home), "PATH": os.environ["PATH"]}

        def payload(call):
            return {**common, "tool_name": call[0], "tool_input": call[1], "tool_use_id": "toolu_1"}

        for is_set_up in (False, True):
            if is_set_up:
                (home / ".roz").mkdir(exist_ok=True)
                (home / ".roz/config.toml").write_text(CONFIG)
                # A file that was written just now is not taken from the cache.
                time.sleep(3)
                run("other", "user-prompt", {**common, "prompt": "#roz fix it"}, env)
            before = [
                pool.submit(run, f"line {is_set_up} {n}", "pre-tool-use", payload(call), env)
                for n, call in enumerate(lines)
            ]
            for done in before:
                done.result()
            for call in calls:
                run("other", "pre-tool-use", payload(call), env)
            for call in [lines[0], *calls]:
                run("other", "post-tool-use", payload(call), env)
        run("other", "stop", common, env)
        long = [repeated(text) for text in LONG]
        for line in long:
            run("long", "pre-tool-use", payload(("Bash", {"command": line})), env)


def repeated(text):
    """64 KiB of it."""
    times = 64 * 1024 // (len(text) + 4 * text.count("#"))
    return "".join(text.replace("#", str(n)) for n in range(times))


def profile():
    with tempfile.TemporaryDirectory() as temporary:
        counters = f"target.{TARGET}.rustflags = ['-Cprofile-generate={temporary}', '--cfg=counted']"
        binary = build("--config", counters, CARGO_TARGET_DIR=str(ROOT / "target/counted"))

        def run(_, event, payload, env):
            subprocess.run(
                [binary, "hook", event],
                input=json.dumps(payload).encode(),
                env={**env, "LLVM_PROFILE_FILE": f"{temporary}/%4m.profraw"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )

        hooks(run)
        rustc = subprocess.run(["rustc", "-vV"], stdout=subprocess.PIPE, check=True, text=True)
        version, *rest = rustc.stdout.splitlines()
        host = next(it.removeprefix("host: ") for it in rest if it.startswith("host: "))
        root = subprocess.run(
            ["rustc", "--print", "sysroot"], stdout=subprocess.PIPE, check=True, text=True
        ).stdout.strip()
        merge = f"{root}/lib/rustlib/{host}/bin/llvm-profdata"
        found = [str(it) for it in pathlib.Path(temporary).glob("*.profraw")]
        out = ROOT / ".cargo/hot.profdata"
        subprocess.run([merge, "merge", "-sparse", "-o", str(out), *found], check=True)
    (ROOT / ".cargo/hot.rustc").write_text(version + "\n")
    # Cargo does not see that the profile is another one.
    (ROOT / "src/lib.rs").touch()
    print(f"{out.relative_to(ROOT)}: {out.stat().st_size // 1024} KiB, {version}")


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


def used(binary, event, payload, env, linked):
    """The patterns of what a hook runs and reads."""
    addresses = [it[0] for it in linked]
    touched = set()
    with tempfile.NamedTemporaryFile("r", errors="replace") as out:
        valgrind = ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={out.name}"]
        subprocess.run(
            [*valgrind, binary, "hook", event],
            input=json.dumps(payload).encode(),
            env=env,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        for line in out:
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


def order():
    linker_map = ROOT / "target/roz.map"
    told = subprocess.run([ROOT / ".cargo/hot"], stdout=subprocess.PIPE, check=True, text=True)
    binary = build("--config", told.stdout.strip(), "--", "-C", f"link-arg=-Wl,-Map={linker_map}")
    linked = sections(linker_map)
    size, alike = collections.Counter(), collections.Counter()
    for _, length, name in linked:
        size[name] += length
        alike[name] += 1
    # Which lines use it; and what other events do.
    users, others = collections.defaultdict(set), set()

    def run(kind, event, payload, env):
        if kind == "long":
            return
        found = used(binary, event, payload, env, linked)
        if kind == "other":
            others.update(found)
        else:
            for name in found:
                users[name].add(kind)

    hooks(run)
    lines = len({kind for kinds in users.values() for kind in kinds})

    def place(name):
        # What all use, what half of them do, a quarter … and within that what the same ones do.
        share = len(users[name]) / lines
        rank = next(n for n in range(32) if share >= 0.97 * 0.5**n)
        # What was split off as cold is large, and hardly any of it runs.
        return ".text.split." in name, rank, sorted(users[name]), name

    found = sorted(users, key=place)
    found += [f"*({it})" for it in UNSEEN] + sorted(others - set(users))
    kept = [it for it in found if alike[it] <= MOST_ALIKE and size[it] <= LARGEST]
    text = HEAD
    for kind in (".text", ".rodata"):
        patterns = [it for it in dict.fromkeys(kept) if re.search(r"\((\.[a-z]+)", it)[1] == kind]
        text += f"SECTIONS {{\n  {kind}.hot : {{\n"
        text += "".join(f"    {it}\n" for it in patterns)
        text += "  }\n}\nINSERT BEFORE .text;\n"
        print(f"{kind}: {len(patterns)} names, {sum(size[it] for it in patterns) // 1024} KiB")
    (ROOT / ".cargo/hot.ld").write_text(text + HEAP)


def main():
    steps = {"profile": profile, "order": order}
    if sys.argv[1:] == [] or not set(sys.argv[1:]) <= set(steps):
        sys.exit(__doc__)
    for step in sys.argv[1:]:
        steps[step]()


main()
