//! One binary that governs a coding agent through its client's hooks.
//!
//! The client (Claude Code) starts `roz hook` as a new process at every
//! event, passes it a JSON object on stdin and obeys the JSON object that it
//! prints. In between, the gates judge the event:
//!
//! ```text
//! stdin ─► parse ─► load ─► gather facts ─► decide ─► save ─► reply ─► stdout
//!         clients  storage  hooks::gather   core      storage  clients
//! ```
//!
//! | module | what it is for |
//! |---|---|
//! | [`core`] | decides what an event means: pure functions of a session, an event, a policy and facts |
//! | [`shell`] | what a command line runs, writes and reads: pure, a leaf |
//! | [`outline`] | definitions in source text, and their tokens: pure, a leaf |
//! | [`hooks`] | one hook call: load, gather, decide, save, reply; the only place that fails open |
//! | [`clients`] | what differs between agents: the JSON in and out, tool names; pure |
//! | [`shim`] | replaces a gated program: judges the real argv, and becomes the program |
//! | [`storage`] | sessions and their traces, between one hook and the next |
//! | [`memory`] | learnings, in the backends that a project has |
//! | [`usage_log`] | how learnings were used, across sessions |
//! | [`sidecar`] | a project's declared intents: read, changed line by line, and where paths lead |
//! | [`ledger`] | which change was made for which intent: chained records, committed with the project |
//! | [`config`] | which configuration applies, who may set what, what is wrong with it |
//! | [`template`] | turns notices into words |
//! | [`observe`] | the work in a repository, compared with what was approved |
//! | [`open`] | what every command works on: home, configuration, sessions |
//! | [`plugin`] | the client's plugin: its files, and the client's own commands for it |
//! | [`cli`] | the command line, one file per command |
//! | [`world`] | the only access to clock, random numbers, environment, git and processes |
//!
//! ```text
//! main ─► shim ──────────► hooks
//!     └─► cli ─► plugin ─► hooks ─► open ─┬─► storage   ─┐
//!                                         ├─► memory    ─┤
//!                                         ├─► usage_log ─┤  (on storage)
//!                                         ├─► sidecar, clients ─┤
//!                                         ├─► ledger    ─┤  (on storage)
//!                                         ├─► config    ─┤
//!                                         ├─► observe   ─┼─► core ─► shell, outline
//!                                         └─► template  ─┘   world
//! ```
//!
//! Arrows are imports; a module may also import anything further along the arrows.
//! `tests/it/tidy.rs` checks this.
//!
//! Invariants:
//!
//! - A decision is never softened: once a gate has objected, no later
//!   error turns that into a pass. Everything else fails open, in [`hooks::run`]
//!   and nowhere else.
//! - `roz` never says `allow`: without an objection it is silent, and the user's own
//!   permissions apply.
//! - Nothing is approved without a launch, a token and a permit, or a person at
//!   a terminal: see [`core::review::authorization`].
//! - A hook that changes nothing writes nothing, and its cost does not grow
//!   with the session, with other sessions or with time.

pub mod cli;
pub mod clients;
pub mod config;
pub mod core;
pub mod hooks;
pub mod ledger;
pub mod memory;
pub mod observe;
pub mod open;
pub mod outline;
pub mod plugin;
pub mod shell;
pub mod shim;
pub mod sidecar;
pub mod storage;
pub mod template;
pub mod usage_log;
pub mod world;
