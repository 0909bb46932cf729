//! Paths that code of another language is handed: the code asks for an argument,
//! and the path stands among the words of who runs it.

use super::{
    changing::may_change,
    commands::base,
    is_in,
    touch::{Act, is_telling},
};
use crate::shell::{Code, How, Reading};

/// Paths that code of another language is handed, by its arguments or its
/// environment, where it changes files: which ones, it does not say.
pub(super) fn handed(reading: &Reading, add: &mut impl FnMut(&str, Act)) {
    const ASKS: &[&str] = &["argv", "ARGV", "environ", "getenv", "ENV", "process.env", "shift"];
    let shows = |code: &Code| code.replace("stdout.write", "").replace("stderr.write", "");
    let asks = |code: &&Code| ASKS.iter().any(|it| code.contains(it));
    let changes = reading.code.iter().filter(asks).any(|code| may_change(&shows(code)));
    let prints = reading.code.iter().any(|it| it.contains('>') && it.contains("print"));
    // `awk '{print > ARGV[2]}'`
    let asks_for_words = prints && reading.code.iter().any(|it| it.contains("ARGV"));
    for run in &reading.runs {
        let name = base(run).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_awk = is_in("awk gawk mawk nawk", name);
        let is_it = is_in("python pypy node nodejs bun deno perl ruby php", name) && changes;
        if !(is_it || is_awk && prints) {
            continue;
        }
        // awk reads its operands; what it writes to, a variable may say.
        let words = run.argv.iter().skip(1).map(String::as_str);
        let words = words.filter_map(|it| match it.split_once('=') {
            Some((_, value)) if is_awk => Some(value),
            _ => (!is_awk || asks_for_words).then_some(it),
        });
        let values = run.assignments.iter().map(|(_, value)| value.as_str());
        for word in words.chain(values).filter(|it| !it.starts_with('-') && is_telling(it)) {
            if !word.contains(char::is_whitespace) {
                add(word, Act::Write(How::Edit));
            }
        }
    }
}
