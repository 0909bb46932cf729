//! Many hooks at once, and hooks that are killed: every update and every trace
//! event is kept, nothing counts twice, no gate opens.

#![expect(clippy::print_stdout, reason = "a failure shows the seed that it comes from")]

use std::{
    collections::BTreeSet,
    fs,
    process::{Child, Output},
    thread,
    time::{Duration, Instant},
};

use roz::hooks::Hook;
use serde_json::{Value, json};

use crate::{
    client::{REVIEWER, SESSION, running, token_in},
    contract,
    support::{Roz, give, start},
};

const AT_ONCE: usize = 64;

/// As patient as it may be: these tests are about what is kept, not about how
/// long it takes on a machine that has other things to do.
const PATIENT: &str = "
    hooks.deadline_ms = 9000
    review.gates.max_denials = 1000
    circuit_breaker.max_blocks = 1000
    trace.max_events = 10000
";

fn patient() -> Roz {
    patient_with("")
}

fn patient_with(config: &str) -> Roz {
    Roz::gated(&format!("{config}{PATIENT}")).in_real_time()
}

/// An event on its way: its word and its payload.
type Sent = (&'static str, Value);

/// Starts a hook for each event, lets all of them go at once, and answers what
/// each replied.
#[track_caller]
fn at_once(roz: &Roz, events: &[Sent]) -> Vec<Value> {
    let start = |(word, _): &Sent| start(&mut roz.command(&["hook", word]));
    let mut children: Vec<Child> = events.iter().map(start).collect();
    for (child, (_, payload)) in children.iter_mut().zip(events) {
        give(child, payload.to_string().as_bytes());
    }
    let outputs: Vec<Output> =
        children.into_iter().map(|it| it.wait_with_output().unwrap()).collect();
    let replies = outputs.iter().zip(events).map(|(output, (word, _))| {
        assert!(output.stderr.is_empty(), "{word}: {}", String::from_utf8_lossy(&output.stderr));
        contract::check(Hook::find(word), output)
    });
    replies.collect()
}

/// The whole trace, whose numbers have to rise one by one.
#[track_caller]
fn whole_trace(roz: &Roz) -> Vec<Value> {
    let trace = roz.debug(SESSION)["trace"].as_array().unwrap().clone();
    let numbers: Vec<u64> = trace.iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected, "the numbers have a gap");
    trace
}

/// The values of `key` in the payloads of the events of that type.
fn told(trace: &[Value], event_type: &str, key: &str) -> Vec<String> {
    let events = trace.iter().filter(|it| it["event_type"] == event_type);
    let mut found: Vec<String> =
        events.filter_map(|it| Some(it["payload"][key].as_str()?.to_owned())).collect();
    found.sort();
    found
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|it| format!("{prefix}{it:02}")).collect()
}

fn gated_call(id: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": "git push" }, "tool_use_id": id })
}

#[test]
fn of_64_mixed_hooks_at_once_every_update_and_every_event_is_kept() {
    let roz = patient_with("review.parallel = true\n");
    roz.requests("#roz");
    let old: Vec<String> = names("old", 8);
    let new: Vec<String> = names("new", 8);
    for agent in &old {
        roz.reviewer(agent);
    }
    for _ in &new {
        roz.launch();
    }
    // Of a stop's reviewers none is missing, so it holds and frees nobody.
    let all: Vec<Value> = old.iter().chain(&new).map(|it| running(it, REVIEWER)).collect();

    let (pushes, prompts) = (names("push", 16), names("prompt ", 12));
    let mut events: Vec<Sent> = Vec::new();
    for id in &pushes {
        events.push(("pre-tool-use", roz.payload("pre-tool-use", gated_call(id))));
    }
    for text in &prompts {
        let more = json!({ "prompt": text, "prompt_id": text });
        events.push(("user-prompt", roz.payload("user-prompt", more)));
    }
    for id in names("read", 8) {
        let more = json!({ "tool_name": "Read", "tool_input": {}, "tool_use_id": id });
        events.push(("pre-tool-use", roz.payload("pre-tool-use", more.clone())));
    }
    for id in names("done", 4) {
        let more = json!({ "tool_name": "Read", "tool_input": {}, "tool_use_id": id });
        events.push(("post-tool-use", roz.payload("post-tool-use", more)));
    }
    for text in names("said ", 8) {
        let more = json!({ "stop_hook_active": false, "last_assistant_message": text, "background_tasks": all });
        events.push(("stop", roz.payload("stop", more)));
    }
    for agent in &new {
        let more = json!({ "agent_id": agent, "agent_type": REVIEWER });
        events.push(("subagent-start", roz.payload("subagent-start", more)));
    }
    for agent in &old {
        let more = json!({ "agent_id": agent, "agent_type": REVIEWER, "stop_hook_active": false });
        events.push(("subagent-stop", roz.payload("subagent-stop", more)));
    }
    assert_eq!(events.len(), AT_ONCE);
    // Mixed, and the same in each run.
    events.sort_by_key(|(_, it)| {
        roz::core::bounded::sha256(
            it.to_string().replace(roz.dir().to_str().unwrap(), "").as_bytes(),
        )
    });

    let before = whole_trace(&roz).len();
    let replies = at_once(&roz, &events);
    let mut tokens = BTreeSet::new();
    for ((word, payload), reply) in events.iter().zip(&replies) {
        let specific = &reply["hookSpecificOutput"];
        match *word {
            "pre-tool-use" if payload["tool_name"] == "Bash" => {
                assert_eq!(specific["permissionDecision"], "deny", "{reply}");
            }
            "subagent-start" => {
                let told = specific["additionalContext"].as_str().expect("a context");
                tokens.insert(token_in(told).expect("a token"));
            }
            "subagent-stop" => assert_eq!(reply["decision"], "block", "{reply}"),
            _ => assert_eq!(*reply, json!({}), "{word}"),
        }
    }
    assert_eq!(tokens.len(), new.len(), "each reviewer has a token of its own");

    let trace = whole_trace(&roz);
    assert_eq!(told(&trace, "gate_blocked", "tool_use_id"), pushes);
    let mut heard = prompts.clone();
    heard.push("#roz".into());
    heard.sort();
    assert_eq!(told(&trace, "prompt_received", "prompt"), heard);
    assert_eq!(told(&trace, "stop_hook_called", "answer").len(), 8);
    assert_eq!(told(&trace, "reviewer_started", "agent_id"), [new.clone(), old.clone()].concat());
    assert_eq!(told(&trace, "reviewer_held", "agent_id"), old);
    assert_eq!(trace.len() - before, 16 + 12 + 8 + 8 + 8, "and nothing else");

    let session = roz.debug(SESSION);
    assert_eq!(session["review"]["denials"], 16);
    let kept: BTreeSet<String> =
        serde_json::from_value(session["review"]["user_prompts"].clone()).unwrap();
    assert_eq!(kept, heard.into_iter().collect());
    assert_eq!(session["review"]["reviewers"].as_object().unwrap().len(), 16);
    assert_eq!(roz.session_files(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn of_64_hooks_at_once_that_begin_a_session_every_one_is_kept() {
    let roz = patient();
    let ids = names("push", AT_ONCE);
    let events: Vec<Sent> = ids
        .iter()
        .map(|id| ("pre-tool-use", roz.payload("pre-tool-use", gated_call(id))))
        .collect();
    for reply in at_once(&roz, &events) {
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
    }
    assert_eq!(told(&whole_trace(&roz), "gate_blocked", "tool_use_id"), ids);
    let review = &roz.debug(SESSION)["review"];
    assert_eq!((&review["denials"], &review["cycle"]), (&json!(AT_ONCE), &json!(1)));
}

#[test]
fn an_event_that_arrives_64_times_at_once_counts_once() {
    let roz = patient();
    let call = ("pre-tool-use", roz.payload("pre-tool-use", gated_call("t1")));
    for reply in at_once(&roz, &vec![call; AT_ONCE]) {
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
    }
    assert_eq!(roz.debug(SESSION)["review"]["denials"], 1);

    let prompt = json!({ "prompt": "#roz", "prompt_id": "p1" });
    let prompt = ("user-prompt", roz.payload("user-prompt", prompt));
    at_once(&roz, &vec![prompt; AT_ONCE]);
    let review = roz.debug(SESSION)["review"].clone();
    assert_eq!(review["user_prompts"], json!(["#roz"]));
    assert_eq!(review["cycle"], 2);

    let launch = json!({
        "tool_name": "Agent", "tool_use_id": "t2",
        "tool_input": { "subagent_type": REVIEWER, "prompt": "x" },
    });
    let launch = ("pre-tool-use", roz.payload("pre-tool-use", launch));
    at_once(&roz, &vec![launch; AT_ONCE]);
    assert!(token_in(&roz.subagent_start("a1").context()).is_some());
    assert_eq!(token_in(&roz.subagent_start("a2").context()), None, "one launch, one reviewer");
}

#[test]
fn a_stop_that_arrives_64_times_at_once_is_one_block() {
    let roz = patient();
    roz.requests("#roz");
    let stop = json!({ "stop_hook_active": false, "background_tasks": [] });
    let stop = ("stop", roz.payload("stop", stop));
    let replies = at_once(&roz, &vec![stop; AT_ONCE]);
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:?}");
    assert_eq!(replies[0]["decision"], "block");
    assert_eq!(roz.debug(SESSION)["review"]["block_count"], 1);
    assert_eq!(told(&whole_trace(&roz), "stop_hook_called", "answer").len(), 1);
}

#[test]
fn a_prompt_without_a_number_that_arrives_64_times_at_once_opens_one_review() {
    let roz = patient();
    let mut prompt = roz.payload("user-prompt", json!({ "prompt": "#roz look" }));
    prompt.as_object_mut().unwrap().remove("prompt_id");
    at_once(&roz, &vec![("user-prompt", prompt); AT_ONCE]);
    let review = roz.debug(SESSION)["review"].clone();
    assert_eq!((&review["cycle"], &review["user_prompts"]), (&json!(1), &json!(["#roz look"])));
}

#[test]
fn one_approval_of_scope_tool_serves_one_of_64_calls_at_once() {
    let roz =
        Roz::gated(&format!("{PATIENT}\nreview.gates.approval_scope = 'tool'")).in_real_time();
    roz.push().denies();
    roz.reviewed("COMPLETE", "fine");
    let ids = names("push", AT_ONCE);
    let events: Vec<Sent> = ids
        .iter()
        .map(|id| ("pre-tool-use", roz.payload("pre-tool-use", gated_call(id))))
        .collect();
    let replies = at_once(&roz, &events);
    assert_eq!(replies.iter().filter(|it| **it == json!({})).count(), 1);
    assert_eq!(told(&whole_trace(&roz), "gate_allowed", "tool_use_id").len(), 1);
}

/// Numbers that look random and are the same in each run.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: u64) -> u64 {
        // Knuth's MMIX generator; the high bits are the good ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_hook_that_is_killed_at_any_moment_leaves_a_whole_session() {
    const KILLS: usize = 200;
    const SEED: u64 = 0x5eed;
    println!("seed: {SEED:#x}");
    let mut seeded = Seeded(SEED);
    let roz = patient();
    roz.requests("#roz");
    let event = |at: usize| -> Sent {
        match at % 4 {
            0 => {
                let more = json!({ "prompt": format!("prompt {at:03}"), "prompt_id": format!("k{at:03}") });
                ("user-prompt", roz.payload("user-prompt", more))
            }
            1 | 2 => {
                ("pre-tool-use", roz.payload("pre-tool-use", gated_call(&format!("push{at:03}"))))
            }
            _ => ("stop", roz.payload("stop", json!({ "background_tasks": [] }))),
        }
    };
    // How long one takes that nobody kills: the kills are spread over that.
    let begun = Instant::now();
    for at in 0..4 {
        at_once(&roz, &[event(at)]);
    }
    let whole = u64::try_from(begun.elapsed().as_micros()).unwrap() / 4;

    let mut answered = Vec::new();
    let mut killed = 0;
    let mut newest = 0;
    for at in 4..4 + KILLS {
        let (word, payload) = event(at);
        let mut child = start(&mut roz.command(&["hook", word]));
        give(&mut child, payload.to_string().as_bytes());
        // The moment is the point of it: nothing is waited for here.
        thread::sleep(Duration::from_micros(seeded.below(whole + whole / 4)));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        if output.status.success() {
            contract::check(Hook::find(word), &output);
            answered.push((word, payload));
        } else {
            killed += 1;
        }
        let text = fs::read(roz.sessions().join("s1.json")).unwrap();
        let session: Value = serde_json::from_slice(&text).expect("a session, not half of one");
        let seq = session["trace"]["seq"].as_u64().unwrap();
        assert!(newest <= seq, "kill {at}: {newest} events became {seq}");
        newest = seq;
        if at % 8 == 0 {
            roz.debug(SESSION);
        }
        let files = roz.session_files();
        assert!(files.len() <= 4, "kill {at}: {files:?}");
    }
    println!("{killed} of {KILLS} were killed before they had answered");
    assert!(killed > 0, "nothing was killed");

    // What was answered has happened, and is in the trace.
    let trace = whole_trace(&roz);
    let (pushes, prompts) =
        (told(&trace, "gate_blocked", "tool_use_id"), told(&trace, "prompt_received", "prompt"));
    for (word, payload) in &answered {
        let is_kept = match *word {
            "pre-tool-use" => pushes.iter().any(|it| payload["tool_use_id"] == **it),
            "user-prompt" => prompts.iter().any(|it| payload["prompt"] == **it),
            _ => true,
        };
        assert!(is_kept, "lost: {payload}");
    }
    roz.push().denies();
    roz.run(&["clean"]).succeeds();
    assert_eq!(roz.session_files(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn a_decision_that_is_killed_at_any_moment_was_made_or_was_not() {
    const SEED: u64 = 0x00de_c1de;
    println!("seed: {SEED:#x}");
    let mut seeded = Seeded(SEED);
    let roz = patient();
    for round in 0..16 {
        roz.prompt("#roz:stop").objects_to_nothing();
        roz.requests(&format!("#roz {round}"));
        let reviewer = roz.reviewer(&format!("a{round}"));
        reviewer.bash("roz decide s1 COMPLETE fine --token x").passes();
        let decide = ["decide", SESSION, "COMPLETE", "fine", "--token", &reviewer.token];
        let mut child = start(&mut roz.command(&decide));
        thread::sleep(Duration::from_micros(seeded.below(15_000)));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        let state = roz.state();
        let was_told = String::from_utf8_lossy(&output.stdout).contains("COMPLETE");
        assert!(state == "approved" || (state == "reviewing" && !was_told), "{state}: {output:?}");
        assert_eq!(roz.push().is_objection(), state != "approved");
    }
    assert!(roz.session_files().len() <= 4);
}
