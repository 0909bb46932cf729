"""The plugin's files under the client's own eyes."""
import json
import os
import subprocess

from story import APPROVES, World, expect, run, say, scenario, spawn
from scenarios.gates import COMMIT


def client(world: World, place, *args: str) -> subprocess.CompletedProcess:
    environment = place.client_environment(port=9)  # nobody listens there: these commands ask no model
    return subprocess.run([world.client, *args], cwd=place.project, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


@scenario
def the_plugin_passes_the_strict_validation(world: World):
    place = world.place()
    for folder in (world.sources, world.plugin):
        done = client(world, place, "plugin", "validate", "--strict", str(folder))
        expect(f"exit code for {folder.name}", done.returncode, done.stdout + done.stderr).equals(0)
    manifest = world.sources / ".claude-plugin" / "plugin.json"
    done = client(world, place, "plugin", "validate", "--strict", str(manifest))
    expect("exit code for plugin.json", done.returncode, done.stdout + done.stderr).equals(0)


@scenario
def the_installed_plugin_holds_the_stop(world: World):
    place = world.place()
    for command in (["marketplace", "add", str(world.plugin)], ["install", "roz@roz"]):
        done = client(world, place, "plugin", *command)
        expect(f"exit code of plugin {command[0]}", done.returncode, done.stdout + done.stderr).equals(0)
    s = world.play(
        "#roz Add a second line to notes.txt.", place=place, plugin_installed=True,
        agent=[run("echo second >> notes.txt"), say("Done."), spawn(), say("Reviewed and done.")],
        reviewers=[APPROVES],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    expect("decision", s.review["decision"]["type"]).equals("complete")


@scenario
def what_roz_installs_holds_the_stop_and_can_be_taken_back(world: World):
    place = world.place()
    environment = place.client_environment(port=9)
    folder = os.path.dirname(world.client)
    environment["PATH"] = f"{folder}:{environment['PATH']}"

    def roz(*args: str) -> None:
        done = subprocess.run([str(world.roz), *args], cwd=place.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        expect(f"exit code of roz {args[0]}", done.returncode, done.stdout + done.stderr).equals(0)

    roz("install")
    roz("install")
    roz("doctor")
    s = world.play(
        "#roz Add a second line to notes.txt.", place=place, plugin_installed=True,
        agent=[run("echo second >> notes.txt"), say("Done."), spawn(), say("Reviewed and done.")],
        reviewers=[APPROVES],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    expect("decision", s.review["decision"]["type"]).equals("complete")
    roz("uninstall")
    listed = client(world, place, "plugin", "list", "--json")
    expect("plugins that are left", listed.stdout.strip()).equals("[]")


def listing(folder) -> dict[str, bytes]:
    """Every file, but what the client notes about its own starts."""
    files = (it for it in folder.rglob("*") if it.is_file() and ".git" not in it.parts)
    return {str(it): it.read_bytes() for it in files if ".claude.json" not in it.name}


@scenario
def installing_and_uninstalling_leaves_home_and_project_to_the_byte(world: World):
    place = world.place()
    environment = place.client_environment(port=9)
    environment["PATH"] = f"{os.path.dirname(world.client)}:{environment['PATH']}"

    def roz(*args: str) -> None:
        done = subprocess.run([str(world.roz), *args], cwd=place.project, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        expect(f"exit code of roz {args[0]}", done.returncode, done.stdout + done.stderr).equals(0)

    for scope, settings in [
        ("user", None), ("user", b'\xef\xbb\xbf{"model":"opus",\r\n\t"env": {"A":"1", "B":1e3}}'), ("user", b""),
        ("project", None), ("project", b'{\n    "env" : { },\n    "env" : {"A":"1"} }'),
    ]:
        home = place.home if scope == "user" else place.project
        if settings is not None:
            (home / ".claude").mkdir(exist_ok=True)
            (home / ".claude" / "settings.json").write_bytes(settings)

        before = [listing(it) for it in (place.home, place.project)]
        roz("install", "--scope", scope)
        installed = [listing(it) for it in (place.home, place.project)]
        roz("install", "--scope", scope)
        expect("files after another install", [listing(it) for it in (place.home, place.project)]).equals(installed)
        roz("uninstall")
        expect("files", [listing(it) for it in (place.home, place.project)]).equals(before)


@scenario
def hooks_that_are_registered_twice_agree_with_themselves(world: World):
    # By another path, as the client runs equal command lines only once.
    other = world.root / "again" / "roz"
    other.parent.mkdir()
    other.symlink_to(world.roz)
    hooks = (world.plugin / "hooks" / "hooks.json").read_text().replace(str(world.roz), str(other))
    place = world.place('[review.gates]\ntools = ["Bash:git push*"]\napproval_scope = "tool"\n',
                        home={".claude/settings.json": json.dumps(json.loads(hooks))})
    push, another = run("git push -q origin main"), run("git push -q origin main:copy")
    s = world.play(
        "Push the second line.", place=place,
        agent=[COMMIT, push, spawn(), push, another, spawn(), say("Pushed once.")],
        reviewers=[APPROVES, APPROVES],
    )
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, True, False, False, True, False])
    expect("what the remote has", [s.remote("main"), s.remote("copy")]).equals([s.place.git("rev-parse", "HEAD").strip(), ""])
