//! Started under the name of a gated program, roz is a shim. `roz hook` runs at every tool call, so it
//! skips the command line parser. Everything else goes to [`roz::cli`].

use std::{env, io::IsTerminal as _, process::ExitCode};

fn main() -> ExitCode {
    if let Some(code) = roz::shim::run() {
        return code;
    }
    let args: Vec<String> =
        env::args_os().skip(1).map(|arg| arg.to_string_lossy().into()).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_piped = || !std::io::stdin().is_terminal();
    match words[..] {
        // None of these returns. Some clients start the bare program.
        [] if is_piped() => roz::cli::hook::answer_or_help(None),
        ["--client", client] if is_piped() => roz::cli::hook::answer_or_help(Some(client)),
        ["hook"] => roz::cli::hook::answer("", None),
        ["hook", word] if !word.starts_with('-') => roz::cli::hook::answer(word, None),
        ["hook", word, "--client", client] if !word.starts_with('-') => {
            roz::cli::hook::answer(word, Some(client))
        }
        _ => roz::cli::main(),
    }
}
