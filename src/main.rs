//! Under the name of a gated program it is a shim. The fast road for `roz hook`, which fires at
//! every tool call and must not pay for a command line parser; everything else goes to [`roz::cli`].

use std::process::ExitCode;

use roz_heap::Heap;

/// musl's own allocator maps and unmaps a page for nearly every size of a short-lived process: half
/// of what a hook costs beyond its start.
#[global_allocator]
static HEAP: Heap = Heap;

/// What the least of the hooks uses of them, in bytes. (A long line is a hundredth sooner answered by
/// it, a short one as much later.)
const PAGES_OF_HEAP: usize = 6 * 4096;
const PAGES_OF_STACK: usize = 6 * 4096;

fn main() -> ExitCode {
    if let Some(code) = roz::shim::run() {
        return code;
    }
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|it| it == "hook") {
        let word = args.next().unwrap_or_default();
        let word = word.to_string_lossy();
        if word != "--help" && word != "-h" {
            roz_heap::ask_ahead(PAGES_OF_HEAP, PAGES_OF_STACK);
            return roz::cli::hook::answer(&word);
        }
    }
    roz::cli::main()
}
