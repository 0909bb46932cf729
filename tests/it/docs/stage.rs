//! Where a page is played: a project under git, a home, a session. The state is kept from block to
//! block, until a page says `project`.
//!
//! A comment above a block says what happens before it, `<!-- play: prompt #roz fix it; stop -->`,
//! or one act per line. A block of `text` shows what the last act told the agent or the user.
//!
//! | act | |
//! |---|---|
//! | `project` | start again with a new project |
//! | `start [SOURCE]`, `prompt TEXT`, `stop` | an event of the client |
//! | `asks COMMAND` | the agent is about to run it |
//! | `runs COMMAND` | and it does, in a shell of its own; said is what it prints, and what a hook says |
//! | `writes PATH [TEXT]` | the agent is about to write that file |
//! | `wrote PATH [TEXT]` | and it does |
//! | `reviewer VERDICT SUMMARY [\| MESSAGE]` | a whole review |
//! | `reviewing` | a reviewer has started |
//! | `days N` | so much later |
//! | `sh COMMAND` | something outside of the session |
//! | `configure`, `declare`, `file PATH` | the block below is that file: the user's configuration, the project's intents, any |

use std::{fs, path::Path, sync::atomic::Ordering};

use serde_json::json;

use super::page::{Block, Mark};
use crate::{
    client::{SESSION, token_in},
    support::{BINARY, Ran, Reply, Roz, feed},
};

/// As pages call it.
const SHOWN_SESSION: &str = "6f0c0d0e";
const SHOWN_HOME: &str = "/home/dev";
const SECONDS_A_DAY: i64 = 24 * 60 * 60;

pub(super) struct Stage {
    roz: Roz,
    said: String,
}

impl Stage {
    pub(super) fn new() -> Self {
        let roz = Roz::new();
        let bin = roz.user_home().join("bin");
        fs::create_dir(&bin).unwrap();
        let own = Path::new(BINARY).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{}:{path}", bin.display(), own.display());
        let roz = roz.with_var("PATH", &path).with_var("COLUMNS", "80").in_git();
        Self { roz, said: String::new() }
    }

    /// What was said last, as pages write it.
    pub(super) fn said(&self) -> String {
        self.shown(&self.said)
    }

    /// The acts above a block; whether one of them took the block's text.
    pub(super) fn perform(&mut self, block: &Block, place: &str) -> bool {
        let Some(Mark::Play(acts)) = &block.mark else { return false };
        let mut took = false;
        for act in acts {
            let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
            let rest = rest.replace(SHOWN_SESSION, SESSION);
            if self.takes(verb, &rest, &block.text) {
                took = true;
            } else {
                self.act(verb, &rest, place);
            }
        }
        took
    }

    fn takes(&self, verb: &str, rest: &str, text: &str) -> bool {
        let path = match verb {
            "configure" => self.roz.home().join("config.toml"),
            "declare" => self.roz.project().join(".orchestration/active_intents.yaml"),
            "file" => self.roz.project().join(rest),
            _ => return false,
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
        true
    }

    fn act(&mut self, verb: &str, rest: &str, place: &str) {
        let roz = &self.roz;
        let (path, content) = rest.split_once(' ').unwrap_or((rest, "x"));
        let path = roz.project().join(path);
        let file = json!({ "file_path": path, "content": content });
        let reply = match verb {
            "project" => {
                *self = Self::new();
                return;
            }
            "start" => {
                let source = if rest.is_empty() { "startup" } else { rest };
                roz.hook("session-start", json!({ "source": source }))
            }
            "prompt" => roz.prompt(rest),
            "stop" => roz.stop(),
            "asks" => roz.tool("Bash", &json!({ "command": rest })),
            "runs" => {
                self.said = self.runs(rest);
                return;
            }
            "writes" => roz.tool("Write", &file),
            "wrote" => {
                let call = roz.call("Write", &file);
                let before = roz.hook("pre-tool-use", call.clone());
                assert!(!before.is_objection(), "{place}: {}", before.json);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, content).unwrap();
                let mut done = call;
                done["tool_response"] = json!({});
                roz.hook("post-tool-use", done)
            }
            "reviewer" => {
                let (verdict, words) = rest.split_once(' ').expect("a verdict and a summary");
                self.said = self.review(verdict, words);
                return;
            }
            "reviewing" => {
                roz.launch();
                roz.subagent_start("a9")
            }
            "days" => {
                roz.later(rest.parse::<i64>().expect("a number of days") * SECONDS_A_DAY);
                return;
            }
            "sh" => {
                let ran = self.shell(rest);
                assert_eq!(ran.code, Some(0), "{place}: {rest}: {ran:?}");
                self.said = ran.stdout;
                return;
            }
            other => panic!("{place}: there is no act `{other}`"),
        };
        self.said = words(&reply);
    }

    /// A Bash call of the agent, from its beginning to its end.
    fn runs(&self, command: &str) -> String {
        let call = self.roz.call("Bash", &json!({ "command": command }));
        let before = self.roz.hook("pre-tool-use", call.clone());
        if before.is_objection() {
            return words(&before);
        }
        let ran = self.shell(&format!("export CLAUDE_CODE_SESSION_ID={SESSION}\n{command}"));
        let mut done = call;
        done["tool_response"] =
            json!({ "stdout": ran.stdout, "stderr": ran.stderr, "interrupted": false });
        let after = self.roz.hook("post-tool-use", done);
        let said = [ran.stdout, ran.stderr, words(&after)];
        said.iter().filter(|it| !it.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// A reviewer starts, looks, decides and ends: what its command printed.
    fn review(&self, verdict: &str, rest: &str) -> String {
        let (summary, message) = rest.split_once(" | ").unwrap_or((rest, ""));
        let agent = format!("a{}", self.roz.calls.load(Ordering::SeqCst));
        let reviewer = self.roz.reviewer(&agent);
        reviewer.looks();
        let more: &[&str] = if message.is_empty() { &[] } else { &["--message", message] };
        let ran = reviewer.decides_with(verdict, summary, more).succeeds();
        reviewer.ends().objects_to_nothing();
        ran.stdout
    }

    /// A whole block, as a person pastes it.
    pub(super) fn run_all(&mut self, script: &str, place: &str) {
        let ran = self.shell(&format!("set -e\n{script}"));
        assert_eq!(ran.code, Some(0), "{place}: {ran:?}");
    }

    /// The block with what its commands, the lines behind a `$`, print now.
    pub(super) fn console(&mut self, text: &str) -> String {
        let mut shown = Vec::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let Some(first) = line.strip_prefix("$ ") else { continue };
            shown.push(line.to_owned());
            let mut command = first.to_owned();
            // A here-document is below its command.
            if let Some((_, end)) = first.split_once("<<") {
                let end = end.trim_matches(['\'', '"', '-', ' ']);
                for line in lines.by_ref() {
                    shown.push(line.to_owned());
                    command = command + "\n" + line;
                    if line == end {
                        break;
                    }
                }
                command.push('\n');
            }
            self.roz.later(1);
            let ran = self.shell(&command.replace(SHOWN_SESSION, SESSION));
            let told = self.shown(&format!("{}{}", ran.stdout, ran.stderr));
            shown.extend(told.trim_matches('\n').lines().map(str::to_owned));
        }
        shown.join("\n")
    }

    fn shell(&self, command: &str) -> Ran {
        Ran::of(feed(&mut self.roz.program(&["bash", "-c", command]), b""))
    }

    /// As pages write it: places, the session and tokens by the names that they
    /// have there.
    fn shown(&self, text: &str) -> String {
        let dir = self.roz.dir().canonicalize().unwrap();
        let mut text = text.to_owned();
        for dir in [dir.as_path(), self.roz.dir()] {
            let dir = dir.to_str().unwrap();
            text = text.replace(&format!("{dir}/user"), SHOWN_HOME);
            text = text.replace(dir, SHOWN_HOME);
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let mut res = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(SESSION) {
            let is_whole = !before.ends_with(is_name) && !after.starts_with(is_name);
            res += before;
            res += if is_whole { SHOWN_SESSION } else { SESSION };
            // In a table the columns behind it stay where they are.
            let longer = SHOWN_SESSION.len() - SESSION.len() - 1;
            let blanks = after.len() - after.trim_start_matches(' ').len();
            rest = &after[if is_whole && blanks > longer { longer } else { 0 }..];
        }
        let mut text = res + rest;
        while let Some(token) = token_in(&text) {
            text = text.replace(&token, "TOKEN");
        }
        text.trim_end().to_owned()
    }
}

/// All that a hook said, to whomever.
fn words(reply: &Reply) -> String {
    let specific = &reply.json["hookSpecificOutput"];
    let said = [
        &reply.json["reason"],
        &specific["permissionDecisionReason"],
        &specific["additionalContext"],
        &reply.json["systemMessage"],
    ];
    said.iter().filter_map(|it| it.as_str()).collect::<Vec<_>>().join("\n")
}
