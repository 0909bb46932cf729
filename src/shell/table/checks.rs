//! Options with which an interpreter runs nothing of the file that it is given: it looks for errors
//! in it, or says what it is itself.

use super::super::walk::field::Field;
use super::interpreters::Row;

#[derive(Debug)]
struct Check {
    /// Names without a version.
    names: &'static [&'static str],
    /// Letters that stand alone, any of which may stand in one word with another. One that takes a
    /// value, or may take one in the same word, is none of them: of `-W:no-deprecated` no letter
    /// is an option.
    alone: &'static str,
    /// Those of them that check.
    letters: &'static str,
    /// Whole words that do.
    words: &'static [&'static str],
    /// Those that change nothing.
    others: &'static [&'static str],
}

/// Of a shell's `-n` see the walk. `kotlinc x.kt` only compiles as well, but what it makes is what
/// `java -jar` runs behind it, which nobody follows.
static CHECKS: &[Check] = &[
    Check {
        names: &["node", "nodejs"],
        alone: "",
        letters: "",
        words: &["--check", "-c", "--version", "-v", "--help", "-h"],
        others: &["--no-warnings", "--trace-warnings", "--no-deprecation", "--enable-source-maps"],
    },
    Check {
        names: &["python", "pypy"],
        alone: "VhbBdEiIOPqsSuvx",
        letters: "Vh",
        words: &["--version", "--help", "-?"],
        others: &[],
    },
    Check {
        names: &["tsx", "ts-node", "zx", "mongosh", "babel-node", "bun", "deno"],
        alone: "",
        letters: "",
        words: &["--version", "--help"],
        others: &[],
    },
    // `-v` goes on to run the file.
    Check {
        names: &["ruby", "jruby"],
        alone: "cwlnpasv",
        letters: "c",
        words: &["--version", "--help", "-h"],
        others: &[],
    },
    Check {
        names: &["perl"],
        alone: "cwWtTnpas",
        letters: "",
        words: &["-v", "--version", "--help", "-h"],
        others: &[],
    },
    Check {
        names: &["php"],
        alone: "lnq",
        letters: "l",
        words: &["--syntax-check", "--version", "-v", "--help", "-h"],
        others: &["--no-php-ini"],
    },
];

/// Whether a call runs nothing of its file, the options before which end at `at`.
pub(in super::super) fn only_checks(name: &str, row: &Row, words: &[Field], at: usize) -> bool {
    find(name).is_some_and(|check| check.is_met(row, words, at, check.letters, check.words))
}

/// Whether it is `perl -c`, which runs what runs while a file is read.
pub(in super::super) fn only_compiles(name: &str, row: &Row, words: &[Field], at: usize) -> bool {
    find(name).is_some_and(|it| it.names.contains(&"perl") && it.is_met(row, words, at, "c", &[]))
}

fn find(name: &str) -> Option<&'static Check> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    CHECKS.iter().find(|it| it.names.contains(&name))
}

impl Check {
    /// Nothing may stand before it of which it is not known whether it takes the next word.
    fn is_met(
        &self,
        row: &Row,
        words: &[Field],
        at: usize,
        letters: &str,
        checks: &[&str],
    ) -> bool {
        let mut next = 1;
        let mut is_met = false;
        while next < at.min(words.len()) {
            let word = &words[next];
            let text = word.text.as_str();
            if text == "--" || word.has_hole() {
                break;
            }
            is_met |= checks.contains(&text);
            let cluster = text.strip_prefix('-').filter(|it| !it.is_empty());
            let is_alone = cluster.is_some_and(|it| it.chars().all(|c| self.alone.contains(c)));
            is_met |= is_alone && text.contains(|c: char| letters.contains(c));
            if is_met {
                return true;
            }
            if is_alone || self.others.contains(&text) {
                next += 1;
                continue;
            }
            // Only an option whose value is known to be one: in the same word, or in the next.
            let is_valued = |end: usize| {
                let (given, behind) = row.grammar.leading(words.get(..end).unwrap_or(words), next);
                let is_code = |it: &str| row.code.contains(&it);
                matches!(&given[..], [only] if only.value.is_some() && !is_code(&only.name))
                    && behind == end
            };
            match (is_valued(next + 1), is_valued(next + 2)) {
                (true, _) => next += 1,
                (_, true) => next += 2,
                _ => return false,
            }
        }
        is_met
    }
}

#[cfg(test)]
mod tests {
    use super::super::interpreters;
    use super::*;

    #[track_caller]
    fn checks(line: &str) -> (bool, bool) {
        let words: Vec<Field> = line.split(' ').map(Field::literal).collect();
        let name = line.split(' ').next().unwrap();
        let row = interpreters::find(name).unwrap();
        let (_, at) = row.grammar.leading(&words, 1);
        (only_checks(name, row, &words, at), only_compiles(name, row, &words, at))
    }

    #[test]
    fn a_check_runs_nothing_of_the_file() {
        for line in [
            "node --check f.js",
            "node -c f.js",
            "node --no-warnings --check f.js",
            "node -r ./g.js --check f.js",
            "node22 --version f.js",
            "python3 -V f.py",
            "python3.12 -W ignore -V f.py",
            "ruby -c f.rb",
            "ruby -wc f.rb",
            "ruby -w -I lib -c f.rb",
            "ruby -Ilib -c f.rb",
            "php -l f.php",
            "php -d a=b -l f.php",
            "perl -v f.pl",
            "tsx --help f.ts",
        ] {
            assert!(checks(line).0, "{line}");
        }
        assert!(checks("perl -wc f.pl").1);
        assert!(checks("perl -I lib -c f.pl").1);
    }

    #[test]
    fn what_only_looks_like_a_check_runs_the_file() {
        for line in [
            "node f.js --check",
            "node -- f.js --check",
            "node --title --check f.js",
            "python3 -W -V f.py",
            "python3 -c code -V",
            "ruby -W:no-deprecated f.rb",
            "ruby -v f.rb",
            "ruby -Cc f.rb",
            "ruby -C -c f.rb",
            "ruby -xc f.rb",
            "ruby -ic f.rb",
            "ruby -Ic f.rb",
            "ruby --disable -c f.rb",
            "perl -Ic f.pl",
            "perl -c f.pl",
            "perl -ic f.pl",
            "perl -d:c f.pl",
            "php -d -l f.php",
            "php -c -l f.php",
            "tsx -c f.ts",
        ] {
            assert!(!checks(line).0, "{line}");
        }
        assert!(!checks("perl -ic f.pl").1);
        assert!(!checks("perl -Mc f.pl").1);
        assert!(!checks("perl f.pl -c").1);
    }
}
