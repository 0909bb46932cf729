//! Lines from a grammar, run by real bash over stub programs that record their words: what bash ran
//! must be among the runs of the reading.
//!
//! `ROZ_DIFFERENTIAL_LINES` sets how many, `ROZ_DIFFERENTIAL_SEED` which ones. About one seed in
//! twenty makes a line with arithmetic or a sparse array that the reader takes for something else
//! than bash does; that is known, and not worth more code.

use roz::shell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

const LINES: u64 = 400;

/// Lines that one bash runs.
const BATCH: u64 = 500;

const STUBS: &[&str] = &["ga", "gb", "gc"];

/// Records its name and words: one record, fields apart by U+001F, records by U+001E.
const STUB: &str =
    "#!/bin/sh\nprintf '%s\\037' \"\u{1e}$LINE\" \"${0##*/}\" \"$@\" >> \"${0%/*}/log\"\n";

/// Fixed, so that the test makes the same lines on every machine.
pub(super) const SEED: u64 = 1_795_308_142;

#[test]
#[expect(clippy::print_stdout, reason = "the seed repeats a failure")]
fn what_bash_runs_is_among_the_runs_of_the_reading() {
    let lines = variable("ROZ_DIFFERENTIAL_LINES").unwrap_or(LINES);
    let seed = variable("ROZ_DIFFERENTIAL_SEED").unwrap_or(SEED);
    println!("seed {seed}, {lines} lines");
    let mut missed = Vec::new();
    let (mut ran, mut given_up) = (0, BTreeSet::new());
    let mut first = 0;
    while first < lines {
        let line = |number| {
            let is_plain = number % 2 == 0;
            if is_plain { Generator::line(seed, number) } else { Generator::stateful(seed, number) }
        };
        let batch: Vec<String> = (first..lines.min(first + BATCH)).map(line).collect();
        let records = run(&batch);
        ran += records.values().map(Vec::len).sum::<usize>();
        for (number, commands) in records {
            let line = &batch[number];
            let reading = shell::read(line);
            for command in commands {
                let pattern = format!("Bash:{}", literal(&command.join(" ")));
                // Every gate matches a line that is too much work to read, so it is not missed.
                if reading.unreadable == Some(shell::Unreadable::Work) {
                    given_up.insert(first + number as u64);
                } else if !reading.may_run(&pattern) {
                    missed.push(format!(
                        "{line}\n  ran {command:?}\n  {:?} {:?}",
                        reading.keys(),
                        reading.unreadable
                    ));
                }
            }
        }
        first += BATCH;
    }
    let given_up = given_up.len() as u64;
    println!("bash ran {ran} commands, {given_up} lines are too much work");
    // Usually one line in some hundreds; the 600 allow for chance where there are few lines.
    assert!(given_up * 100 < lines + 600, "{given_up} of {lines} lines are given up");
    assert!(ran as u64 > lines / 2, "bash ran only {ran} commands");
    missed.truncate(40);
    assert!(
        missed.is_empty(),
        "{} missed; to see them again: ROZ_DIFFERENTIAL_SEED={seed} ROZ_DIFFERENTIAL_LINES={lines} \
         cargo test --test it what_bash_runs\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[expect(clippy::disallowed_methods, reason = "a test's own switches")]
pub(super) fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A pattern that matches just this text.
fn literal(text: &str) -> String {
    text.replace('[', "[[]").replace('*', "[*]").replace('?', "[?]")
}

/// What bash ran, by the line's place in the batch.
pub(super) fn run(lines: &[String]) -> BTreeMap<usize, Vec<Vec<String>>> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path();
    for stub in STUBS {
        write(&path.join(stub), STUB);
        executable(&path.join(stub));
    }
    let mut script = String::new();
    for (number, line) in lines.iter().enumerate() {
        let quoted = quoted(line);
        let _ = writeln!(script, "LINE={number}; ( eval {quoted} ) </dev/null >/dev/null 2>&1");
    }
    write(&path.join("script"), &script);
    let work = path.join("work");
    std::fs::create_dir(&work).expect("a directory");
    bash(path, &work);
    let log = std::fs::read(path.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log).into_owned();
    let mut records: BTreeMap<usize, Vec<Vec<String>>> = BTreeMap::new();
    for record in log.split('\u{1e}').skip(1) {
        // The stub writes a separator behind the last field as well.
        let record = record.strip_suffix('\u{1f}').unwrap_or(record);
        let mut fields = record.split('\u{1f}').map(str::to_owned);
        let Some(number) = fields.next().and_then(|number| number.parse().ok()) else { continue };
        records.entry(number).or_default().push(fields.collect());
    }
    records
}

#[expect(clippy::disallowed_methods, reason = "bash is the oracle")]
fn bash(path: &Path, work: &Path) {
    let search = format!("{}:/usr/bin:/bin", path.display());
    // The grammar may make a function that calls itself or a loop that never ends. `timeout` and
    // `FUNCNEST` stop bash there.
    std::process::Command::new("timeout")
        .args(["60", "bash"])
        .arg(path.join("script"))
        .current_dir(work)
        .env_clear()
        .env("PATH", search)
        .env("HOME", work)
        .env("LINE", "")
        .env("FUNCNEST", "4")
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .expect("bash");
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("a mode");
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Makes lines. It has its own random numbers, so that a seed makes the same lines with every
/// version of every library.
pub(super) struct Generator {
    state: u64,
    depth: usize,
    /// Within the code of a shell that may be a smaller one than bash.
    posix: bool,
    /// Lines also count, shift, unset and index arrays. Only bash can tell what those run: the
    /// parsers of `oracles.rs` see no state.
    stateful: bool,
    /// Bodies of here-documents, which are put behind the line that names them.
    documents: Vec<String>,
}

impl Generator {
    pub(super) fn line(seed: u64, number: u64) -> String {
        Self::made(seed, number, false)
    }

    /// A line that counts, indexes, shifts, unsets and hides.
    fn stateful(seed: u64, number: u64) -> String {
        Self::made(seed, number, true)
    }

    fn made(seed: u64, number: u64, stateful: bool) -> String {
        let state = (seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1);
        let mut generator = Self { state, depth: 0, posix: false, stateful, documents: Vec::new() };
        for _ in 0..8 {
            generator.next();
        }
        generator.whole()
    }

    /// Xorshift.
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A list with its here-documents after it.
    fn whole(&mut self) -> String {
        let outer = std::mem::take(&mut self.documents);
        let mut text = self.list();
        for document in std::mem::replace(&mut self.documents, outer) {
            text.push('\n');
            text.push_str(&document);
        }
        text
    }

    fn list(&mut self) -> String {
        let mut text = self.command();
        while self.below(3) == 0 {
            let link = self.one(&["; ", " && ", " || ", " | ", ";", "&&", " & wait; ", " |& "]);
            text.push_str(link);
            text.push_str(&self.command());
        }
        text
    }

    fn nested(&mut self) -> String {
        self.depth += 1;
        let text = if self.depth > 4 { self.stub() } else { self.whole() };
        self.depth -= 1;
        text
    }

    /// A list on one line.
    fn inline(&mut self) -> String {
        let text = self.nested();
        if text.contains('\n') { self.stub() } else { text }
    }

    fn stub(&mut self) -> String {
        let mut words = vec![self.program()];
        for _ in 0..self.below(3) {
            words.push(self.word());
        }
        let blank = self.one(&[" ", "  ", " ", "\t", " \\\n"]);
        words.join(blank)
    }

    /// A stub as code for `sh`.
    fn posix_stub(&mut self) -> String {
        let outer = std::mem::replace(&mut self.posix, true);
        let text = self.stub();
        self.posix = outer;
        text
    }

    fn program(&mut self) -> String {
        let stub = self.one(STUBS).to_owned();
        if self.below(3) == 0 { self.spelled(&stub) } else { stub }
    }

    /// Another spelling of the same text.
    fn spelled(&mut self, text: &str) -> String {
        let (first, rest) = text.split_at(1);
        match self.below(9) {
            0 => format!("'{text}'"),
            1 => format!("\"{text}\""),
            2 => format!("\\{text}"),
            3 => format!("{first}''{rest}"),
            4 => format!("{first}\"{rest}\""),
            5 if !self.posix => format!("$'{first}{rest}'"),
            6 => format!("$(echo {text})"),
            7 => format!("${{none:-{text}}}"),
            _ => format!("{first}\\\n{rest}"),
        }
    }

    fn word(&mut self) -> String {
        match self.below(22) {
            0 => "$x".to_owned(),
            1 => "\"$x\"".to_owned(),
            2 => "${x}y".to_owned(),
            3 => "\"${unset:-d e}\"".to_owned(),
            4 => "${HOME:+alt}".to_owned(),
            5 => format!("$({})", self.inline()),
            6 => format!("\"$({})\"", self.inline()),
            7 => "{a,b}c".to_owned(),
            8 => "{1..3}".to_owned(),
            9 => "'a b'".to_owned(),
            10 => "\"a;b && c\"".to_owned(),
            11 if !self.posix => "$'t\\tq'".to_owned(),
            12 => "\"$@\"".to_owned(),
            13 => "$1".to_owned(),
            14 if !self.posix => "${a[1]}".to_owned(),
            15 if !self.posix => "\"${a[@]}\"".to_owned(),
            16 => "${#x}".to_owned(),
            17 => "$((1+2))".to_owned(),
            18 => "${x%o}${x#f}".to_owned(),
            19 => "a\\ b#c".to_owned(),
            _ => {
                let plain = self.one(&["push", "-f", "--flag=1", "o/r", "5", "x=y"]).to_owned();
                self.spelled(&plain)
            }
        }
    }

    fn command(&mut self) -> String {
        if self.depth > 4 {
            return self.stub();
        }
        if self.stateful && !self.posix && self.below(2) == 0 {
            return self.state();
        }
        match self.below(43) {
            0 => format!("( {} )", self.nested_line()),
            1 => format!("{{ {}; }}", self.inline()),
            2 => format!("if {}; then {}; fi", self.inline(), self.inline()),
            3 => format!("if false; then {}; else {}; fi", self.inline(), self.inline()),
            4 => format!("for x in {} foo; do {}; done", self.word(), self.inline()),
            5 => format!("for x in ga gb; do $x {}; done", self.word()),
            6 => format!("case foo in f*) {};; *) ga;; esac", self.inline()),
            7 => format!("case $x in foo|bar) {};; *) {};; esac", self.inline(), self.inline()),
            8 => format!("while {}; do {}; break; done", self.inline(), self.inline()),
            9 => format!("until ! {{ {}; }}; do break; done", self.inline()),
            10 => format!("f() {{ {}; }}; f {}", self.inline(), self.word()),
            11 => "f() { \"$@\"; }; f ".to_owned() + &self.stub(),
            12 => format!("function g {{ ga \"$1\" $#; }}; g {}", self.word()),
            13 => format!("bash -c {}", quoted_or_not(&self.nested())),
            14 => format!("bash -ec {} z {}", quoted(&self.posix_stub()), self.word()),
            15 => format!("bash -c '\"$@\"' _ {}", self.stub()),
            16 => format!("eval {}", quoted(&self.nested())),
            17 => format!("eval {}", self.stub()),
            18 => format!("x={}", self.word()),
            19 => format!("x=foo; {}", self.stub()),
            20 => format!("x=g; y=a; $x$y {}", self.word()),
            21 => format!("x='ga push'; $x {}", self.word()),
            22 => format!("a=(ga \"b c\" {}); \"${{a[@]}}\"", self.word()),
            23 => format!("set -- gb {}; \"$@\"", self.word()),
            24 => format!("echo {} | bash", quoted(&self.stub())),
            25 => format!("printf '%s\\n' {} | bash", quoted(&self.posix_stub())),
            26 => format!("echo {} | xargs gc", self.one(&["a", "'b c'", "1 2 3"])),
            27 | 28 => format!("{} {}", self.wrapper(), self.stub()),
            29 => format!("! {}", self.command()),
            30 => format!("time {}", self.stub()),
            31 => format!("[[ -n foo ]] && {}", self.stub()),
            32 => format!("x=1 {}", self.stub()),
            33 => format!(">out {}", self.stub()),
            34 => format!("{} 2>&1 >out", self.stub()),
            35 => {
                let text = self.posix_stub().replace("\\\n", " ");
                self.documents.push(format!("{text}\nEOF"));
                format!("{} <<'EOF'", self.one(&["bash", "bash -s", "cat | bash"]))
            }
            36 => format!("cat <({})", self.inline()),
            37 => format!("echo `{}`", self.stub().replace(['\\', '`', '\n'], "")),
            38 => format!("trap {} EXIT", quoted(&self.stub())),
            39 => format!("cd . && {}", self.stub()),
            40 => format!("read x <<< gb; $x {}", self.word()),
            _ => self.stub(),
        }
    }

    /// A command that changes what the ones behind it mean, and often one that shows it.
    fn state(&mut self) -> String {
        let name = self.one(&["x", "y", "i"]).to_owned();
        let stub = self.one(STUBS).to_owned();
        let number = self.one(&["0", "1", "2", "-1"]);
        match self.below(40) {
            0 => format!("(({name}{}))", self.one(&["++", "--", "+=1", "=1", "=2"])),
            1 => format!("i={number}; a=({stub} gb gc); ${{a[i]}} {}", self.word()),
            2 => "((i=i+1)); a=(ga gb gc); \"${a[$i]}\" \"$i\"".to_owned(),
            3 => format!("let i+=1; case $i in 0) ga;; 1) {};; *) gc;; esac", self.inline()),
            4 => format!("a[{}]={stub}; \"${{a[@]}}\"", self.one(&["0", "1", "2"])),
            5 => format!("a+=({}); \"${{a[@]}}\"", self.word()),
            6 => format!(
                "( a=({stub} b); a[1]+={}; ${{a[0]}} ${{a[1]}} )",
                self.one(&["x", "ga", "b"])
            ),
            7 => format!("unset a; {}", self.stub()),
            8 => format!("unset {name}; {stub} ${{{name}-none}}"),
            9 => format!("unset -f f; f {}", self.word()),
            10 => format!("r={stub}; $r {}", self.word()),
            11 => format!("shift; \"$@\" {}", self.one(&["", "a"])),
            12 => format!("set -- {stub} {} gb c; shift {}; \"$@\"", self.word(), number),
            13 => "f() { while [ $# -gt 2 ]; do shift; done; \"$@\"; }; f a b ga c".to_owned(),
            14 => format!("f() {{ local x={stub}; $x; }}; x=gb; f; $x {}", self.word()),
            15 => format!(
                "f() {{ x={stub}; [ -n \"$1\" ] || return; x=gb; }}; f {}; $x a",
                self.word()
            ),
            16 => format!("f() {{ {}; return; {}; }}; f", self.inline(), self.inline()),
            17 => "for ((i=0;i<3;i++)); do case $i in 1) ga;; 2) gb $i;; esac; done".to_owned(),
            18 => {
                format!("(a=(); i=0; while ((i<2)); do a[$i]={stub}; ((i++)); done; \"${{a[@]}}\")")
            }
            19 => format!("s=xx{stub}; ${{s:2}} {}", self.word()),
            20 => format!("s=xx{stub}y; i=2; ${{s:i:2}} ${{#s}}"),
            21 => format!("printf -v {name} %s {stub}; ${name} a"),
            22 => format!("n={name}; {name}={stub}; ${{!n}} {}", self.word()),
            23 => format!("( unset {name}; {name}={stub}; ${name} b )"),
            24 => "i=2; ga $i".to_owned(),
            25 => format!("mapfile -t a <<< $'{stub}\\nx y'; \"${{a[@]}}\""),
            26 => format!("IFS=, read -ra a <<< {stub},b; \"${{a[@]}}\""),
            27 => format!("export {name}={stub}; bash -c '${name} a'"),
            28 => format!("export {name}={stub}; env -u {name} bash -c '${{{name}-gb}} a'"),
            29 => format!("trap 'x=gb' EXIT; x={stub}; $x"),
            30 => format!("( x=gb; {} ); $x", self.inline()),
            31 => format!("x=${{x:-{stub}}}; $x {}", self.word()),
            32 => format!("case $PWD in /*) {};; *) gb;; esac", self.inline()),
            33 => format!("{stub} $(false && echo a) b"),
            34 => format!("x=$({}); {stub} $x", self.inline()),
            35 => format!("for w in {stub} a b; do c=(\"${{c[@]}}\" $w); done; \"${{c[@]}}\""),
            36 => format!(
                "f() {{ set --; for w in {stub} a; do set -- \"$@\" $w; done; \"$@\"; }}; f"
            ),
            37 => format!("( c=; for w in {stub} a; do c=\"$c $w\"; done; $c )"),
            38 => format!("declare -A m=([k]={stub} [l]=b); ${{m[k]}} ${{m[l]}} $((1+${{#m[@]}}))"),
            _ => format!("set -- {} {stub}; ${{@: -1}} ${{@:1:1}}", self.word()),
        }
    }

    fn nested_line(&mut self) -> String {
        self.nested() + "\n"
    }

    fn wrapper(&mut self) -> &'static str {
        self.one(&[
            "env",
            "env A=b",
            "env -u A",
            "nice",
            "nice -n 1",
            "nohup",
            "timeout 5",
            "timeout -k 1 5",
            "command",
            "command -p --",
            "exec",
            "xargs",
            "xargs -n1",
            "setsid -w",
            "stdbuf -oL",
            "builtin command",
            "A=b nice env",
        ])
    }
}

/// As one word of a shell, in one of two ways.
fn quoted_or_not(text: &str) -> String {
    if text.contains(['$', '`', '"', '\\', '\'', '!']) {
        quoted(text)
    } else {
        format!("\"{text}\"")
    }
}
