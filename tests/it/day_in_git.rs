//! A day of work in a real git: roz is in nobody's way, and loses no record.
//!
//! Each command of the day is run twice, in the governed project and in one that has never met
//! roz, and has to end alike in both.

mod tracked_ledger;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::{Value, json};

use crate::{
    intent_gate::SELECT,
    support::{Reply, Roz},
};

const INTENTS: &str = "\
active_intents:
  - id: INT-A
    name: All of a
    status: IN_PROGRESS
    owned_scope: [src/a/**]
  - id: INT-B
    name: All of b
    status: IN_PROGRESS
    owned_scope: [src/b/**]
";
const SESSIONS: [(&str, &str, &str); 2] =
    [("sa", "INT-A", "src/a/a.rs"), ("sb", "INT-B", "src/b/b.rs")];

struct Day {
    roz: Roz,
    /// The same project, without roz.
    plain: PathBuf,
    edits: usize,
}

impl Roz {
    /// A git project that declares `INT-A` and `INT-B`, with a branch that declares nothing.
    fn with_two_intents() -> Self {
        let roz = Self::new().in_real_time().in_git();
        roz.git(&["branch", "-m", "trunk"]);
        roz.git(&["branch", "bare"]);
        roz.run(&["init", "--intent"]).succeeds();
        roz.write(".orchestration/active_intents.yaml", INTENTS);
        for (_, _, path) in SESSIONS {
            fs::create_dir_all(roz.project().join(path).parent().unwrap()).unwrap();
            roz.write(path, "// begun\n");
        }
        roz.git(&["add", "."]);
        roz.git(&["commit", "-qm", "declare"]);
        roz
    }

    fn in_session(&self, session: &str, word: &str, mut more: Value) -> Reply {
        more["session_id"] = session.into();
        self.hook(word, more)
    }

    /// A call from its beginning to its end; `run` is what it does.
    #[track_caller]
    fn calls(&self, session: &str, name: &str, input: &Value, run: impl FnOnce()) {
        let mut call = self.call(name, input);
        let reply = self.in_session(session, "pre-tool-use", call.clone());
        let decision = &reply.json["hookSpecificOutput"]["permissionDecision"];
        // A person says yes.
        assert!(decision.is_null() || decision == "ask", "{input}: {}", reply.json);
        run();
        call["tool_response"] = json!({});
        self.in_session(session, "post-tool-use", call).objects_to_nothing();
    }

    fn begin(&self) {
        for (session, intent, path) in SESSIONS {
            self.in_session(session, "session-start", json!({ "source": "startup" }));
            self.calls(session, SELECT, &json!({ "intent_id": intent }), || ());
            self.calls(session, "Read", &json!({ "file_path": self.file(path) }), || ());
        }
    }

    /// Adds a line that says for which intent it is there.
    #[track_caller]
    fn adds_line(&self, who: usize, line: &str) {
        let (session, _, path) = SESSIONS[who];
        let before = fs::read_to_string(self.project().join(path)).unwrap();
        self.calls(session, "Read", &json!({ "file_path": self.file(path) }), || ());
        let text = format!("{before}{line}\n");
        let input = json!({ "file_path": self.file(path), "content": text });
        self.calls(session, "Write", &input, || self.write(path, &text));
    }

    fn count_of_records(&self) -> usize {
        let shown = self.json(&["ledger", "show", "--limit", "1000"]);
        shown["records"].as_array().unwrap().len()
    }

    #[track_caller]
    fn verifies(&self) {
        let told = self.json(&["ledger", "verify"]);
        assert_eq!((&told["whole"], &told["problems"]), (&json!(true), &json!([])), "{told}");
    }

    /// Each line is there for the intent that it names.
    #[track_caller]
    fn blames(&self) {
        for (_, _, path) in SESSIONS {
            if !self.project().join(path).exists() {
                continue;
            }
            let told = self.json(&["blame", path]);
            for line in told["lines"].as_array().unwrap() {
                let text = line["text"].as_str().unwrap();
                let named = text.split("for ").nth(1);
                let found = line["intent_id"].as_str();
                assert_eq!(found, named, "{path}: {line}");
            }
        }
    }
}

impl Day {
    fn begin() -> Self {
        let roz = Roz::with_two_intents();
        let day = Self { plain: roz.dir().join("plain"), roz, edits: 0 };
        for (place, remote) in [(day.roz.project(), "origin.git"), (day.plain.clone(), "plain.git")]
        {
            let remote = day.roz.dir().join(remote);
            let (from, remote) = (day.roz.project(), remote.to_str().unwrap().to_owned());
            day.roz.git(&["clone", "-q", "--bare", from.to_str().unwrap(), &remote]);
            if place == day.plain {
                day.roz.git(&["clone", "-q", &remote, place.to_str().unwrap()]);
                day.at(&place, "git branch -q --no-track bare origin/bare");
            } else {
                day.roz.git(&["remote", "add", "origin", &remote]);
                day.roz.git(&["fetch", "-q"]);
                day.roz.git(&["branch", "-q", "-u", "origin/trunk"]);
            }
        }
        day.roz.begin();
        day
    }

    fn at(&self, place: &Path, line: &str) -> Output {
        let mut shell = self.roz.program(&["bash", "-c", line]);
        shell.current_dir(place).output().unwrap()
    }

    /// What a person sees: how the command ended, what git says of the work tree, and the tree
    /// that is checked out.
    fn seen(&self, place: &Path, ran: &Output) -> (Option<i32>, String, String) {
        let text = |line: &str| String::from_utf8(self.at(place, line).stdout).unwrap();
        (
            ran.status.code(),
            text("git status --porcelain=v1 --branch"),
            text("git rev-parse HEAD^{tree}; git stash list | wc -l"),
        )
    }

    #[track_caller]
    fn is_alike(&self, line: &str, ran: &Output, plain: &Output) {
        let (own, other) = (self.seen(&self.roz.project(), ran), self.seen(&self.plain, plain));
        assert_eq!(own, other, "{line}: {ran:?}");
        assert_eq!(ran.status.code(), Some(0), "{line}: {ran:?}");
    }

    /// An agent's command.
    #[track_caller]
    fn agent(&self, line: &str) {
        let mut ran = None;
        let input = json!({ "command": line });
        self.roz.calls("sa", "Bash", &input, || ran = Some(self.at(&self.roz.project(), line)));
        self.is_alike(line, &ran.unwrap(), &self.at(&self.plain, line));
    }

    /// A person's, in a terminal of their own.
    #[track_caller]
    fn person(&self, line: &str) {
        let ran = self.at(&self.roz.project(), line);
        self.is_alike(line, &ran, &self.at(&self.plain, line));
    }

    #[track_caller]
    fn edit(&mut self, who: usize) {
        self.edits += 1;
        let (_, intent, path) = SESSIONS[who];
        let line = format!("fn edit_{}() {{}} // for {intent}", self.edits);
        self.roz.adds_line(who, &line);
        fs::copy(self.roz.project().join(path), self.plain.join(path)).unwrap();
        self.person("true");
    }

    /// Somebody else's work arrives at both remotes.
    fn others_push(&self) {
        for remote in ["origin.git", "plain.git"] {
            let line = format!(
                "git clone -q {remote} other && cd other && echo x > theirs.txt && git add . && \
                 git commit -qm theirs && git push -q && cd .. && rm -rf other"
            );
            assert!(self.at(self.roz.dir(), &line).status.success());
        }
    }
}

#[test]
fn a_day_in_git_goes_as_it_does_without_roz() {
    let mut day = Day::begin();
    for who in [0, 1, 0, 1] {
        day.edit(who);
    }
    day.agent("git add src/a/a.rs && git commit -qm 'a alone'");
    day.edit(0);
    day.agent("git commit -qm 'b alone' src/b/b.rs");
    day.edit(1);
    day.agent("git commit -qa --amend --no-edit");
    day.edit(0);
    day.edit(1);
    day.agent("git stash -q");
    day.agent("git switch -q bare");
    day.agent("git switch -q trunk");
    day.agent("git stash pop -q");
    day.agent("git commit -qam 'from the stash'");
    day.roz.blames();
    day.roz.verifies();
    // An edit that is undone is a record all the same.
    day.edit(0);
    day.agent("git restore src/a/a.rs");
    day.edit(1);
    day.person("echo rubbish > rubbish.txt && git clean -fdq");
    day.agent("git commit -qam 'before the pull'");
    day.others_push();
    day.agent("git pull -q --rebase");
    day.roz.blames();
    day.roz.verifies();
    day.agent("git switch -qc side");
    for who in [0, 1] {
        day.edit(who);
        day.agent("git commit -qam 'on the side'");
    }
    day.agent("git switch -q trunk");
    day.agent("git switch -q -");
    day.agent("git switch -q trunk");
    day.roz.write("README.md", "by a person\n");
    fs::write(day.plain.join("README.md"), "by a person\n").unwrap();
    day.person("git commit -qam 'by a person'");
    day.agent("git merge -q --no-edit side");
    day.roz.blames();
    day.roz.verifies();
    for who in [0, 1, 0, 1, 0, 1, 0, 1] {
        day.edit(who);
    }
    day.person("git commit -qam 'in a terminal'");
    assert_eq!(day.edits, 20);
    day.roz.in_session("sa", "session-end", json!({ "reason": "other" }));

    day.roz.verifies();
    // `git restore FILE` is a change of that file as well.
    let records = day.edits + 1;
    assert_eq!(day.roz.count_of_records(), records);
    day.roz.blames();
    // The notes alone say the same: file and home are gone.
    for place in [day.roz.project().join(".orchestration/agent_trace.jsonl"), day.roz.home()] {
        let _ = fs::remove_file(&place);
        let _ = fs::remove_dir_all(&place);
    }
    day.roz.verifies();
    // `git restore FILE` is a change of that file as well.
    let records = day.edits + 1;
    assert_eq!(day.roz.count_of_records(), records);
    day.roz.blames();
    day.person("git status --porcelain");
}

// Other machines.

/// A clone of `origin.git` on a machine of its own.
fn machine(origin: &Roz, name: &str) -> Roz {
    let roz = Roz::new().in_real_time();
    let remote = origin.dir().join("origin.git");
    let place = roz.project();
    let args = ["clone", "-q", remote.to_str().unwrap(), place.to_str().unwrap()];
    let mut git = roz.program(&["git"]);
    assert!(git.args(args).current_dir(roz.dir()).status().unwrap().success(), "{name}");
    roz.begin();
    roz
}

impl Roz {
    #[track_caller]
    fn shares(&self) {
        self.git(&["pull", "-q", "--rebase"]);
        self.git(&["push", "-q"]);
        self.run(&["ledger", "push"]).succeeds();
    }

    #[track_caller]
    fn commits_line(&self, who: usize, line: &str) {
        self.adds_line(who, line);
        self.calls("sa", "Bash", &json!({ "command": "git commit -qam work" }), || {
            self.git(&["commit", "-qam", "work"]);
        });
    }
}

#[test]
fn two_machines_that_push_and_pull_know_the_same_of_each_line() {
    let origin = Roz::with_two_intents();
    let remote = origin.dir().join("origin.git");
    origin.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    let (one, two) = (machine(&origin, "one"), machine(&origin, "two"));
    let told = one.run(&["ledger", "push"]).succeeds().stdout;
    assert!(told.starts_with("Nothing to send"), "{told}");
    one.commits_line(0, "fn one() {} // for INT-A");
    one.shares();
    two.git(&["pull", "-q", "--rebase"]);
    two.run(&["ledger", "pull"]).succeeds();
    two.blames();
    // Back, and both at once.
    two.commits_line(1, "fn two() {} // for INT-B");
    one.commits_line(0, "fn three() {} // for INT-A");
    two.shares();
    one.shares();
    two.git(&["pull", "-q", "--rebase"]);
    for roz in [&one, &two] {
        roz.run(&["ledger", "pull"]).succeeds();
        roz.blames();
        roz.verifies();
        assert_eq!(roz.count_of_records(), 3);
        assert_eq!(roz.git(&["status", "--porcelain"]), "");
    }
    let told = |roz: &Roz| {
        let told = roz.json(&["ledger", "verify"]);
        (told["records"].clone(), told["sessions"].clone(), told["whole"].clone())
    };
    assert_eq!(told(&one), told(&two));
}

#[test]
fn two_clones_on_one_machine_send_one_ref_and_lose_nothing() {
    let origin = Roz::with_two_intents();
    let remote = origin.dir().join("origin.git");
    origin.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    let (one, two) = (machine(&origin, "one"), machine(&origin, "two"));
    one.commits_line(0, "fn one() {} // for INT-A");
    fs::copy(one.home().join("machine"), two.home().join("machine")).unwrap();
    two.commits_line(1, "fn two() {} // for INT-B");
    one.shares();
    two.shares();
    one.run(&["ledger", "pull"]).succeeds();
    one.git(&["pull", "-q", "--rebase"]);
    for roz in [&one, &two] {
        roz.blames();
        roz.verifies();
        assert_eq!(roz.count_of_records(), 2);
    }
}

#[test]
fn a_record_that_was_changed_in_the_notes_is_found() {
    let roz = Roz::with_two_intents();
    roz.begin();
    roz.commits_line(0, "fn one() {} // for INT-A");
    let notes = roz.git(&["for-each-ref", "--format=%(refname)", "refs/notes/roz/"]);
    let note = roz.git(&["notes", "--ref", notes.trim(), "show"]);
    let forged = note.replace("INT-A", "INT-B");
    roz.git(&["notes", "--ref", notes.trim(), "add", "-f", "-m", &forged]);
    let ran = roz.run(&["ledger", "verify"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("in git's notes: the record"), "{ran:?}");
}

#[test]
fn a_ledger_that_git_tracks_is_only_read_and_untracked_without_losing_a_record() {
    let roz = Roz::with_two_intents();
    roz.begin();
    roz.adds_line(0, "fn one() {} // for INT-A");
    let ledger = roz.project().join(".orchestration/agent_trace.jsonl");
    // As an older roz had it.
    for path in [roz.kept_of_project(), roz.project().join(".git/info/exclude")] {
        let _ = fs::remove_dir_all(&path);
        let _ = fs::remove_file(&path);
    }
    roz.git(&["rm", "-q", "--cached", ".orchestration/.gitignore"]);
    fs::remove_file(roz.project().join(".orchestration/.gitignore")).unwrap();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "tracked"]);
    let remote = roz.dir().join("origin.git");
    roz.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    roz.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    let other = machine(&roz, "other");
    assert!(other.project().join(".orchestration/agent_trace.jsonl").exists());

    let before = fs::read_to_string(&ledger).unwrap();
    roz.adds_line(1, "fn two() {} // for INT-B");
    assert_eq!(fs::read_to_string(&ledger).unwrap(), before);
    assert_eq!(roz.git(&["status", "--porcelain"]), " M src/b/b.rs\n");
    roz.verifies();
    roz.blames();
    let told = roz.run(&["doctor"]).stdout;
    assert!(told.contains("`roz init --intent --untrack`"), "{told}");
    assert!(roz.run(&["init", "--intent"]).stdout.contains("roz init --intent --untrack"));
    roz.run(&["init", "--intent", "--untrack"]).succeeds();
    assert_eq!(fs::read_to_string(&ledger).unwrap().lines().count(), 2);
    roz.verifies();
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "untracked"]);
    assert_eq!(roz.git(&["ls-files", ".orchestration/agent_trace.jsonl"]), "");
    roz.git(&["push", "-q", "origin", "trunk"]);

    // Where the pull takes the file away, it is completed from the commit that had it.
    other.git(&["pull", "-q"]);
    assert!(!other.project().join(".orchestration/agent_trace.jsonl").exists());
    assert_eq!(other.count_of_records(), 1);
    roz.run(&["ledger", "push"]).succeeds();
    other.run(&["ledger", "pull"]).succeeds();
    other.verifies();
    assert_eq!(other.git(&["status", "--porcelain"]), "");
}

/// Each branch of an older project has a ledger of its own.
#[test]
fn records_survive_a_branch_that_tracks_the_ledger() {
    let roz = Roz::with_two_intents();
    let ledger = roz.project().join(".orchestration/agent_trace.jsonl");
    roz.begin();
    roz.adds_line(0, "fn one() {} // for INT-A");
    roz.git(&["commit", "-qam", "one"]);
    roz.git(&["switch", "-qc", "old"]);
    roz.git(&["add", "-f", ".orchestration/agent_trace.jsonl"]);
    roz.git(&["commit", "-qm", "tracked"]);
    roz.adds_line(1, "fn two() {} // for INT-B");
    roz.git(&["commit", "-qam", "two"]);
    assert_eq!(roz.count_of_records(), 2);
    roz.verifies();
    roz.git(&["switch", "-q", "trunk"]);
    roz.adds_line(0, "fn three() {} // for INT-A");
    assert_eq!(fs::read_to_string(&ledger).unwrap().lines().count(), 3);
    roz.git(&["commit", "-qam", "three"]);
    for branch in ["old", "trunk"] {
        roz.git(&["switch", "-q", branch]);
        assert_eq!(roz.count_of_records(), 3, "{branch}");
        roz.verifies();
        roz.blames();
        assert_eq!(roz.git(&["status", "--porcelain"]), "", "{branch}");
    }
}

#[test]
fn the_only_remote_needs_no_name_and_what_git_says_is_one_line() {
    let roz = Roz::with_two_intents();
    let remote = roz.dir().join("origin.git");
    roz.git(&["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    roz.git(&["remote", "add", "hub", remote.to_str().unwrap()]);
    roz.begin();
    roz.commits_line(0, "fn one() {} // for INT-A");
    assert_eq!(roz.run(&["ledger", "push"]).succeeds().stdout, "Records sent to hub.\n");
    let told = roz.run(&["ledger", "push", "--", "--all"]).fails();
    assert!(told.contains("the name of a remote cannot begin with `-`"), "{told}");
    let told = roz.run(&["ledger", "pull", "./nowhere"]).fails();
    assert_eq!(told.lines().count(), 1, "{told}");
    roz.git(&["remote", "remove", "hub"]);
    roz.git(&["config", "remote.-x.url", remote.to_str().unwrap()]);
    let told = roz.run(&["ledger", "pull"]).fails();
    assert!(told.contains("cannot begin with `-`"), "{told}");
}
