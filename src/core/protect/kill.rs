//! The rule about killing the client or a running roz process.

use super::{
    Context,
    commands::{is_hidden, line, operands},
    mentions::is_word_in,
    program::base,
};
use crate::{
    core::{client_files, name_words::is_one},
    shell::Run,
};

/// The parent of a shell is the client, which runs the hooks. The line's reading keeps the
/// variable's name.
const PARENT: &str = "PPID";

pub(super) fn kills_roz(cx: Context) -> Option<String> {
    let ends = |run: &&Run| match base(run) {
        "pkill" | "killall" | "skill" | "Stop-Process" | "taskkill" => {
            names_roz(run) || names_parent(run)
        }
        "kill" => kills_all_or_parent(run),
        _ => false,
    };
    // `kill $(pgrep roz)`, `ps aux | grep claude | awk … | xargs kill`
    let finds = |run: &Run| {
        is_one("pgrep pidof ps grep awk lsof fuser", base(run)) && names_roz(run)
            || base(run) == "ps" && run.argv.iter().any(|word| word.contains("ppid"))
    };
    let kills_found = |run: &&Run| base(run) == "kill" && operands(run).any(is_hidden);
    let is_found = || {
        let lists = |run: &Run| is_one("pgrep pidof ps lsof fuser", base(run));
        cx.call.runs().any(lists) && cx.call.runs().any(finds)
    };
    let found = || cx.call.runs().find(kills_found).filter(|_| is_found());
    cx.call.runs().find(ends).or_else(found).map(line)
}

/// `kill -9 -1`, `kill -STOP $PPID`. Signal 0 only tests, and a shell may end its own process group
/// (`trap 'kill 0' EXIT`).
fn kills_all_or_parent(run: &Run) -> bool {
    let mut words = run.argv.iter().skip(1).map(String::as_str).peekable();
    let mut signal = "TERM";
    match words.peek().copied() {
        Some("-s" | "-n" | "--signal") => {
            words.next();
            signal = words.next().unwrap_or_default();
        }
        Some("-l" | "-L" | "--list" | "--table") => return false,
        Some("--" | "") | None => (),
        Some(word) => {
            if let Some(name) = word.strip_prefix("--signal=").or_else(|| word.strip_prefix('-')) {
                signal = name;
                words.next();
            }
        }
    }
    let signal = signal.trim_start_matches("SIG");
    let is_hard = is_one("9 KILL 19 STOP", signal);
    signal != "0"
        && words.any(|word| {
            word == "-1" || word.contains(PARENT) || is_hard && matches!(word, "0" | "-0")
        })
}

fn names_parent(run: &Run) -> bool {
    run.argv.iter().any(|word| word.contains(PARENT))
}

/// Whether a process pattern matches roz or the client: `pkill -f 'roz hook'`, `grep '[c]laude'`.
/// Names of the client's files do not count.
fn names_roz(run: &Run) -> bool {
    run.argv.iter().skip(1).any(|word| {
        let word = word.replace(['[', ']', '^', '$'], "");
        is_word_in(&word, "roz") || client_files::names_program(&word, is_word_in)
    })
}
