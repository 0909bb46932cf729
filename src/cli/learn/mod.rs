//! `roz learn`: commands for people about learnings. The commands for agents (`reflect`, `skip`,
//! `observe`, `ref`) are top-level commands.

#![expect(clippy::doc_markdown, reason = "the help shows ids")]

mod archive_and_restore;
mod backends;
mod due_for_archive;
mod eval;
mod list;
mod rate;
mod rebuild;
pub(super) mod search;
mod show;
mod stale;

use super::{Result, input, learnings, said, say};
use crate::world::World;

/// Manage what was learned: list, show, search, rate, archive
///
/// Examples:
///   roz learn show cl_20260102_abcdef
///   roz learn list --sort hit-rate --asc --limit 10
///   roz learn search "lexer panics on carriage return"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(list::Args),
    Show(show::Args),
    Search(search::Args),
    Rate(rate::Args),
    Archive(archive_and_restore::Archive),
    Restore(archive_and_restore::Restore),
    Due(due_for_archive::Args),
    /// Show learnings that name files that no longer exist
    ///
    /// Example:
    ///   roz learn stale
    #[command(verbatim_doc_comment)]
    Stale,
    /// Rebuild the caches: the index, and the sums of the log
    ///
    /// Example:
    ///   roz learn rebuild
    #[command(verbatim_doc_comment)]
    Rebuild,
    /// Show where learnings are kept, why there, and whether it answers
    ///
    /// Backends are found in the order of `backends.discovery`; `backends.use` and
    /// `backends.overrides` choose them by hand. If one does not answer, nothing is
    /// lost: what is learned meanwhile goes to the markdown file. Hooks start no
    /// server: they show its content as it was last read (`roz learn list`).
    ///
    /// Example:
    ///   roz learn backends
    #[command(verbatim_doc_comment)]
    Backends,
    Eval(eval::Args),
}

pub(super) fn run(args: &Args, world: &World) -> Result {
    match &args.verb {
        Verb::List(args) => list::run(args, world),
        Verb::Show(args) => show::run(args, world),
        Verb::Search(args) => search::run(args, world),
        Verb::Rate(args) => rate::run(args, world),
        Verb::Archive(args) => archive_and_restore::archive(args, world),
        Verb::Restore(args) => archive_and_restore::restore(&args.ids, world),
        Verb::Due(args) => due_for_archive::run(args.days, world),
        Verb::Stale => stale::run(world),
        Verb::Rebuild => rebuild::run(world),
        Verb::Backends => backends::run(world),
        Verb::Eval(args) => eval::run(args, world),
    }
}
