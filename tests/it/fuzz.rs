//! Input that nobody would think of: nothing makes a hook panic, and nothing
//! makes it say what the client does not understand.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::prelude::*;
use roz::hooks::{self, Hook};
use serde_json::{Value, json};

use crate::{client::Inside, contract};

const GATE: &str = "review.gates.tools = ['Bash:git push*', 'Write']";

/// Any JSON, not too large.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        "[ -~]{0,40}".prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(FIELDS), inner, 0..4).prop_map(|it| {
                it.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

/// Words that mean something to a gate.
const WORDS: &[&str] = &[
    "s1",
    "#roz",
    "#roz:stop",
    "#ROZ é",
    "Bash",
    "Agent",
    "Task",
    "Write",
    "Skill",
    "SendMessage",
    "CronCreate",
    "mcp__x__y",
    "roz:roz",
    "git push origin main",
    "roz decide s1 COMPLETE 'x' --token y",
    "roz context s2",
    "sh -c 'git push",
    "a1",
    "<task-notification>",
    "subagent",
    "running",
    "startup",
    "compact",
    "fork",
    "/",
    "..",
    "{{session_id}}",
];

const FIELDS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "cwd",
    "transcript_path",
    "prompt_id",
    "agent_id",
    "agent_type",
    "source",
    "prompt",
    "tool_name",
    "tool_use_id",
    "tool_input",
    "stop_hook_active",
    "background_tasks",
    "session_crons",
    "reason",
    "task_id",
    "task_subject",
    "command",
    "subagent_type",
    "to",
    "id",
    "type",
    "status",
    "skill",
    "file_path",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    /// Each case is a short session, so that fields meet states.
    #[test]
    fn no_payload_makes_a_hook_panic_or_speak_out_of_turn(
        events in prop::collection::vec(
            (prop::sample::select(&Hook::ALL[..]), prop::collection::btree_map(prop::sample::select(FIELDS), any_json(), 0..7), any::<bool>()),
            1..8,
        )
    ) {
        let inside = Inside::new(&format!("{GATE}\nreview.mode = 'always'"));
        for (hook, fields, is_sane) in events {
            let mut payload: serde_json::Map<String, Value> =
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            if is_sane {
                payload.insert("session_id".into(), "s1".into());
                payload.insert("hook_event_name".into(), hook.name().into());
            }
            // `hook` holds the answer against the client's contract.
            let bytes = Value::Object(payload).to_string();
            let answer = catch_unwind(AssertUnwindSafe(|| inside.hook(hook.word(), bytes.as_bytes())));
            prop_assert!(answer.is_ok(), "{bytes}");
        }
    }

    #[test]
    fn no_bytes_make_a_hook_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in ".{0,100}",
        cut in any::<prop::sample::Index>(),
    ) {
        let inside = Inside::new(GATE);
        let call = inside.roz.call("Bash", &json!({ "command": "git push origin main" }));
        let whole = inside.roz.payload("pre-tool-use", call).to_string().into_bytes();
        let at = cut.index(whole.len());
        let spliced = [&whole[..at], &bytes, &whole[at..]].concat();
        for stdin in [&bytes, text.as_bytes(), &whole[..at], &spliced] {
            for word in ["pre-tool-use", "stop", &text] {
                // Which event it is taken for is nobody's guess; that the
                // answer fits one of them is.
                let answer = catch_unwind(AssertUnwindSafe(|| hooks::run(hooks::Setup::of(roz::clients::ALL[0]), word, Ok(stdin.to_vec()), &inside.world())));
                let shown = String::from_utf8_lossy(stdin);
                prop_assert!(answer.is_ok(), "{word} {shown}");
                let reply = answer.unwrap().stdout;
                prop_assert!(contract::fits_any(&reply), "{word} {shown}: {reply}");
            }
        }
    }
}
