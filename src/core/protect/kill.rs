//! The rule about ending a hook's process, which `pkill` names by a pattern.

use super::{
    Scene,
    commands::{EVENTS, base, is_hidden, is_word_in, line, operands},
    is_in, regex,
};
use crate::shell::{self, HOLE, Run};

/// Who is behind the shell that a line runs in: the client, whose end is that of its hooks.
/// The reading keeps the name as it stands.
const PARENT: &str = "PPID";

pub(super) fn kills_roz(scene: Scene) -> Option<String> {
    let ends = |run: &&Run| match base(run) {
        "pkill" => names_roz(run) || picks_roz(run) || of_parent(run),
        "killall" => names_roz(run) || picks_roz_by_name(run),
        "skill" | "slay" | "killall5" | "Stop-Process" | "taskkill" => names_roz(run),
        "kill" => kills_all_or_parent(run),
        program => is_tracer(program) && run.argv.iter().any(|it| it.contains(PARENT)),
    };
    if let Some(run) = scene.call.runs().find(ends) {
        return Some(line(run));
    }
    let looks_up = || {
        let lists = scene.call.runs().any(|it| base(it) == "ps");
        scene.call.runs().any(|it| match base(it) {
            "pgrep" => names_roz(it) || picks_roz(it),
            "pidof" => names_roz(it) || names_client(it),
            "lsof" | "fuser" => names_roz(it),
            "grep" | "awk" => names_roz(it) || lists && names_client(it),
            "ps" => names_roz(it) || names_client(it) || asks_for_parent(it),
            _ => false,
        })
    };
    let kills = scene.call.runs().find(|it| {
        (base(it) == "kill" || is_tracer(base(it))) && operands(it).any(is_hidden)
            || base(it) == "fuser"
                && it.argv.iter().any(|it| it.starts_with("-k") || it == "--kill")
    });
    let codes = || scene.call.readings.iter().flat_map(|it| &it.code);
    // Most lines have nothing of that, so what they look up is asked last.
    kills
        .filter(|_| looks_up())
        .map(line)
        .or_else(|| codes().find(|it| ends_by_code(it)).map(|it| it.text.clone()))
}

/// What holds a process up as well as ending it.
fn is_tracer(program: &str) -> bool {
    matches!(program, "gdb" | "lldb" | "strace" | "ltrace" | "reptyr" | "prlimit")
}

/// `kill -9 -1`, `kill -STOP $PPID`. To ask whether there is one ends nothing, and a shell that
/// ends its own group (`trap 'kill 0' EXIT`) ends what it began.
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
            if let Some(it) = word.strip_prefix("--signal=").or_else(|| word.strip_prefix('-')) {
                signal = it.strip_prefix('s').filter(|_| it.len() > 1).unwrap_or(it);
                words.next();
            }
        }
    }
    let signal = signal.trim_start_matches("SIG");
    let is_hard = matches!(signal, "9" | "KILL" | "19" | "STOP");
    signal != "0"
        && words.any(|it| it == "-1" || it.contains(PARENT) || is_hard && matches!(it, "0" | "-0"))
}

/// `pkill -P $PPID`: the hooks are children of the client.
fn of_parent(run: &Run) -> bool {
    run.argv.iter().any(|it| it.contains(PARENT))
}

/// `ps -o ppid= -p $$`
fn asks_for_parent(run: &Run) -> bool {
    let mut words = run.argv.iter().skip(1).map(|it| it.trim_start_matches('-'));
    words.any(|it| matches!(it.trim_start_matches("oh").trim_start_matches('o'), "ppid" | "ppid="))
}

/// `os.kill(os.getppid(), 9)`, `process.kill(process.ppid)`, `kill(-1, 9)`
fn ends_by_code(code: &str) -> bool {
    let rest = || code.match_indices("kill").map(|(at, it)| &code[at + it.len()..]);
    let all = || rest().any(|it| it.trim_start_matches(['(', ' ', 'p', 'g']).starts_with("-1"));
    code.contains("kill") && (code.contains("ppid") || all())
}

fn names_roz(run: &Run) -> bool {
    run.argv.iter().skip(1).any(|it| {
        let word = shell::last_part(it);
        word.trim_matches(['^', '$', '[', ']', '*', '.']).starts_with("roz")
            || is_word_in(it, "roz")
            || word.replace(['[', ']'], "").starts_with("roz")
    })
}

/// `ps -C claude`, `grep '[c]laude'`; the client's files are none of its processes.
fn names_client(run: &Run) -> bool {
    let mut words = run.argv.iter().skip(1).map(|it| it.replace(['[', ']'], ""));
    words.any(|it| is_word_in(&it, "claude") && !it.contains(".claude"))
}

/// What `pkill` and `killall` are told.
#[derive(Default)]
struct Told<'a> {
    letters: String,
    operands: Vec<&'a str>,
}

impl<'a> Told<'a> {
    /// `valued`: letters whose value stands in the next word.
    fn read(run: &'a Run, valued: &str) -> Self {
        const LONG: &[(&str, char)] = &[
            ("--full", 'f'),
            ("--exact", 'x'),
            ("--ignore-case", 'i'),
            ("--inverse", 'v'),
            ("--regexp", 'r'),
            ("--user", 'u'),
            ("--euid", 'u'),
            ("--uid", 'U'),
        ];
        let mut told = Self::default();
        let mut words = run.argv.iter().skip(1).map(String::as_str);
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-').filter(|it| !it.is_empty()) else {
                told.operands.push(word);
                continue;
            };
            if let Some((name, letter)) =
                LONG.iter().find(|(name, _)| word.split('=').next() == Some(name))
            {
                told.letters.push(*letter);
                if valued.contains(*letter) && word.len() == name.len() {
                    words.next();
                }
            } else if word == "--signal" {
                words.next();
            } else if word.starts_with("--") || is_signal(letters) {
            } else if let Some(at) = letters.find(|c| valued.contains(c)) {
                told.letters.push_str(&letters[..=at]);
                if at + 1 == letters.len() {
                    words.next();
                }
            } else {
                told.letters.push_str(letters);
            }
        }
        told
    }

    fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        // What the shell finds nothing for stays as it is: `pkill ro[z]`.
        let known = pattern.trim_end_matches(HOLE);
        let is_cut = known.len() < pattern.len() && known.len() > 1 && text.starts_with(known);
        if is_hidden(pattern) {
            return is_cut && !self.has('v');
        }
        let pattern = if self.has('i') { pattern.to_lowercase() } else { pattern.to_owned() };
        let pattern = if self.has('x') { format!("^({pattern})$") } else { pattern };
        regex::may_match(&pattern, text) != self.has('v')
    }
}

fn is_signal(letters: &str) -> bool {
    letters.starts_with(|c: char| c.is_ascii_digit())
        || letters.len() > 1
            && letters.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// Whether `pkill` or `pgrep` would find a hook's process by its pattern, or
/// by whose it is.
fn picks_roz(run: &Run) -> bool {
    let told = Told::read(run, "dgGPstuUFr");
    let Some(pattern) = told.operands.first() else {
        return told.letters.chars().all(|it| matches!(it, 'u' | 'U')) && !told.letters.is_empty();
    };
    if told.matches(pattern, "claude") && !told.has('v') {
        return true;
    }
    if !told.has('f') {
        return told.matches(pattern, "roz");
    }
    EVENTS.split(' ').any(|it| told.matches(pattern, &format!("roz hook {it}")))
}

/// The same for `killall`, which takes names as they are but with `-r`.
fn picks_roz_by_name(run: &Run) -> bool {
    let told = Told::read(run, "sounyZ");
    match told.operands[..] {
        [] => told.has('u'),
        ref names if told.has('r') => {
            names.iter().any(|it| told.matches(it, "roz") || told.matches(it, "claude"))
        }
        ref names => names.iter().any(|it| is_in("roz claude", it)),
    }
}
