//! Linked work trees of git: what they do not have is taken from the main work
//! tree of their repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    intent_gate::{SELECT, declared, json_of},
    support::{Ran, Reply, Roz, feed},
};

const GATE: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

/// A session that begins in a linked work tree of the project.
struct Linked {
    roz: Roz,
    tree: PathBuf,
}

impl Linked {
    /// `git worktree add place -b feat`, from the project's root.
    fn at(roz: Roz, place: &str) -> Self {
        roz.git(&["worktree", "add", "-q", place, "-b", "feat"]);
        let tree = roz.project().join(place).canonicalize().unwrap();
        Self { roz, tree }
    }

    fn hook(&self, word: &str, mut more: Value) -> Reply {
        more["cwd"] = self.tree.to_str().unwrap().into();
        self.roz.hook(word, more)
    }

    fn bash(&self, line: &str) -> Reply {
        self.hook("pre-tool-use", self.roz.call("Bash", &json!({ "command": line })))
    }

    fn writes(&self, path: impl AsRef<Path>) -> Reply {
        let input = json!({ "file_path": self.tree.join(path), "content": "x" });
        self.hook("pre-tool-use", self.roz.call("Write", &input))
    }

    #[track_caller]
    fn selects(&self, id: &str) {
        let mut call = self.roz.call(SELECT, &json!({ "intent_id": id }));
        self.hook("pre-tool-use", call.clone()).objects_to_nothing();
        call["tool_response"] = json!({});
        self.hook("post-tool-use", call).objects_to_nothing();
    }

    fn run(&self, args: &[&str], stdin: &str) -> Ran {
        let mut command = self.roz.command(args);
        Ran::of(feed(command.current_dir(&self.tree), stdin.as_bytes()))
    }

    #[track_caller]
    fn shows(&self, key: &str) -> String {
        let shown = self.run(&["config", "show"], "").succeeds().stdout;
        let line = shown.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
        line.expect(&shown).to_owned()
    }

    fn put(&self, path: &str, text: &str) {
        put(&self.tree, path, text);
    }
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn configured(text: &str) -> Roz {
    let roz = Roz::new().in_git();
    put(&roz.project(), ".roz/config.toml", text);
    roz
}

#[test]
fn a_gate_of_the_main_work_tree_holds_in_a_linked_one() {
    for place in ["../wt", ".claude/worktrees/wt"] {
        let linked = Linked::at(configured(GATE), place);
        let reason = linked.bash("git push").denies();
        assert!(reason.contains("Bash:git push*"), "{reason}");
        linked.bash("git status").passes();
        let shown = linked.run(&["config", "show", "--origin"], "").succeeds().stdout;
        assert!(shown.contains("project/.roz/config.toml:2 (project)"), "{shown}");
    }
}

#[test]
fn a_gate_that_is_committed_on_the_main_branch_only_holds_too() {
    let linked = Linked::at(Roz::new().in_git(), "../wt");
    put(&linked.roz.project(), ".roz/config.toml", GATE);
    linked.roz.git(&["add", "."]);
    linked.roz.git(&["commit", "-qm", "a gate"]);
    assert!(!linked.tree.join(".roz").exists());
    linked.bash("git push").denies();
    fs::create_dir(linked.tree.join("src")).unwrap();
    let inside = Linked { tree: linked.tree.join("src"), ..linked };
    inside.bash("git push").denies();
}

#[test]
fn a_change_of_the_main_work_trees_file_is_seen_at_the_next_call() {
    let linked = Linked::at(Roz::new().in_git(), "../wt");
    linked.bash("git push").passes();
    put(&linked.roz.project(), ".roz/config.toml", GATE);
    linked.bash("git push").denies();
    put(&linked.roz.project(), ".roz/config.toml", "");
    linked.bash("git push").passes();
}

#[test]
fn of_two_files_the_linked_work_trees_own_counts_and_the_gates_of_both() {
    let linked = Linked::at(
        configured(&format!(
            "{GATE}approval_ttl_seconds = 60\n[retrieval]\nmax_injections = 1\n\
             [templates]\nactive = \"theirs\"\n"
        )),
        "../wt",
    );
    linked.put(
        ".roz/config.toml",
        "[review.gates]\ntools = ['Bash:make *', '!Bash:git push*', '!Bash:make test']\n\
         approval_ttl_seconds = 600\n[retrieval]\nmax_injections = 2\n",
    );
    linked.bash("git push").denies();
    linked.bash("make release").denies();
    linked.bash("make test").passes();
    assert_eq!(linked.shows("retrieval.max_injections"), "2");
    assert_eq!(linked.shows("review.gates.approval_ttl_seconds"), "60");
    assert_eq!(linked.shows("templates.active"), "\"default\"");
}

#[test]
fn the_same_file_in_both_is_no_contradiction() {
    let text = format!(
        "{GATE}approval_scope = \"tool\"\n[[ticketing.systems]]\nname = \"own\"\n\
         closes = [\"Bash:own done *\"]\nin_progress = [\"own\"]\n"
    );
    let roz = configured(&text);
    roz.configure("trust.projects = []");
    let linked = Linked::at(roz, "../wt");
    linked.put(".roz/config.toml", &text);
    linked.bash("git push").denies();
    let json = linked.run(&["config", "check", "--json"], "");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let diagnostics = json["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 1, "only the program that is not trusted: {diagnostics:#?}");
    assert_eq!(json["files"].as_array().unwrap().len(), 3);
}

#[test]
fn a_repository_whose_git_folder_lies_elsewhere_is_no_linked_work_tree() {
    let roz = configured(GATE);
    let other = roz.dir().join("other");
    fs::create_dir(&other).unwrap();
    let apart = roz.project().join(".git/apart");
    roz.git(&["init", "-q", "--separate-git-dir", apart.to_str().unwrap(), "../other"]);
    let tree = other.canonicalize().unwrap();
    Linked { roz, tree }.bash("git push").passes();
}

#[test]
fn the_main_work_trees_configuration_is_as_safe_from_an_agent_as_its_own() {
    let linked = Linked::at(configured(GATE), "../wt");
    let file = linked.roz.project().join(".roz/config.toml");
    assert!(linked.writes(&file).is_objection());
    assert!(linked.bash(&format!("rm {}", file.display())).is_objection());
}

const PANICS: (&str, &str) = (
    "src/parser.rs panics on a lone `\\r` because Lexer::next slices by bytes",
    "Lexer::next in src/parser.rs cut at byte 1 of a two-byte char; use char_indices().",
);
const ORDER: (&str, &str) = (
    "Never reorder the two passes of the quota check: pass 2 reads what 1 has written",
    "check_all() in shop/limits/quota.py fills LIMITS first; seen with order 4711.",
);

fn reflection((summary, detail): (&str, &str)) -> String {
    let candidate = json!({ "category": "pitfall", "summary": summary, "detail": detail, "tags": ["parser"],
                            "criteria_met": ["behavior_changing"] });
    json!({ "candidates": [candidate] }).to_string()
}

#[test]
fn learnings_of_the_main_work_tree_are_read_and_written_from_a_linked_one() {
    let reflect = ["reflect", "--session-id", SESSION];
    let roz = Roz::new().in_git();
    put(&roz.project(), ".roz/learnings.md", "");
    roz.fed(&["reflect", "--session-id", "s0"], &reflection(PANICS)).succeeds();
    let linked = Linked::at(roz, "../wt");
    let prompt = json!({ "prompt": "Why does src/parser.rs panic on a lone carriage return?" });
    let told = linked.hook("user-prompt", prompt).context();
    assert!(told.contains("panics on a lone"), "{told}");

    linked.run(&reflect, &reflection(ORDER)).succeeds();
    let kept_in = |root: &Path| fs::read_to_string(root.join(".roz/learnings.md")).unwrap();
    assert!(kept_in(&linked.roz.project()).contains("two passes"));
    assert!(!linked.tree.join(".roz").exists());

    linked.put(".roz/learnings.md", "");
    linked.run(&reflect, &reflection(PANICS)).succeeds();
    assert!(kept_in(&linked.tree).contains("panics on a lone"));
    assert_eq!(kept_in(&linked.roz.project()).matches("panics on a lone").count(), 1);
}

#[test]
fn a_scope_that_the_main_work_tree_declares_is_kept_in_a_linked_one() {
    for place in ["../wt", ".claude/worktrees/wt"] {
        let linked = Linked::at(declared(""), place);
        let told = linked.hook("session-start", json!({ "source": "startup" })).context();
        assert!(told.contains("INT-001"), "{told}");
        let code = |reply: Reply| json_of(&reply.denies())["code"].clone();
        assert_eq!(code(linked.writes("src/auth/new.rs")), "MISSING_INTENT");
        linked.selects("INT-001");
        linked.writes("src/auth/new.rs").passes();
        assert_eq!(code(linked.writes("src/billing/new.rs")), "SCOPE_VIOLATION");
        assert_eq!(code(linked.bash("echo x > lib.rs")), "SCOPE_VIOLATION");
        // The main work tree is not part of what it works on.
        assert!(linked.writes(linked.roz.project().join("src/auth/new.rs")).is_objection());
        let intents = linked.roz.project().join(".orchestration/active_intents.yaml");
        assert!(linked.writes(&intents).is_objection());
        assert!(!linked.tree.join(".orchestration").exists());
    }
}

#[test]
fn what_is_changed_in_a_linked_work_tree_is_in_the_ledger_of_the_main_one() {
    for place in ["../wt", ".claude/worktrees/wt"] {
        let linked = Linked::at(declared(""), place);
        linked.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
        linked.run(&["intent", "select", "INT-001", "--session-id", SESSION], "").succeeds();
        let path = linked.tree.join("src/auth/new.rs");
        let input = json!({ "file_path": path, "content": "fn a() {}\n" });
        let mut call = linked.roz.call("Write", &input);
        linked.hook("pre-tool-use", call.clone()).passes();
        linked.put("src/auth/new.rs", "fn a() {}\n");
        call["tool_response"] = json!({ "type": "create" });
        linked.hook("post-tool-use", call).objects_to_nothing();
        let shown = linked.run(&["ledger", "show", "--json"], "").succeeds().stdout;
        assert!(shown.contains("src/auth/new.rs"), "{shown}");
        let ledger = linked.roz.project().join(".orchestration/agent_trace.jsonl");
        assert!(fs::read_to_string(ledger).unwrap().contains("\"src/auth/new.rs\""));
        let blamed = linked.run(&["blame", "src/auth/new.rs"], "").succeeds().stdout;
        assert!(blamed.contains("INT-001"), "{blamed}");
        linked.run(&["ledger", "verify"], "").succeeds();
    }
}

#[test]
fn a_linked_work_trees_own_sidecar_counts() {
    let linked = Linked::at(declared(""), "../wt");
    linked.put(
        ".orchestration/active_intents.yaml",
        "active_intents:\n  - id: INT-009\n    owned_scope: [\"lib/**\"]\n",
    );
    linked.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    linked.selects("INT-009");
    linked.writes("lib/a.rs").passes();
    assert_eq!(json_of(&linked.writes("src/auth/a.rs").denies())["code"], "SCOPE_VIOLATION");
}
