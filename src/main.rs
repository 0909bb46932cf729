//! Under the name of a gated program it is a shim. The fast road for `roz hook`, which fires at
//! every tool call and must not pay for a command line parser; everything else goes to [`roz::cli`].

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
            roz::cli::hook::answer(&word);
        }
    }
    roz::cli::main()
}
