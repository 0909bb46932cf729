//! What the real client sent: recorded from two versions of it, one file a
//! case. Each reaches the gates as the event that it is.

use std::{collections::BTreeSet, fs, path::Path};

use roz::hooks::Hook;
use serde_json::{Value, json};

use crate::{
    client::{Inside, REVIEWER, running, token_in},
    support::Roz,
};

const VERSIONS: &[&str] = &["2.1.197", "2.1.330"];

struct Recorded {
    name: String,
    bytes: Vec<u8>,
    json: Value,
}

impl Recorded {
    fn event(&self) -> &str {
        self.json["hook_event_name"].as_str().unwrap()
    }

    fn hook(&self) -> Option<Hook> {
        Hook::find(self.event())
    }

    fn session(&self) -> &str {
        self.json["session_id"].as_str().unwrap()
    }
}

fn recorded() -> Vec<Recorded> {
    let mut all = Vec::new();
    for version in VERSIONS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(version);
        let index: Value =
            serde_json::from_slice(&fs::read(folder.join("INDEX.json")).unwrap()).unwrap();
        for entry in index.as_array().unwrap() {
            let file = entry["file"].as_str().unwrap();
            let bytes = fs::read(folder.join(file)).unwrap();
            let json = serde_json::from_slice(&bytes).unwrap();
            all.push(Recorded { name: format!("{version}/{file}"), bytes, json });
        }
    }
    all
}

fn of_hook(hook: Hook) -> impl Iterator<Item = Recorded> {
    recorded().into_iter().filter(move |it| it.hook() == Some(hook))
}

#[test]
fn the_index_names_every_file_and_every_event_of_ours_was_recorded() {
    for version in VERSIONS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(version);
        let files = fs::read_dir(folder).unwrap().count() - 1;
        let all = recorded();
        let of_version: Vec<_> = all.iter().filter(|it| it.name.starts_with(version)).collect();
        assert_eq!(files, of_version.len(), "{version}");
        let events: BTreeSet<&str> = of_version.iter().map(|it| it.event()).collect();
        for hook in Hook::ALL {
            assert!(events.contains(hook.name()), "{version} has no {}", hook.name());
        }
    }
}

#[test]
fn every_payload_is_taken_as_the_event_that_it_names() {
    let inside = Inside::new("");
    for it in recorded() {
        let Some(hook) = it.hook() else { continue };
        let answer = inside.hook(hook.word(), &it.bytes);
        assert_eq!(answer.warnings, [""; 0], "{}", it.name);
        let answer = inside.hook(hook.name(), &it.bytes);
        assert_eq!(answer.warnings, [""; 0], "{}: the client's spelling", it.name);

        // The word is another event's: the payload is believed.
        let wrong = if hook == Hook::Stop { "session-end" } else { "stop" };
        let answer = inside.hook(wrong, &it.bytes);
        let [warning] = &answer.warnings[..] else { panic!("{}: {answer:?}", it.name) };
        let taken = format!("taken as `{}`", hook.name());
        assert!(warning.contains(wrong) && warning.contains(&taken), "{}: {warning}", it.name);

        // The payload does not say: the word is believed.
        let mut nameless = it.json.clone();
        nameless.as_object_mut().unwrap().remove("hook_event_name");
        let answer = inside.hook(hook.word(), nameless.to_string().as_bytes());
        assert_eq!(answer.warnings, [""; 0], "{}: without its name", it.name);
    }
}

#[test]
fn a_payload_needs_no_word_on_the_command_line() {
    let inside = Inside::new("");
    for it in recorded().into_iter().filter(|it| it.hook().is_some()) {
        let answer = inside.hook("", &it.bytes);
        assert_eq!(answer.warnings, [""; 0], "{}", it.name);
    }
}

#[test]
fn every_other_event_passes_in_silence_and_leaves_nothing_behind() {
    let inside = Inside::new("review.mode = \"always\"");
    let mut others = BTreeSet::new();
    for it in recorded().into_iter().filter(|it| it.hook().is_none()) {
        for word in [it.event(), "", "stop"] {
            let answer = inside.hook(word, &it.bytes);
            assert_eq!(answer.stdout, json!({}), "{}", it.name);
            assert_eq!(answer.warnings, [""; 0], "{}", it.name);
        }
        others.insert(it.event().to_owned());
    }
    assert!(others.len() > 10, "{others:?}");
    assert_eq!(inside.roz.session_files(), [""; 0]);
}

#[test]
fn one_payload_of_each_event_and_version_goes_through_the_front_door() {
    let roz = Roz::new();
    let mut seen = BTreeSet::new();
    for it in recorded() {
        let version = it.name.split('/').next().unwrap().to_owned();
        if !seen.insert((version, it.event().to_owned())) {
            continue;
        }
        let word = match it.hook() {
            Some(hook) => hook.word(),
            None => it.event(),
        };
        let reply = roz.raw(&["hook", word], &it.bytes);
        assert_eq!((reply.stderr.as_str(), &reply.json), ("", &json!({})), "{}", it.name);
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn a_gate_on_the_very_tool_denies_the_call() {
    let gate = |it: &Recorded| {
        let tool = it.json["tool_name"].as_str().unwrap();
        format!("review.gates.tools = [{tool:?}]\nprotect.enabled = false")
    };
    for it in of_hook(Hook::PreToolUse) {
        let inside = Inside::new(&gate(&it));
        let reply = inside.hook("pre-tool-use", &it.bytes).stdout;
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{}", it.name);

        // The hook is registered twice.
        let reply = inside.hook("pre-tool-use", &it.bytes).stdout;
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{}", it.name);
        let session = inside.roz.debug(it.session());
        assert_eq!(session["review"]["denials"], 1, "{}", it.name);
        assert_eq!(session["review"]["gate_trigger"]["tool_name"], it.json["tool_name"]);
        assert_eq!(session["cwd"], it.json["cwd"], "{}", it.name);
    }
}

#[test]
fn a_gate_on_the_very_command_denies_the_call() {
    let mut count = 0;
    for it in of_hook(Hook::PreToolUse) {
        let Some(command) = it.json["tool_input"]["command"].as_str() else { continue };
        let program = command.split_whitespace().next().unwrap().replace('[', "[[]");
        let program = program.trim_end_matches(';');
        let inside = Inside::new(&format!("review.gates.tools = ['Bash:{program}*']"));
        let reply = inside.hook("pre-tool-use", &it.bytes).stdout;
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{}", it.name);

        let inside =
            Inside::new("review.gates.tools = ['Bash:git push*']\nprotect.enabled = false");
        let reply = inside.hook("pre-tool-use", &it.bytes).stdout;
        assert_eq!(reply, json!({}), "{}: another command's gate", it.name);
        count += 1;
    }
    assert!(count > 60, "{count}");
}

#[test]
fn the_users_prompts_are_kept_and_the_clients_are_not() {
    let mut notifications = 0;
    for it in of_hook(Hook::UserPrompt) {
        let inside = Inside::new("review.mode = \"always\"");
        let prompt = it.json["prompt"].as_str().unwrap();
        assert_eq!(inside.hook("user-prompt", &it.bytes).stdout, json!({}), "{}", it.name);
        let stop = json!({ "hook_event_name": "Stop", "session_id": it.session() });
        // Nothing was written, so there is nothing to hold.
        assert_eq!(inside.send(&stop).get("decision"), None, "{}", it.name);
        if prompt.starts_with("<task-notification>") {
            assert_eq!(inside.roz.session_files(), [""; 0], "{}", it.name);
            notifications += 1;
        } else {
            let session = inside.roz.debug(it.session());
            assert_eq!(session["state"]["review"], "pending", "{}", it.name);
            assert_eq!(session["review"]["user_prompts"], json!([prompt]), "{}", it.name);
        }
    }
    assert!(notifications >= 6, "{notifications}");
}

#[test]
fn a_stop_of_an_open_review_is_held_unless_subagents_work() {
    for it in of_hook(Hook::Stop) {
        let inside = Inside::new("");
        inside.send(&json!({
            "hook_event_name": "UserPromptSubmit", "session_id": it.session(), "prompt": "#roz",
        }));
        let reply = inside.hook("stop", &it.bytes).stdout;
        let tasks = it.json["background_tasks"].as_array();
        let works = |task: &Value| task["type"] == "subagent";
        if tasks.is_some_and(|it| it.iter().any(works)) {
            assert_eq!(reply.get("decision"), None, "{}", it.name);
            assert!(reply["systemMessage"].is_string(), "{}", it.name);
        } else {
            assert_eq!(reply["decision"], "block", "{}", it.name);
        }
    }
}

#[test]
fn a_subagent_that_is_no_reviewer_is_nobody_to_us() {
    for hook in [Hook::SubagentStart, Hook::SubagentStop] {
        for it in of_hook(hook) {
            let inside = Inside::new("");
            let answer = inside.hook(hook.word(), &it.bytes);
            assert_eq!(answer.stdout, json!({}), "{}", it.name);
            assert_eq!(inside.roz.session_files(), [""; 0], "{}", it.name);
        }
    }
}

/// The recorder's own agent plays the reviewer in these; with the reviewer's
/// name in its place they are a review.
#[test]
fn the_recorded_subagent_becomes_a_reviewer_under_the_reviewers_name() {
    for version in VERSIONS {
        let named = |hook: Hook, part: &str| {
            let name = format!("{version}/{}.{part}.json", hook.name());
            let found = of_hook(hook).find(|it| it.name == name);
            found.unwrap_or_else(|| panic!("no {name}")).json
        };
        let inside = Inside::new("");
        let mut start = named(Hook::SubagentStart, "recorder-roz");
        let session = start["session_id"].clone();
        start["agent_type"] = REVIEWER.into();
        inside.send(&json!({
            "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": "#roz",
        }));

        let calls = of_hook(Hook::PreToolUse).filter(|it| it.name.starts_with(version));
        let launch = calls.map(|it| it.json).find(|it| {
            it["session_id"] == session && it["tool_input"]["subagent_type"] == "recorder:roz"
        });
        let mut launch = launch.expect("a launch was recorded");
        launch["tool_input"]["subagent_type"] = REVIEWER.into();
        let reply = inside.send(&launch);
        let input = &reply["hookSpecificOutput"]["updatedInput"];
        assert_eq!(input["description"], launch["tool_input"]["description"]);

        let told = inside.send(&start);
        let context = told["hookSpecificOutput"]["additionalContext"].as_str().expect("a token");
        assert!(token_in(context).is_some(), "{context}");

        let mut stop = named(Hook::SubagentStop, "recorder-roz");
        stop["agent_type"] = REVIEWER.into();
        assert_eq!(inside.send(&stop)["decision"], "block", "it has not decided");

        let mut stop = named(Hook::Stop, "with-background-subagent");
        stop["session_id"] = session;
        stop["background_tasks"] = json!([running(start["agent_id"].as_str().unwrap(), REVIEWER)]);
        assert_eq!(inside.send(&stop), json!({}), "the reviewer works in the background");
    }
}

#[test]
fn a_session_starts_and_ends_as_it_is_told() {
    for start in of_hook(Hook::SessionStart) {
        let inside = Inside::new("");
        assert_eq!(inside.hook("session-start", &start.bytes).stdout, json!({}), "{}", start.name);
        let mut end = of_hook(Hook::SessionEnd).next().unwrap().json;
        end["session_id"] = start.session().into();
        assert_eq!(inside.send(&end), json!({}));
        let session = inside.roz.debug(start.session());
        let trace = session["trace"].as_array().unwrap();
        assert_eq!(trace[0]["event_type"], "session_start");
        assert_eq!(trace[0]["payload"]["source"], start.json["source"], "{}", start.name);
        assert_eq!(trace[1]["event_type"], "session_end");
        assert_eq!(trace[1]["payload"]["reason"], end["reason"]);
    }
}
