"""A day of work in git under the real client: every command ends as it does without roz, nothing of roz is in the
way, and no record is lost."""
import shutil
import subprocess
from collections.abc import Callable

from story import Step, Tool, Turn, World, do, expect, run, say, scenario, until

INTENTS = """\
active_intents:
  - id: INT-A
    name: All of a
    status: IN_PROGRESS
    owned_scope: [src/a/**]
  - id: INT-B
    name: All of b
    status: IN_PROGRESS
    owned_scope: [src/b/**]
"""
FILES = {"INT-A": "src/a/a.rs", "INT-B": "src/b/b.rs"}


class Day:
    """What the agent does, and the same project without roz: each command is run there as well, and has to end alike
    in both. A person's commands are run between two turns of the agent."""

    def __init__(self, world: World):
        self.world = world
        self.place = world.place(project={path: "// begun\n// end\n" for path in FILES.values()})
        self.plain = self.place.root / "plain"
        self.turns: list[Turn] = []
        self.due: list[Callable[[], None]] = []
        self.complaints: list[str] = []
        self.edits = 0
        self.records = 0
        self.selected = ""
        self.prepare()

    def prepare(self) -> None:
        git = self.place.git
        git("push", "-q", "-u", "origin", "main")
        git("branch", "bare")
        expect("roz init", self.place.run("roz", "init", "--intent").returncode).equals(0)
        (self.place.project / ".orchestration/active_intents.yaml").write_text(INTENTS)
        git("add", ".")
        git("commit", "-qm", "declare")
        git("push", "-q")
        shutil.copytree(self.place.remote, self.place.root / "plain.git")
        git("clone", "-q", str(self.place.root / "plain.git"), str(self.plain))
        self.shell("git branch -q --no-track bare HEAD~", self.plain)

    # ---------------------------------------------------------- the two projects
    def shell(self, line: str, folder) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-c", line], cwd=folder, env=self.place.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def seen(self, folder) -> str:
        """What a person sees of a work tree."""
        line = "git status --porcelain=v1 --branch; git rev-parse HEAD^{tree}; git stash list | wc -l; git diff | wc -c"
        return self.shell(line, folder).stdout

    def is_alike(self, line: str, *ended: subprocess.CompletedProcess) -> None:
        for done in ended:
            if done.returncode != 0:
                self.complaints.append(f"{line}: {done.stdout}{done.stderr}")
        own, other = self.seen(self.place.project), self.seen(self.plain)
        if own != other:
            self.complaints.append(f"after {line}:\n{own}\nand without roz:\n{other}")

    # ------------------------------------------------------------ who does what
    def turn(self, turn: Turn) -> None:
        """A turn of the agent; what is due comes before it."""
        due, self.due = self.due, []

        def is_done(_events) -> bool:
            while due:
                due.pop(0)()
            return True

        self.turns.append(until(turn, is_done))

    def agent(self, line: str) -> None:
        self.turn(run(line))
        self.due.append(lambda: self.is_alike(line, self.shell(line, self.plain)))

    def person(self, line: str) -> None:
        self.due.append(lambda: self.is_alike(line, *(self.shell(line, it) for it in (self.place.project, self.plain))))

    def others_push(self) -> None:
        """Somebody else's work arrives at both remotes."""
        line = ("git clone -q {0} other && cd other && echo x > theirs.txt && git add . && git commit -qm theirs"
                " && git push -q && cd .. && rm -rf other")
        remotes = (self.place.remote, self.place.root / "plain.git")
        self.due.append(lambda: self.is_alike("others", *(self.shell(line.format(it), self.place.root) for it in remotes)))

    def edit(self, *intents: str) -> None:
        """The agent adds a line for each intent; each says what it is for."""
        for intent in intents:
            self.edits += 1
            self.records += 1
            path = FILES[intent]
            file = str(self.place.project / path)
            if self.selected != intent:
                self.turn(do(Tool("Bash", {"command": f"roz intent select {intent}", "description": "Select"})))
                self.selected = intent
            self.turn(do(Tool("Read", {"file_path": file})))
            line = f"fn edit_{self.edits}() {{}} // for {intent}\n"
            self.turn(do(Tool("Edit", {"file_path": file, "old_string": "// end\n", "new_string": line + "// end\n"})))
            self.due.append(lambda path=path: shutil.copy(self.place.project / path, self.plain / path))
            self.due.append(lambda: self.is_alike("an edit"))

    def play(self) -> None:
        """What was told so far, in a session of its own."""
        self.turn(say("Done."))
        s = self.world.play(Step("Go on.", max_turns=200), place=self.place, agent=self.turns)
        self.turns, self.selected = [], ""
        expect("what failed of the agent's calls", [it.text for it in s.results() if it.failed]).equals([])
        expect("what does not end as it does without roz", self.complaints).equals([])
        self.is_whole()

    # ------------------------------------------------------------ what is known
    def roz(self, *args: str) -> str:
        done = self.place.run("roz", *args)
        expect(f"how `roz {' '.join(args)}` ended", done.returncode, done.stdout + done.stderr).equals(0)
        return done.stdout

    def blame(self) -> dict[str, list[str]]:
        """For each file the intents that its lines are for."""
        lines = {path: self.roz("blame", path).splitlines()[1:] for path in FILES.values()}
        return {path: [line.split()[1] for line in found] for path, found in lines.items()}

    def is_whole(self) -> None:
        expect("roz ledger verify", self.roz("ledger", "verify")).has("Whole")
        shown = self.roz("ledger", "show", "--limit", "1000")
        expect("the records", len(shown.splitlines()) - 1, shown).equals(self.records)
        for path, found in self.blame().items():
            lines = (self.place.project / path).read_text().splitlines()
            named = [line.partition(" for ")[2] or "-" for line in lines]
            expect(f"the intents of {path}", found).equals(named)


@scenario
def a_day_in_git_goes_as_it_does_without_roz(world: World):
    day = Day(world)
    day.edit("INT-A", "INT-A", "INT-B", "INT-B")
    day.agent("git add src/a/a.rs && git commit -qm 'a alone'")
    day.edit("INT-A")
    day.agent("git commit -qm 'b alone' src/b/b.rs")
    day.edit("INT-B")
    day.agent("git commit -qa --amend --no-edit")
    day.edit("INT-B", "INT-A")
    day.agent("git stash -q")
    day.agent("git switch -q bare")
    day.agent("git switch -q main")
    day.agent("git stash pop -q")
    day.agent("git commit -qam 'from the stash'")
    day.play()

    # A line that is taken back is a record all the same, and so is what takes it back.
    day.edit("INT-A")
    day.agent("git restore src/a/a.rs")
    day.records += 1
    day.edit("INT-B")
    day.person("echo rubbish > rubbish.txt && git clean -fdq")
    day.agent("git commit -qam 'before the pull'")
    day.others_push()
    day.agent("git pull -q --rebase")
    day.agent("git switch -qc side")
    day.edit("INT-B", "INT-A")
    day.agent("git commit -qam 'on the side'")
    day.agent("git switch -q main")
    day.person("echo by a person > notes.txt && git commit -qam 'by a person'")
    day.agent("git merge -q --no-edit side")
    day.play()

    day.edit("INT-A", "INT-B", "INT-A", "INT-B", "INT-A", "INT-A", "INT-B", "INT-B")
    day.person("git commit -qam 'in a terminal'")
    day.play()
    expect("how many edits there were", day.edits).equals(20)

    # The notes alone say the same: the file and roz's home are gone.
    before = day.blame()
    (day.place.project / ".orchestration/agent_trace.jsonl").unlink()
    shutil.rmtree(day.place.home / ".roz")
    expect("what the notes alone say", day.blame()).equals(before)
    day.is_whole()
