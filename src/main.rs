//! The fast road for `roz hook`, which fires at every tool call and must not
//! pay for a command line parser; everything else goes to [`roz::cli`].

use std::{alloc::System, process::ExitCode};

use spinning_top::RawSpinlock;
use talc::{TalcLock, source::GlobalAllocSource};

/// musl's own allocator maps and unmaps a page for nearly every size of a
/// short-lived process: half of what a hook costs beyond its start. This one
/// takes its memory from it in large blocks.
#[global_allocator]
static ALLOCATOR: TalcLock<RawSpinlock, GlobalAllocSource<System>> =
    TalcLock::new(GlobalAllocSource::new(System));

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|it| it == "hook") {
        let word = args.next().unwrap_or_default();
        let word = word.to_string_lossy();
        if word != "--help" && word != "-h" {
            return roz::cli::hook::answer(&word);
        }
    }
    roz::cli::main()
}
