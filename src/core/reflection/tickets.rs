//! Ticket systems, and what closes a ticket: a table, and the user's own rows.
//!
//! Long because the table is.
//!
//! A command is read by `shell`, so compound lines, wrappers and nested shells
//! close tickets too, and a quoted mention does not. A word that cannot be
//! known (`tissue status x $STATE`) may be the one that closes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    core::{
        bounded,
        event::ToolCall,
        pattern,
        policy::{TicketSystem, TicketingPolicy},
    },
    shell::{self, HOLE},
};

/// A ticket system that roz knows by itself.
#[derive(Debug)]
pub struct System {
    pub name: &'static str,
    /// The folder by which a project is known to use it.
    pub marker: Option<&'static str>,
    pub commands: &'static [Close],
    pub tools: &'static [ToolClose],
    /// What else closes, in words.
    by_event: Option<&'static str>,
    /// The command that prints the tickets in progress as JSON.
    pub in_progress: &'static [&'static str],
}

/// A command that closes tickets.
#[derive(Debug)]
pub struct Close {
    programs: &'static [&'static str],
    /// The words of the subcommand, each in its spellings.
    verb: &'static [&'static [&'static str]],
    /// Options that take a value.
    valued: &'static [&'static str],
    when: When,
}

/// When such a command closes.
#[derive(Debug)]
enum When {
    Always,
    /// The words behind the ticket: one of these.
    State(&'static [&'static str]),
    /// An option has one of these values.
    Option(&'static [&'static str], &'static [&'static str]),
}

/// A tool that closes tickets: a glob over its name.
#[derive(Debug)]
pub struct ToolClose {
    name: &'static str,
    /// Only where its input's `status` is one of these; empty: always.
    statuses: &'static [&'static str],
}

/// A close that a call is about to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    pub system: String,
    /// Empty where the call does not say: the system's last one.
    pub tickets: Vec<String>,
}

/// Ids of one call; nobody closes more by hand.
const MAX_TICKETS: usize = 50;
const MAX_ID: usize = 200;

const DONE: &[&str] = &["closed", "duplicate"];

/// `tasks` closes by an event of its own, `session` by a stop.
pub const SYSTEMS: &[System] = &[
    System {
        name: "tissue",
        marker: Some(".tissue"),
        commands: &[
            Close {
                programs: &["tissue"],
                verb: &[&["status"]],
                valued: &[],
                when: When::State(DONE),
            },
            Close {
                programs: &["tissue"],
                verb: &[&["edit"]],
                valued: &["--title", "--body", "--priority", "--add-tag", "--remove-tag"],
                when: When::Option(&["--status"], DONE),
            },
        ],
        tools: &[ToolClose { name: "mcp__tissue__close*", statuses: &[] }],
        by_event: None,
        in_progress: &["tissue", "list", "--status", "in_progress", "--json"],
    },
    System {
        name: "beads",
        marker: Some(".beads"),
        commands: &[
            Close {
                programs: &["bd", "beads"],
                verb: &[&["close", "done", "complete"]],
                valued: &[
                    "-r",
                    "--reason",
                    "--reason-file",
                    "-m",
                    "--message",
                    "--comment",
                    "--resolution",
                    "--session",
                ],
                when: When::Always,
            },
            Close {
                programs: &["bd", "beads"],
                verb: &[&["update"]],
                valued: &[
                    "-a",
                    "--assignee",
                    "-d",
                    "--description",
                    "--design",
                    "--notes",
                    "-p",
                    "--priority",
                    "--title",
                    "--acceptance",
                    "-t",
                    "--type",
                ],
                when: When::Option(&["-s", "--status"], &["closed"]),
            },
        ],
        tools: &[
            ToolClose { name: "mcp__*beads*__close", statuses: &[] },
            ToolClose { name: "mcp__*beads*__update", statuses: &["closed"] },
        ],
        by_event: None,
        in_progress: &["bd", "list", "--status", "in_progress", "--json"],
    },
    System {
        name: "github",
        marker: None,
        commands: &[
            Close {
                programs: &["gh"],
                verb: &[&["issue"], &["close"]],
                valued: &["-c", "--comment", "-r", "--reason", "-R", "--repo"],
                when: When::Always,
            },
            Close {
                programs: &["gh"],
                verb: &[&["pr"], &["merge", "close"]],
                valued: &[
                    "-b",
                    "--body",
                    "-F",
                    "--body-file",
                    "-t",
                    "--subject",
                    "-A",
                    "--author-email",
                    "--match-head-commit",
                    "-c",
                    "--comment",
                    "-R",
                    "--repo",
                ],
                when: When::Always,
            },
        ],
        tools: &[],
        by_event: None,
        in_progress: &[],
    },
    System {
        name: "tasks",
        marker: None,
        commands: &[],
        tools: &[],
        by_event: Some("a task of the client's that is completed"),
        in_progress: &[],
    },
    System {
        name: "session",
        marker: None,
        commands: &[],
        tools: &[],
        by_event: Some("a stop, where no other system is found"),
        in_progress: &[],
    },
];

pub fn find(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().find(|it| it.name == name)
}

/// What closes a system's tickets, a piece of text each, for people.
pub fn what_closes(policy: &TicketingPolicy, name: &str) -> Vec<String> {
    let own = own(policy, name).map(|it| it.closes.clone()).unwrap_or_default();
    let Some(system) = find(name) else { return own };
    let commands = system.commands.iter().map(ToString::to_string);
    let tools = system.tools.iter().map(ToString::to_string);
    let event = system.by_event.map(str::to_owned);
    commands.chain(tools).chain(event).chain(own).collect()
}

/// The markers of the systems that count, in order: name and marker.
pub fn markers(policy: &TicketingPolicy) -> Vec<(String, String)> {
    let marker = |name: &str| match own(policy, name) {
        Some(own) => own.marker.clone(),
        None => find(name)?.marker.map(str::to_owned),
    };
    policy.enabled().filter_map(|name| Some((name.to_owned(), marker(name)?))).collect()
}

/// The programs that close tickets of the systems that count.
pub fn programs(policy: &TicketingPolicy) -> Vec<&str> {
    let known = policy.enabled().filter_map(find).flat_map(|system| system.commands);
    let own = policy.systems.iter().filter(|it| policy.has(&it.name)).flat_map(|it| &it.closes);
    let own = own.filter_map(|it| pattern::program(it));
    known.flat_map(|close| close.programs).copied().chain(own).collect()
}

/// The command that prints a system's tickets in progress; empty: none.
pub fn in_progress(policy: &TicketingPolicy, name: &str) -> Vec<String> {
    match own(policy, name) {
        Some(own) => own.in_progress.clone(),
        None => find(name)
            .map(|it| it.in_progress.iter().map(|word| (*word).to_owned()).collect())
            .unwrap_or_default(),
    }
}

fn own<'a>(policy: &'a TicketingPolicy, name: &str) -> Option<&'a TicketSystem> {
    policy.systems.iter().find(|it| it.name == name)
}

/// What a call would close, by system. What runs where `counts` says no is about other tickets than
/// the project's: a fixture's, say.
pub fn closings(
    policy: &TicketingPolicy,
    call: &ToolCall,
    counts: impl Fn(&shell::Run) -> bool,
) -> Vec<Closing> {
    let mut found = Found { policy, closings: Vec::new() };
    // Most calls name no program of a ticket system, and pay for no more.
    if call.programs().any(|it| it.contains(HOLE) || is_program(it)) {
        let commands: Vec<Vec<&str>> =
            call.runs().filter(|run| counts(run)).map(shell::Run::words).collect();
        for system in SYSTEMS {
            for words in &commands {
                if let Some(it) = system.commands.iter().find_map(|it| it.tickets(words)) {
                    found.add(system.name, it);
                }
            }
        }
    }
    for system in SYSTEMS.iter().filter(|system| system.tools.iter().any(|it| it.closes(call))) {
        found.add(system.name, ids_of(call));
    }
    let elsewhere: Vec<String> = match policy.systems[..] {
        [] => Vec::new(),
        _ => call.runs().filter(|run| !counts(run)).flat_map(shell::Run::keys).collect(),
    };
    for system in &policy.systems {
        for pattern in &system.closes {
            let keys = call.keys().iter().filter(|key| !elsewhere.contains(key));
            for key in keys.filter(|key| pattern::matches(pattern, key)) {
                let id = star(pattern, key);
                let ids =
                    if key.starts_with("Bash:") { id.into_iter().collect() } else { ids_of(call) };
                found.add(&system.name, ids);
            }
        }
    }
    for line in call.lines_unread() {
        found.look_through(&line);
    }
    found.closings
}

fn is_program(word: &str) -> bool {
    let mut closes = SYSTEMS.iter().flat_map(|it| it.commands);
    closes.any(|it| it.programs.contains(&word))
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
        let at = self.closings.iter().position(|it| it.system == system).unwrap_or_else(|| {
            self.closings.push(Closing { system: system.to_owned(), tickets: Vec::new() });
            self.closings.len() - 1
        });
        for ticket in tickets {
            let closing = &mut self.closings[at].tickets;
            let ticket = bounded::line(&ticket, MAX_ID);
            if closing.len() < MAX_TICKETS && !closing.contains(&ticket) {
                closing.push(ticket);
            }
        }
    }

    /// Looks for closes among the words of a line that was not read to its end: what fills it up
    /// hides none.
    fn look_through(&mut self, line: &str) {
        shell::each_raw_run(line, is_program, |run| {
            let words = run.words();
            for system in SYSTEMS {
                if let Some(it) = system.commands.iter().find_map(|it| it.tickets_among(&words)) {
                    self.add(system.name, it);
                }
            }
        });
        let policy = self.policy;
        for system in &policy.systems {
            for pattern in system.closes.iter().filter(|it| it.starts_with("Bash:")) {
                let (literal, is_begun) = begins(pattern);
                let is_first = |word: &str| {
                    if is_begun { word.starts_with(literal) } else { word.contains(literal) }
                };
                shell::each_raw_run(line, is_first, |run| {
                    let mut keys = run.keys();
                    if !is_begun {
                        // What the pattern's first star stands for may be the word before.
                        keys.push(format!("Bash:{UNKNOWN} {}", run.argv.join(" ")));
                    }
                    if let Some(key) = keys.iter().find(|it| pattern::matches(pattern, it)) {
                        let id = star(pattern, key).filter(|_| is_begun);
                        self.add(&system.name, id.into_iter().collect());
                    }
                });
            }
        }
    }
}

/// Stands for a program that a pattern does not name.
const UNKNOWN: &str = "_";

/// The first text of a pattern over commands, within a word, and whether the command begins with it.
fn begins(pattern: &str) -> (&str, bool) {
    let is_glob = |it: char| "*?[]".contains(it);
    let words = pattern.strip_prefix("Bash:").unwrap_or(pattern);
    let is_begun = !words.starts_with(is_glob);
    let mut literals = words.split(|it: char| is_glob(it) || it == ' ');
    (literals.find(|it| !it.is_empty()).unwrap_or_default(), is_begun)
}

/// The word that a pattern's first star stands for.
fn star(pattern: &str, key: &str) -> Option<String> {
    let (before, _) = pattern.split_once('*')?;
    let rest = key.strip_prefix(before)?;
    let word = rest.split(' ').find(|it| !it.is_empty() && !it.starts_with('-'))?;
    known(word)
}

impl ToolClose {
    fn closes(&self, call: &ToolCall) -> bool {
        call.tool.is_mcp()
            && pattern::matches(self.name, &call.name)
            && (self.statuses.is_empty()
                || call.text("status").is_some_and(|it| {
                    self.statuses.iter().any(|status| status.eq_ignore_ascii_case(it.trim()))
                }))
    }
}

/// The tickets that a tool's input names.
fn ids_of(call: &ToolCall) -> Vec<String> {
    const FIELDS: &[&str] =
        &["id", "ids", "issue_id", "issue_ids", "ticket_id", "ticket", "issue", "number"];
    let text = |it: &serde_json::Value| match it {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let values = FIELDS.iter().filter_map(|it| call.input.get(it));
    let ids = values.flat_map(|it| match it {
        serde_json::Value::Array(items) => items.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect::<Vec<_>>(),
    });
    ids.take(MAX_TICKETS).collect()
}

impl Close {
    /// [`Self::tickets`], of words of which nobody knows where the command ends: of what stands
    /// behind its verb the first is its own.
    fn tickets_among(&self, words: &[&str]) -> Option<Vec<String>> {
        let own = self.verb.len() + 2;
        let (own, rest) = words.split_at(own.min(words.len()));
        let rest = rest.iter().filter(|it| !matches!(**it, "--help" | "-h"));
        let words: Vec<&str> = own.iter().chain(rest).copied().collect();
        let tickets = self.tickets(&words)?;
        Some(tickets.into_iter().take(1).collect())
    }

    /// The tickets that a command closes; none if it closes nothing.
    fn tickets(&self, words: &[&str]) -> Option<Vec<String>> {
        let (program, rest) = words.split_first()?;
        let is_program = self.programs.iter().any(|it| is(program, it));
        // A program that cannot be known is one where all the rest is said.
        if !is_program || program.contains(HOLE) && rest.iter().any(|it| it.contains(HOLE)) {
            return None;
        }
        let (verb, rest) = rest.split_at_checked(self.verb.len())?;
        let fits =
            self.verb.iter().zip(verb).all(|(names, it)| names.iter().any(|name| is(it, name)));
        if !fits || rest.iter().any(|it| matches!(*it, "--help" | "-h")) {
            return None;
        }
        let (options, operands) = self.split(rest);
        match &self.when {
            When::Always => Some(operands.into_iter().filter_map(known).collect()),
            When::State(states) => {
                let (ticket, state) = operands.split_first()?;
                let closes = state.iter().any(|it| states.iter().any(|state| is(it, state)));
                closes.then(|| known(ticket).into_iter().collect())
            }
            When::Option(names, values) => {
                let is_name = |name: &str| names.contains(&name);
                let closes = options.iter().any(|(name, value)| {
                    is_name(name)
                        && value.is_some_and(|it| values.iter().any(|value| is(it, value)))
                });
                closes.then(|| operands.into_iter().filter_map(known).collect())
            }
        }
    }

    /// Options with their values, and the other words.
    fn split<'a>(&self, words: &[&'a str]) -> (Vec<(&'a str, Option<&'a str>)>, Vec<&'a str>) {
        let decides: &[&str] = match &self.when {
            When::Option(names, _) => names,
            When::Always | When::State(_) => &[],
        };
        let takes = |name: &str| self.valued.contains(&name) || decides.contains(&name);
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
            } else if let Some(name) =
                word.get(..2).filter(|it| takes(it) && !word.starts_with("--"))
            {
                // `-sclosed`
                options.push((name, Some(word[2..].trim_start_matches('='))));
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
        write!(f, "{}", self.programs.join("|"))?;
        for words in self.verb {
            write!(f, " {}", words.join("|"))?;
        }
        match &self.when {
            When::Always => write!(f, " [<id>…]"),
            When::State(states) => write!(f, " <id> {}", states.join("|")),
            When::Option(names, values) => {
                write!(f, " <id> {} {}", names.join("|"), values.join("|"))
            }
        }
    }
}

impl fmt::Display for ToolClose {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)?;
        if self.statuses.is_empty() {
            return Ok(());
        }
        write!(f, " with status {}", self.statuses.join("|"))
    }
}

/// Whether a word is `name`, or may be.
fn is(word: &str, name: &str) -> bool {
    if !word.contains(HOLE) {
        return word == name;
    }
    let mut parts = word.split(HOLE);
    let (first, last) =
        (parts.next().unwrap_or_default(), word.rsplit(HOLE).next().unwrap_or_default());
    name.len() >= first.len() + last.len() && name.starts_with(first) && name.ends_with(last)
}

/// A ticket's name, if all of it is known.
fn known(word: &str) -> Option<String> {
    (!word.is_empty() && !word.contains(HOLE)).then(|| word.to_owned())
}
