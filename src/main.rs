//! Started under the name of a gated program, roz is a shim. `roz hook` runs at every tool call, so it
//! skips the command line parser. Everything else goes to [`roz::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = roz::shim::run() {
        return code;
    }
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|it| it == "hook") {
        let word = args.next().unwrap_or_default();
        let word = word.to_string_lossy();
        if word != "--help" && word != "-h" {
            // Never returns.
            roz::cli::hook::answer(&word);
        }
    }
    roz::cli::main()
}
