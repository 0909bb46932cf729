//! What a call made of the declared work where nobody could see it counts for
//! nothing until a person has said so.

use super::*;

const FILE: &str = ".orchestration/active_intents.yaml";
const WIDENS: &str = "sed -i 's,src/auth/,src/,' .orchestration/active_intents.yaml";

fn code(reason: &str) -> String {
    let json: Value = serde_json::from_str(reason.lines().last().unwrap()).unwrap();
    json["code"].as_str().unwrap().to_owned()
}

impl Roz {
    #[track_caller]
    fn refuses(&self, session: &str, path: &str) -> (String, String) {
        let mut call = self.write_of(path);
        call["session_id"] = session.into();
        let reason = self.hook("pre-tool-use", call).denies();
        (code(&reason), reason)
    }

    fn write_of(&self, path: &str) -> Value {
        self.call("Write", &json!({ "file_path": self.project().join(path), "content": "x" }))
    }

    #[track_caller]
    fn lets_write(&self, path: &str) {
        self.hook("pre-tool-use", self.write_of(path)).passes();
    }
}

/// An agent that has widened its own scope.
fn widened() -> (Roz, String) {
    let roz = selected("");
    let make = hidden(&roz, WIDENS);
    let told = roz.ran(make).context();
    assert!(roz.text(FILE).contains("\"src/**\""), "{}", roz.text(FILE));
    (roz, told)
}

#[test]
fn a_scope_that_a_hidden_line_widens_grants_nothing() {
    let (roz, told) = widened();
    assert!(told.contains("roz intent confirm"), "{told}");
    let (code, reason) = roz.refuses("s1", "src/billing/new.rs");
    assert_eq!(code, "SIDECAR_INVALID", "{reason}");
    assert!(reason.contains("roz intent confirm") && reason.contains("restore --"), "{reason}");
    // Nor does what was granted before, for nobody knows what that is now.
    assert_eq!(roz.refuses("s1", "src/auth/new.rs").0, "SIDECAR_INVALID");
    assert!(roz.bash("make").is_objection());
    roz.bash("cat src/auth/login.rs").passes();
}

#[test]
fn other_sessions_are_not_widened_either() {
    let (roz, _) = widened();
    roz.at("s2", "INT-001");
    assert_eq!(roz.refuses("s2", "src/billing/new.rs").0, "SIDECAR_INVALID");
}

#[test]
fn what_is_taken_back_is_in_doubt_no_more() {
    let (roz, told) = widened();
    roz.ran(&way_back(&told)).passes();
    roz.lets_write("src/auth/new.rs");
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SCOPE_VIOLATION");
}

#[test]
fn a_way_back_that_was_paved_leads_nowhere() {
    let roz = selected("");
    let make = hidden(&roz, &format!("{WIDENS}\ngit add .orchestration\n{WIDENS}; echo >> {FILE}"));
    let told = roz.ran(make).context();
    roz.ran(&way_back(&told)).objects_to_nothing();
    assert!(roz.text(FILE).contains("\"src/**\""), "git had the wider one by then");
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SIDECAR_INVALID");
}

#[test]
fn intents_that_no_commit_has_come_back_as_they_were() {
    let roz = selected("");
    let text = roz.text(FILE) + "# mine\n";
    roz.write(FILE, &text);
    roz.prompt("I put a note there").objects_to_nothing();
    let make = hidden(&roz, WIDENS);
    let told = roz.ran(make).context();
    roz.ran(&way_back(&told)).passes();
    assert_eq!(roz.text(FILE), text);
    roz.lets_write("src/auth/new.rs");
}

#[test]
fn a_file_that_was_broken_comes_back_too() {
    let roz = selected("");
    let make = hidden(&roz, "printf '\\t[' > .orchestration/active_intents.yaml");
    let told = roz.ran(make).context();
    roz.ran(&way_back(&told)).passes();
    roz.lets_write("src/auth/new.rs");
}

#[test]
fn a_person_confirms_it() {
    let (roz, _) = widened();
    let ran = roz.run(&["intent", "confirm", "--yes"]).succeeds();
    assert!(ran.stdout.contains("INT-001: src/**, lib/**"), "{ran:?}");
    roz.lets_write("src/billing/new.rs");
    // The agent's own wish is asked about.
    roz.bash("roz intent confirm --yes").asks();
}

#[test]
fn who_confirms_what_cannot_be_read_is_told() {
    let (roz, _) = widened();
    roz.write(FILE, "active_intents: [\n");
    let ran = roz.run(&["intent", "confirm", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("line 1, column 17"), "{ran:?}");
    assert!(ran.stdout.contains("`roz intent check`"), "{ran:?}");
    assert!(!ran.stdout.contains("It says"), "{ran:?}");
    let ran = roz.run(&["intent", "confirm", "--yes", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(told["problem"].as_str().unwrap().contains("cannot be relied on"), "{told}");
    roz.write(FILE, "active_intents: []\n");
    let ran = roz.run(&["intent", "confirm", "--yes"]).succeeds();
    assert!(ran.stdout.contains("No intent is open."), "{ran:?}");
}

#[test]
fn what_a_person_writes_counts() {
    let (roz, _) = widened();
    let text = roz.text(FILE).replace("src/**", "src/bill*/**");
    roz.write(FILE, &text);
    roz.prompt("I gave you less").objects_to_nothing();
    roz.lets_write("src/billing/new.rs");
    // And what git brings before a prompt.
    roz.write(FILE, &text.replace("bill*", "*"));
    roz.git(&["commit", "-qam", "wider"]);
    roz.prompt("go on").objects_to_nothing();
    roz.lets_write("src/auth/new.rs");
    roz.git(&["checkout", "-q", "HEAD~"]);
    roz.prompt("go on").objects_to_nothing();
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SCOPE_VIOLATION");
    roz.git(&["checkout", "-q", "-"]);
    roz.prompt("go on").objects_to_nothing();
    roz.lets_write("src/billing/new.rs");
}

#[test]
fn roz_itself_is_no_accomplice() {
    // A status that is written into what was widened widens nothing ...
    let (roz, _) = widened();
    roz.run(&["intent", "start", "INT-002"]).succeeds();
    roz.write(FILE, &roz.text(FILE).replace("IN_PROGRESS", "DRAFT"));
    let (roz, _) = widened();
    roz.at("s2", "INT-001");
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SIDECAR_INVALID");
    // ... nor does one that the same line has it written into,
    let verb = |line: &str| {
        let roz = selected("");
        let roz_at = crate::support::BINARY;
        let lines = line.replace("roz ", &format!("CLAUDECODE=1 {roz_at} "));
        roz.write(FILE, &roz.text(FILE).replace("IN_PROGRESS", "DRAFT"));
        roz.prompt("go on").objects_to_nothing();
        let make = hidden(&roz, &lines);
        let told = roz.ran(make).context();
        assert!(told.contains(FILE), "{told}");
        assert_ne!(roz.text(FILE), DECLARED);
        assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SIDECAR_INVALID", "{line}");
    };
    verb(&format!("{WIDENS}\nroz intent start INT-001"));
    // ... nor a grant or a yes that the line gives to itself.
    verb("roz intent expand INT-001 'src/**' --yes");
    verb(&format!("{WIDENS}\nroz intent confirm --yes"));
}

#[test]
fn a_call_beside_the_one_that_widens_is_not_widened_either() {
    let roz = selected("");
    let step = roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, WIDENS) }));
    roz.shell("make -s");
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SIDECAR_INVALID");
    let told = step.ends().context();
    assert!(told.contains(FILE), "{told}");
    assert_eq!(roz.refuses("s1", "src/billing/new.rs").0, "SIDECAR_INVALID");
}

#[test]
fn what_is_changed_after_a_call_that_never_ended_is_a_persons_once_they_spoke() {
    let roz = selected("");
    roz.begins("s1", "Bash", &json!({ "command": hidden(&roz, "true") }));
    roz.write(FILE, &roz.text(FILE).replace("src/auth", "src"));
    roz.prompt("go on, I gave you more").objects_to_nothing();
    roz.lets_write("src/billing/new.rs");
}

#[test]
fn what_protects_is_not_taken_away() {
    for lines in ["rm .orchestration/.intentignore", "echo > .orchestration/.intentignore"] {
        let roz = selected("");
        roz.write(".orchestration/.intentignore", "deny src/auth/keys/\n");
        roz.git(&["add", "."]);
        roz.git(&["commit", "-qm", "keys"]);
        roz.prompt("mind the keys").objects_to_nothing();
        let make = hidden(&roz, lines);
        let told = roz.ran(make).context();
        assert!(told.contains(".intentignore (is in nobody's scope)"), "{told}");
        assert_eq!(roz.refuses("s1", "src/auth/keys/one").0, "SIDECAR_INVALID", "{lines}");
        roz.ran(&way_back(&told)).passes();
        assert_eq!(roz.refuses("s1", "src/auth/keys/one").0, "PROTECTED_PATH");
        roz.lets_write("src/auth/new.rs");
    }
}

#[test]
fn a_session_that_begins_in_doubt_and_the_doctor_say_so() {
    let (roz, _) = widened();
    let start = json!({ "session_id": "s3", "source": "startup" });
    let told = roz.hook("session-start", start).tells_user();
    assert!(told.contains("roz intent confirm"), "{told}");
    let doctor = roz.run(&["doctor", "--only", "intents"]);
    assert!(doctor.stdout.contains("roz intent confirm"), "{doctor:?}");
}

/// If a file that the agent had read contained work that is in no commit, git cannot restore it.
#[test]
fn what_was_read_and_not_committed_comes_back_as_it_was() {
    let roz = selected("");
    roz.write("src/billing/tax.rs", "mine\n");
    roz.tick();
    roz.reads("src/billing/tax.rs");
    let make = hidden(&roz, "printf x > src/billing/tax.rs");
    let told = roz.ran(make).context();
    roz.ran(&way_back(&told)).passes();
    assert_eq!(roz.text("src/billing/tax.rs"), "mine\n");
}

#[test]
fn what_roz_init_adds_is_told_and_is_in_no_doubt() {
    let roz = selected("");
    let step = roz.begins("s1", "Bash", &json!({ "command": "roz init --intent" }));
    roz.run(&["init", "--intent"]).succeeds();
    assert!(roz.project().join(".orchestration/.intentignore").exists());
    let told = step.ends().context();
    assert!(told.contains(".mcp.json"), "{told}");
    assert!(!told.contains(".intentignore"), "{told}");
    roz.lets_write("src/auth/new.rs");
}
