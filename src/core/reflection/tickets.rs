//! Ticket systems, and how calls close tickets: a table, and the user's own systems.
//!
//! `shell` parses commands, so compound lines, wrappers and nested shells count, and quoted
//! mentions do not. An unknown word (`tissue status x $STATE`) may be the closing one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    core::{
        bounded,
        event::ToolCall,
        policy::{TicketSystem, TicketingPolicy},
        tool_pattern,
    },
    shell::{self, HOLE},
};

/// In its texts, `|` separates spellings.
#[derive(Debug)]
pub struct System {
    pub name: &'static str,
    /// A project with this folder uses the system.
    pub marker: Option<&'static str>,
    commands: &'static [Close],
    tools: &'static [ToolClose],
    by_event: Option<&'static str>,
    in_progress: &'static str,
}

#[derive(Debug)]
struct Close {
    command: &'static str,
    valued: &'static str,
    when: When,
}

#[derive(Debug)]
enum When {
    Always,
    State(&'static str),
    /// (option, values)
    Option(&'static str, &'static str),
}

#[derive(Debug)]
struct ToolClose {
    name: &'static str,
    /// Only with this `status` in its input.
    status: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    pub system: String,
    /// Empty if the call does not say: the system's last ticket.
    pub tickets: Vec<String>,
}

/// Per call; nobody closes more by hand.
const MAX_TICKETS: usize = 50;
const MAX_ID: usize = 200;

const NONE: System =
    System { name: "", marker: None, commands: &[], tools: &[], by_event: None, in_progress: "" };

/// `tasks` close through their own event, `session` at a stop.
pub const SYSTEMS: &[System] = &[
    System {
        name: "tissue",
        marker: Some(".tissue"),
        commands: &[
            Close { command: "tissue status", valued: "", when: When::State("closed|duplicate") },
            Close {
                command: "tissue edit",
                valued: "--title --body --priority --add-tag --remove-tag",
                when: When::Option("--status", "closed|duplicate"),
            },
        ],
        tools: &[ToolClose { name: "mcp__tissue__close*", status: None }],
        in_progress: "tissue list --status in_progress --json",
        ..NONE
    },
    System {
        name: "beads",
        marker: Some(".beads"),
        commands: &[
            Close {
                command: "bd|beads close|done|complete",
                valued: "-r --reason --reason-file -m --message --comment --resolution --session",
                when: When::Always,
            },
            Close {
                command: "bd|beads update",
                valued: "-a --assignee -d --description --design --notes -p --priority --title \
                         --acceptance -t --type",
                when: When::Option("-s|--status", "closed"),
            },
        ],
        tools: &[
            ToolClose { name: "mcp__*beads*__close", status: None },
            ToolClose { name: "mcp__*beads*__update", status: Some("closed") },
        ],
        in_progress: "bd list --status in_progress --json",
        ..NONE
    },
    System {
        name: "github",
        commands: &[
            Close {
                command: "gh issue close",
                valued: "-c --comment -r --reason -R --repo",
                when: When::Always,
            },
            Close {
                command: "gh pr merge|close",
                valued: "-b --body -F --body-file -t --subject -A --author-email \
                         --match-head-commit -c --comment -R --repo",
                when: When::Always,
            },
        ],
        ..NONE
    },
    System { name: "tasks", by_event: Some("a task of the client's that is completed"), ..NONE },
    System { name: "session", by_event: Some("a stop, where no other system is found"), ..NONE },
];

pub fn find(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().find(|system| system.name == name)
}

/// A list of short texts for people.
pub fn what_closes(policy: &TicketingPolicy, name: &str) -> Vec<String> {
    let own =
        own(policy, name).map(|ticket_system| ticket_system.closes.clone()).unwrap_or_default();
    let Some(system) = find(name) else { return own };
    let commands = system.commands.iter().map(ToString::to_string);
    let tools = system.tools.iter().map(ToString::to_string);
    let event = system.by_event.map(str::to_owned);
    commands.chain(tools).chain(event).chain(own).collect()
}

/// Globs over tool keys of what closes a ticket. A tool that closes by its `status` has none.
pub fn patterns(policy: &TicketingPolicy, name: &str) -> Vec<String> {
    let own = own(policy, name).into_iter().flat_map(|own| own.closes.clone());
    let system = find(name).unwrap_or(&NONE);
    let tools = system.tools.iter().filter(|tool| tool.status.is_none());
    let tools = tools.map(|tool| tool.name.to_owned());
    system.commands.iter().flat_map(Close::patterns).chain(tools).chain(own).collect()
}

/// (name, marker), in order.
pub fn markers(policy: &TicketingPolicy) -> Vec<(String, String)> {
    let marker = |name: &str| match own(policy, name) {
        Some(own) => own.marker.clone(),
        None => find(name)?.marker.map(str::to_owned),
    };
    policy.enabled().filter_map(|name| Some((name.to_owned(), marker(name)?))).collect()
}

pub fn programs(policy: &TicketingPolicy) -> Vec<&str> {
    let known = policy.enabled().filter_map(find).flat_map(|system| system.commands);
    let own = policy
        .systems
        .iter()
        .filter(|system| policy.has(&system.name))
        .flat_map(|system| &system.closes);
    let own = own.filter_map(|text| tool_pattern::program(text));
    let mut all: Vec<&str> = known.flat_map(Close::programs).collect();
    all.extend(own);
    all
}

/// Empty: there is no such command.
pub fn in_progress(policy: &TicketingPolicy, name: &str) -> Vec<String> {
    if let Some(own) = own(policy, name) {
        return own.in_progress.clone();
    }
    let words = find(name).map_or("", |system| system.in_progress).split_whitespace();
    words.map(str::to_owned).collect()
}

fn own<'a>(policy: &'a TicketingPolicy, name: &str) -> Option<&'a TicketSystem> {
    policy.systems.iter().find(|system| system.name == name)
}

/// By system. Commands that run where `counts` is false, such as in a fixture, concern other
/// tickets.
pub fn closings(
    policy: &TicketingPolicy,
    call: &ToolCall,
    counts: impl Fn(&shell::Run) -> bool,
) -> Vec<Closing> {
    let mut found = Found { policy, closings: Vec::new() };
    // Most calls name no ticket program and end here.
    if call.programs().any(|program| program.contains(HOLE) || is_program(program)) {
        let commands: Vec<Vec<&str>> =
            call.runs().filter(|run| counts(run)).map(shell::Run::words).collect();
        for system in SYSTEMS {
            for words in &commands {
                if let Some(command) =
                    system.commands.iter().find_map(|command| command.tickets(words))
                {
                    found.add(system.name, command);
                }
            }
        }
    }
    for system in SYSTEMS.iter().filter(|system| system.tools.iter().any(|tool| tool.closes(call)))
    {
        found.add(system.name, ids_of(call));
    }
    let elsewhere: Vec<String> = match policy.systems[..] {
        [] => Vec::new(),
        _ => call.runs().filter(|run| !counts(run)).flat_map(shell::Run::keys).collect(),
    };
    for system in &policy.systems {
        for pattern in &system.closes {
            let keys = call.keys().iter().filter(|key| !elsewhere.contains(key));
            for key in keys.filter(|key| tool_pattern::matches(pattern, key)) {
                let id = star(pattern, key);
                let ids =
                    if key.starts_with("Bash:") { id.into_iter().collect() } else { ids_of(call) };
                found.add(&system.name, ids);
            }
        }
    }
    found.closings
}

fn is_program(word: &str) -> bool {
    let mut closes = SYSTEMS.iter().flat_map(|system| system.commands);
    closes.any(|close| close.programs().any(|program| program == word))
}

struct Found<'a> {
    policy: &'a TicketingPolicy,
    closings: Vec<Closing>,
}

impl Found<'_> {
    fn add(&mut self, system: &str, tickets: Vec<String>) {
        if !self.policy.has(system) {
            return;
        }
        let at = self.closings.iter().position(|closing| closing.system == system).unwrap_or_else(
            || {
                self.closings.push(Closing { system: system.to_owned(), tickets: Vec::new() });
                self.closings.len() - 1
            },
        );
        for ticket in tickets {
            let closing = &mut self.closings[at].tickets;
            let ticket = bounded::line(&ticket, MAX_ID);
            if closing.len() < MAX_TICKETS && !closing.contains(&ticket) {
                closing.push(ticket);
            }
        }
    }
}

/// The word that the first star of a pattern matches.
fn star(pattern: &str, key: &str) -> Option<String> {
    let (before, _) = pattern.split_once('*')?;
    let rest = key.strip_prefix(before)?;
    let word = rest.split(' ').find(|part| !part.is_empty() && !part.starts_with('-'))?;
    known(word)
}

impl ToolClose {
    fn closes(&self, call: &ToolCall) -> bool {
        call.tool.is_mcp()
            && tool_pattern::matches(self.name, &call.name)
            && self.status.is_none_or(|status| {
                call.text("status").is_some_and(|text| text.trim().eq_ignore_ascii_case(status))
            })
    }
}

fn ids_of(call: &ToolCall) -> Vec<String> {
    const FIELDS: &[&str] =
        &["id", "ids", "issue_id", "issue_ids", "ticket_id", "ticket", "issue", "number"];
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let values = FIELDS.iter().filter_map(|text| call.input.get(text));
    let ids = values.flat_map(|value| match value {
        serde_json::Value::Array(items) => items.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect::<Vec<_>>(),
    });
    ids.take(MAX_TICKETS).collect()
}

impl Close {
    fn programs(&self) -> impl Iterator<Item = &'static str> {
        self.command.split(' ').next().unwrap_or_default().split('|')
    }

    fn patterns(&self) -> Vec<String> {
        let (id, names, gap, values) = match self.when {
            When::Always => ("", "", "", ""),
            When::State(states) => (" *", "", " ", states),
            When::Option(names, values) => (" *", names, "?", values),
        };
        let words = self.command.split(' ').zip([":", " ", " "]);
        let words = words.chain([(names, id), (values, gap), ("", "*")]);
        words.fold(vec!["Bash".to_owned()], |begun, (names, gap)| {
            let each = |name| begun.iter().map(move |start| format!("{start}{gap}{name}"));
            names.split('|').flat_map(each).collect()
        })
    }

    /// `None` if the command closes nothing.
    fn tickets(&self, words: &[&str]) -> Option<Vec<String>> {
        let program = words.first()?;
        // An unknown program closes only if all other words are known.
        if program.contains(HOLE) && words[1..].iter().any(|word| word.contains(HOLE)) {
            return None;
        }
        let spelt: Vec<&str> = self.command.split(' ').collect();
        let (command, rest) = words.split_at_checked(spelt.len())?;
        let fits = spelt.iter().zip(command).all(|(names, word)| is_one_of(word, names));
        if !fits || rest.iter().any(|word| matches!(*word, "--help" | "-h")) {
            return None;
        }
        let (options, operands) = self.split(rest);
        match &self.when {
            When::Always => Some(operands.into_iter().filter_map(known).collect()),
            When::State(states) => {
                let (ticket, state) = operands.split_first()?;
                let closes = state.iter().any(|word| is_one_of(word, states));
                closes.then(|| known(ticket).into_iter().collect())
            }
            When::Option(names, values) => {
                let closes = options.iter().any(|(name, value)| {
                    names.split('|').any(|known| known == *name)
                        && value.is_some_and(|value| is_one_of(value, values))
                });
                closes.then(|| operands.into_iter().filter_map(known).collect())
            }
        }
    }

    fn split<'a>(&self, words: &[&'a str]) -> (Vec<(&'a str, Option<&'a str>)>, Vec<&'a str>) {
        let deciding = match self.when {
            When::Option(names, _) => names,
            When::Always | When::State(_) => "",
        };
        let takes = |name: &str| {
            deciding.split('|').chain(self.valued.split(' ')).any(|option| option == name)
        };
        let (mut options, mut operands) = (Vec::new(), Vec::new());
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                operands.extend(words.by_ref());
            } else if let Some((name, value)) =
                word.split_once('=').filter(|_| word.starts_with("--"))
            {
                options.push((name, Some(value)));
            } else if takes(word) {
                options.push((word, words.next()));
            } else if word.starts_with('-') && word.len() > 1 {
                options.push((word, None));
            } else {
                operands.push(word);
            }
        }
        (options, operands)
    }
}

impl fmt::Display for Close {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.when {
            When::Always => write!(f, "{} [<id>…]", self.command),
            When::State(states) => write!(f, "{} <id> {states}", self.command),
            When::Option(names, values) => write!(f, "{} <id> {names} {values}", self.command),
        }
    }
}

impl fmt::Display for ToolClose {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)?;
        self.status.map_or(Ok(()), |status| write!(f, " with status {status}"))
    }
}

/// Whether a word is, or may be, one of `names`.
fn is_one_of(word: &str, names: &str) -> bool {
    let mut parts = word.split(HOLE);
    let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
    names.split('|').any(|name| match last {
        None => name == word,
        Some(last) => {
            name.len() >= first.len() + last.len()
                && name.starts_with(first)
                && name.ends_with(last)
        }
    })
}

/// `None` if the name has unknown parts.
fn known(word: &str) -> Option<String> {
    (!word.is_empty() && !word.contains(HOLE)).then(|| word.to_owned())
}
