//! Compares our reading with two shell parsers of other authors: each command that one of them finds
//! must be among the runs of the reading.
//!
//! They see syntax only: where commands begin and end, and what their words are. Wrappers (`sudo x`)
//! and nested code (`bash -c x`) mean nothing to them, so each command that they find is read by roz
//! once more, alone, and the runs of that are what is compared. A word with an expansion (`$x`)
//! matches any words.
//!
//! `ROZ_ORACLE_LINES` sets how many lines are made, `ROZ_ORACLE_SEED` repeats a run.

mod rable;
mod shuck;

use super::differential::{Generator, SEED, quoted, run, variable};
use super::{rows, unescaped};
use roz::shell::{self, Certainty, HOLE, Reading, Run};
use std::panic::{AssertUnwindSafe, catch_unwind};

const LINES: u64 = 4000;

/// Bytes of stack: one of the libraries recurses without a bound.
const STACK: usize = 256 << 20;

/// The longest line that the libraries are asked about: one of them takes minutes for nested `${`.
const LONGEST: usize = 16 << 10;

struct Library {
    name: &'static str,
    /// The commands of a line, or why it does not parse.
    find: fn(&str) -> Result<Syntax, String>,
    known: &'static [Known],
}

const RABLE: Library = Library {
    name: "rable",
    find: rable::find,
    known: &[
        BRACED_NUMBER,
        DEAD_LOOP,
        DEAD_BRANCH,
        Known {
            signs: &["time "],
            line: "case foo in f*) gb | time ga;; *) gc;; esac",
            words: &[";;"],
            reason: "the end of a branch after `time` is not a word",
        },
    ],
};

const SHUCK: Library = Library {
    name: "shuck-parser",
    find: shuck::find,
    known: &[
        BRACED_NUMBER,
        DEAD_LOOP,
        DEAD_BRANCH,
        Known {
            signs: &["! "],
            line: "gb | ! gc push",
            words: &["!"],
            reason: "`!` within a pipeline is not a program",
        },
        Known {
            signs: &["! !"],
            line: "! ! f() { ga push; }; f gb",
            words: &[],
            reason: "a second `!` is not a program either, and what follows it may define a function",
        },
        Known {
            signs: &["&-g"],
            line: "<&-ga push",
            words: &["push"],
            reason: "the `-` that closes a descriptor is not part of the word after it",
        },
        Known {
            signs: &["3<<<"],
            line: "exec 3<<< 'ga push'; bash <&3",
            words: &["3"],
            reason: "a number before a here-string is a descriptor",
        },
        Known {
            signs: &["\"$(", "case "],
            line: "ga \"$(while case $unknown in f*) gb;; *) gc;; esac; do gb \"a;gc && c\"; break; done)\"",
            words: &[],
            reason: "the parenthesis of a pattern does not close a quoted substitution",
        },
    ],
};

const DEAD_LOOP: Known = Known {
    signs: &["for i in;"],
    line: "for i in; do ga push; done",
    words: &["push"],
    reason: "a loop over nothing has no round",
};

const BRACED_NUMBER: Known = Known {
    signs: &["\\x{"],
    line: "$'\\x{67}a' push",
    words: &["push"],
    reason: "a number may stand in braces",
};

const DEAD_BRANCH: Known = Known {
    signs: &["case a in b)"],
    line: "case a in b) ga push;; esac",
    words: &["push"],
    reason: "the pattern does not match the word",
};

/// A known mistake of a library: it finds a command that bash does not run. A test runs `line` in
/// bash, so that a row goes when the library is fixed.
struct Known {
    /// A line that has all of these may show the mistake.
    signs: &'static [&'static str],
    /// An example, with the stubs for programs.
    line: &'static str,
    /// Neighbouring words of the wrong command; empty if it may be any command.
    words: &'static [&'static str],
    reason: &'static str,
}

/// What a library makes of a line.
#[derive(Debug, Default)]
struct Syntax {
    commands: Vec<Found>,
    /// The names of the functions that it defines.
    functions: Vec<String>,
}

/// A simple command as a library sees it.
#[derive(Debug, Clone)]
struct Found {
    /// `None` is a word that is not plain text.
    words: Vec<Option<String>>,
    /// The functions whose bodies contain it.
    within: Vec<String>,
}

impl Found {
    /// The runs that roz reads in this command alone, without its wrappers and with its nested code.
    /// So what is compared is the syntax around the command.
    fn meant(&self) -> Vec<Vec<Option<String>>> {
        let words = self.words.iter().map(|word| word.as_deref().map(quoted));
        let words: Vec<String> = words.map(|word| word.unwrap_or(UNKNOWN.to_owned())).collect();
        let runs = shell::read(&words.join(" ")).runs;
        // What nested code with an expansion runs depends on the rest of the line, so only runs
        // that keep the text as an argument are compared.
        let open: Vec<&String> =
            self.words.iter().flatten().filter(|word| word.contains(['$', '`'])).collect();
        let is_moved = matches!(&self.words[0], Some(program) if MOVED.iter().any(|place| program.starts_with(place)));
        let known = runs.iter().filter(|run| {
            run.certainty != Certainty::Opaque && open.iter().all(|word| run.argv.contains(word))
        });
        let mut meant = Vec::new();
        for run in known.filter(|run| !SHELLS.contains(&run.program.as_str())) {
            let words = words_of(run).map(|word| (!word.contains(HOLE)).then(|| word.to_owned()));
            let mut words: Vec<Option<String>> = words.collect();
            if is_moved {
                words[0] = None;
            }
            meant.push(words);
        }
        meant
    }
}

/// After a `cd`, a link or a copy earlier in the line, a program at such a path may have another
/// name in the reading, so its name is not compared.
const MOVED: &[&str] = &["./", "/tmp/"];

/// What these run may come from the rest of the line (a pipe, a here-document), so they are not
/// compared.
const SHELLS: &[&str] =
    &["bash", "sh", "zsh", "dash", "ksh", "fish", ".", "source", "at", "su", "sudo", "ssh"];

const UNKNOWN: &str = "\"$unknown\"";

fn words_of(run: &Run) -> impl Iterator<Item = &str> {
    std::iter::once(&run.program).chain(run.argv.iter().skip(1)).map(String::as_str)
}

fn is_among(words: &[Option<String>], runs: &[Run]) -> bool {
    runs.iter().any(|run| words_match(words, &words_of(run).collect::<Vec<_>>()))
}

fn words_match(found: &[Option<String>], argv: &[&str]) -> bool {
    match found.split_first() {
        None => argv.is_empty(),
        Some((None, rest)) => (0..=argv.len()).any(|taken| words_match(rest, &argv[taken..])),
        Some((Some(word), rest)) => argv
            .split_first()
            .is_some_and(|(first, others)| may_be(first, word) && words_match(rest, others)),
    }
}

/// Whether a word of the reading may be this text.
fn may_be(word: &str, text: &str) -> bool {
    let mut pieces = word.split(HOLE);
    let Some(mut rest) = pieces.next().and_then(|piece| text.strip_prefix(piece)) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Text with its quotes removed, as bash does it where nothing is expanded.
fn unquoted(raw: &str) -> Option<String> {
    // Within a substitution, the libraries leave some expansions as they are.
    if ["$(", "`", "<(", ">("].iter().any(|expansion| raw.contains(expansion)) {
        return None;
    }
    let mut text = String::new();
    let mut characters = raw.chars().peekable();
    let mut double = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' if !double => loop {
                match characters.next()? {
                    '\'' => break,
                    other => text.push(other),
                }
            },
            '"' => double = !double,
            '\\' => match characters.next()? {
                '\n' => {}
                other => {
                    if double && !matches!(other, '$' | '`' | '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(other);
                }
            },
            other => text.push(other),
        }
    }
    (!double).then_some(text)
}

#[derive(Default)]
struct Tally {
    lines: usize,
    refused: usize,
    panicked: usize,
    /// Lines that the reader gives up on.
    unreadable: usize,
    commands: usize,
    missed: Vec<String>,
}

impl Tally {
    fn add(&mut self, library: &Library, line: &str) {
        self.lines += 1;
        if line.len() > LONGEST {
            self.refused += 1;
            return;
        }
        let found = match catch_unwind(AssertUnwindSafe(|| (library.find)(line))) {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => {
                self.refused += 1;
                return;
            }
            Err(_) => {
                self.panicked += 1;
                return;
            }
        };
        let reading = shell::read(line);
        // Gates match the raw words of such a line, so there are no runs to compare.
        if reading.unreadable.is_some() {
            self.unreadable += 1;
            return;
        }
        for command in due(&found) {
            self.commands += 1;
            for words in command.meant() {
                // `trap f EXIT` calls the function.
                let is_function =
                    words[0].as_ref().is_some_and(|word| found.functions.contains(word));
                if !is_function
                    && !is_among(&words, &reading.runs)
                    && !library.known.iter().any(|known| known.is(line, &words))
                {
                    self.missed.push(told(line, &words, &reading));
                }
            }
        }
    }
}

fn told(line: &str, words: &[Option<String>], reading: &Reading) -> String {
    format!("{line}\n  found {:?}\n  {:?}", words, reading.keys())
}

impl Known {
    fn is(&self, line: &str, words: &[Option<String>]) -> bool {
        let words: Vec<&str> = words.iter().map(|word| word.as_deref().unwrap_or("?")).collect();
        self.is_in(line) && (self.words.is_empty() || has(&words, self.words))
    }

    fn is_in(&self, line: &str) -> bool {
        self.signs.iter().all(|sign| line.contains(sign))
    }
}

fn has(words: &[&str], row: &[&str]) -> bool {
    words.windows(row.len()).any(|window| window == row)
}

/// The commands whose program is plain text and no function, in code that may be reached.
fn due(syntax: &Syntax) -> impl Iterator<Item = &Found> {
    let Syntax { commands, functions } = syntax;
    // Which of several definitions a call reaches cannot be told from the syntax.
    let is_reached = |name: &String| {
        functions.iter().filter(|other| *other == name).count() == 1
            && commands.iter().any(|command| command.words.first() == Some(&Some(name.clone())))
    };
    commands.iter().filter(move |command| {
        let Some(Some(program)) = command.words.first() else { return false };
        // The reading leaves `:` out.
        program != ":" && !functions.contains(program) && command.within.iter().all(is_reached)
    })
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "what was compared, and the seed that repeats a failure")]
fn compare(library: &'static Library, what: &str, lines: Vec<String>) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut tally = Tally::default();
        for line in &lines {
            tally.add(library, line);
        }
        tally
    });
    let tally = thread.expect("a thread").join().expect("a tally");
    let Tally { lines, refused, panicked, unreadable, commands, mut missed } = tally;
    let name = library.name;
    println!(
        "{name}, {what}: {lines} lines, {refused} refused, {panicked} panics, {unreadable} unreadable, {commands} commands"
    );
    assert!((refused + panicked + unreadable) * 10 < lines, "{name} read only some of {what}");
    assert!(commands > lines / 2, "{name} found only {commands} commands in {what}");
    let count = missed.len();
    {
        missed.truncate(40);
    }
    assert!(missed.is_empty(), "{what}: {count} of {name}'s are missed\n{}", missed.join("\n"));
}

fn generated() -> (String, Vec<String>) {
    let lines = variable("ROZ_ORACLE_LINES").unwrap_or(LINES);
    let seed = variable("ROZ_ORACLE_SEED").unwrap_or(SEED);
    // The reading leaves out a branch that is known not to be taken.
    let undecided = |line: String| {
        line.replace("case foo in", "case $unknown in").replace("case $x in", "case $unknown in")
    };
    let lines = (0..lines).map(|number| undecided(Generator::line(seed, number))).collect();
    (format!("seed {seed}"), lines)
}

/// The lines of the corpora.
fn written() -> Vec<String> {
    let runs = rows(include_str!("runs.tsv")).map(|(_, row)| row[0]);
    let lines = rows(include_str!("lines.tsv")).skip(1).map(|(_, row)| row[2]);
    // The reader takes off the end of a line as Windows writes it, on purpose.
    runs.chain(lines).map(unescaped).filter(|line| !line.contains('\r')).collect()
}

#[test]
fn what_rable_finds_in_lines_of_the_grammar_is_among_the_runs() {
    let (seed, lines) = generated();
    compare(&RABLE, &seed, lines);
}

#[test]
fn what_shuck_finds_in_lines_of_the_grammar_is_among_the_runs() {
    let (seed, lines) = generated();
    compare(&SHUCK, &seed, lines);
}

#[test]
fn what_rable_finds_in_the_corpora_is_among_the_runs() {
    compare(&RABLE, "the corpora", written());
}

#[test]
fn what_shuck_finds_in_the_corpora_is_among_the_runs() {
    compare(&SHUCK, "the corpora", written());
}

#[test]
fn where_the_libraries_are_wrong_bash_sides_with_the_reading() {
    for library in [&RABLE, &SHUCK] {
        for known in library.known {
            let Known { line, reason, .. } = known;
            assert!(known.is_in(line), "{reason}: {line}");
            let syntax = (library.find)(line).expect(line);
            let runs = shell::read(line).runs;
            let missed = due(&syntax)
                .flat_map(Found::meant)
                .find(|words| known.is(line, words) && !is_among(words, &runs));
            let missed = missed.unwrap_or_else(|| panic!("no longer so, {reason}: {line}"));
            let ran = run(&[(*line).to_owned()]).remove(&0).unwrap_or_default();
            let is_run = ran.iter().any(|words| {
                words_match(&missed, &words.iter().map(String::as_str).collect::<Vec<_>>())
            });
            assert!(!is_run, "bash runs it, {reason}: {line}");
        }
    }
}

/// Found by comparison with rable; bash runs `ga push`.
#[test]
fn the_newest_of_many_definitions_of_a_function_is_among_the_runs() {
    let line = "for i in 1 2; do for j in 1 2; do true && f() { gc; }; done; done; \
                true && f() { ga push; }; f";
    assert!(shell::read(line).may_run("Bash:ga push"));
}
