//! The JSON Schema of a candidate batch, with an example.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::{DETAIL, SUMMARY, TAGS};
use crate::core::reflection::learning::{Category, Confidence, Criterion, Scope};

/// Texts in the example that a blocked stop prints; candidates that still have them are rejected.
pub const PLACEHOLDERS: [&str; 3] = [
    "<the lesson in a line, naming the file, command or error>",
    "<why it is so, how it shows, what to do>",
    "<what it is about>",
];

/// Words for people who do not know the learning yet.
const RELEVANCE: &str = "the later work that should be shown this, as its ticket, bug report or \
                         branch would put it before anyone knows the answer: the symptom, the \
                         wish, the part of the system, other names for these; three to six short \
                         phrases, `;` between them. How something is to be done is wanted when it \
                         is asked for: `open a pull request`, `write tests`";

/// Draft 2020-12, with [`example`] in it.
pub fn schema() -> Value {
    let text = |limits: &RangeInclusive<usize>, about: &str| {
        json!({
            "type": "string",
            "minLength": limits.start(),
            "maxLength": limits.end(),
            "description": about,
        })
    };
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let scope = json!({
        "enum": Scope::ALL,
        "default": Scope::default(),
        "description": "project and team: this project; personal: yours, in every project; \
                        ephemeral: today's log, where there is one",
    });
    let confidence = json!({ "enum": Confidence::ALL, "default": Confidence::default() });
    let candidate = json!({
        "type": "object",
        "required": ["category", "summary", "detail", "criteria_met", "tags"],
        "properties": {
            "category": { "enum": Category::ALL },
            "summary": text(&SUMMARY, "the lesson in a line, naming what it is about"),
            "detail": text(&DETAIL, "why it is so, how it shows, what to do; not the summary again"),
            "scope": scope,
            "confidence": confidence,
            "criteria_met": {
                "type": "array",
                "minItems": 1,
                "items": { "enum": Criterion::ALL },
                "description": "behavior_changing: do something differently next time; \
                                decision_rationale: why it was decided so; stable_fact: true \
                                beyond this ticket; explicit_request: the user asked to keep it",
            },
            "tags": {
                "type": "array",
                "minItems": TAGS.start(),
                "maxItems": TAGS.end(),
                "items": { "type": "string", "minLength": 1 },
            },
            "context_files": texts,
            "relevance": { "type": "string", "description": RELEVANCE },
            "supersedes": { "type": "string", "description": "the id of the learning that it replaces" },
        },
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The standard input of `roz reflect`",
        "type": "object",
        "required": ["candidates"],
        "properties": {
            "session_id": { "type": "string", "description": "`--session-id` overrides it" },
            "candidates": {
                "type": "array",
                "minItems": 1,
                "items": candidate,
            },
            "learnings_used": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id"],
                    "properties": { "id": { "type": "string" }, "how": { "type": "string" } },
                },
            },
            "ratings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "useful"],
                    "properties": { "id": { "type": "string" }, "useful": { "type": "boolean" } },
                },
            },
            "notes": {
                "type": "string",
                "description": "Kept with the session (`roz debug`), no learning",
            },
        },
        "examples": [example()],
    })
}

/// A valid batch. Its texts are rejected, because they say nothing about the project.
pub fn example() -> Value {
    json!({
        "candidates": [{
            "category": "pitfall",
            "summary": "bcrypt in an async handler stalls the tokio worker; use spawn_blocking",
            "detail": "`bcrypt::verify` takes about 250 ms of CPU. Called directly in the login \
                       handler it blocked the runtime's worker thread, and unrelated requests timed \
                       out under load. `tokio::task::spawn_blocking` around it fixed that.",
            "scope": "project",
            "confidence": "high",
            "criteria_met": ["behavior_changing"],
            "tags": ["tokio", "auth", "performance"],
            "context_files": ["src/auth/login.rs"],
            "relevance": "all requests time out when many users log in; p99 spikes with the \
                          CPU mostly idle; add an endpoint that hashes or renders; a job that \
                          takes long is moved into the handler",
        }],
        "learnings_used": [],
        "ratings": [],
    })
}
