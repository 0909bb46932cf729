//! What a command line runs and what it writes. A leaf.

pub const HOLE: char = '\u{FFFC}';

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub proxies: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub runs: Vec<Run>,
    pub unreadable: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub argv: Vec<String>,
    pub program: String,
}

pub fn read_with(line: &str, _options: &Options) -> Reading {
    let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let program = argv.first().cloned().unwrap_or_default();
    Reading { runs: vec![Run { argv, program }], unreadable: None }
}

pub fn raw_words(line: &str) -> Vec<String> {
    vec![format!("Bash:{line}")]
}

impl Reading {
    pub fn keys(&self) -> Vec<String> {
        self.runs.iter().map(|run| format!("Bash:{}", run.argv.join(" "))).collect()
    }
}
