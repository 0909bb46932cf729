//! `roz learn`: what people do with learnings. The agents' own verbs (`reflect`, `skip`, `observe`,
//! `ref`) are beside it.

mod archive;
mod backends;
mod due;
mod eval;
mod list;
mod rate;
mod rebuild;
pub(super) mod search;
mod show;
mod stale;

use super::{Done, Result, say, stock};
use crate::world::World;

/// Look after what was learned: list, show, search, rate, put away
///
/// Examples:
///   roz learn show cl_20260102_abcdef
///   roz learn list --sort hit-rate --asc --limit 10
///   roz learn search "lexer panics on carriage return"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "the help shows ids")]
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
    Archive(archive::Archive),
    Restore(archive::Restore),
    Due(due::Args),
    Stale(stale::Args),
    Rebuild(rebuild::Args),
    Backends(backends::Args),
    Eval(eval::Args),
}

pub(super) fn run(args: &Args, world: &World) -> Result {
    match &args.verb {
        Verb::List(args) => list::run(args, world),
        Verb::Show(args) => show::run(args, world),
        Verb::Search(args) => search::run(args, world),
        Verb::Rate(args) => rate::run(args, world),
        Verb::Archive(args) => archive::archive(args, world),
        Verb::Restore(args) => archive::restore(args, world),
        Verb::Due(args) => due::run(args, world),
        Verb::Stale(args) => stale::run(args, world),
        Verb::Rebuild(args) => rebuild::run(args, world),
        Verb::Backends(args) => backends::run(args, world),
        Verb::Eval(args) => eval::run(args, world),
    }
}
