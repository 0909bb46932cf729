//! `roz learn`: what people do with learnings. The agents' own verbs (`reflect`, `skip`, `observe`,
//! `ref`) stand beside it.

pub(super) mod backends;
pub(super) mod eval;
pub(super) mod list;
pub(super) mod maintain;
pub(super) mod rate;
pub(super) mod search;
mod show;

use super::{Done, Result, input, say, stock};
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
    Archive(maintain::Archive),
    Restore(maintain::Restore),
    Due(maintain::Due),
    Stale(maintain::Stale),
    Rebuild(maintain::Rebuild),
    Backends(backends::Args),
    Eval(eval::Args),
}

pub(super) fn run(args: &Args, world: &World) -> Result {
    match &args.verb {
        Verb::List(args) => list::run(args, world),
        Verb::Show(args) => show::run(args, world),
        Verb::Search(args) => search::run(args, world),
        Verb::Rate(args) => rate::run(args, world),
        Verb::Archive(args) => maintain::archive(args, world),
        Verb::Restore(args) => maintain::restore(args, world),
        Verb::Due(args) => maintain::due(args, world),
        Verb::Stale(args) => maintain::stale(args, world),
        Verb::Rebuild(args) => maintain::rebuild(args, world),
        Verb::Backends(args) => backends::run(args, world),
        Verb::Eval(args) => eval::run(args, world),
    }
}
