//! What of a search's list goes through a pipeline: the stages that hand its lines on as they are,
//! those that leave some of them out, and who takes them for names. Of all else the lines are others.

use super::super::syntax::{Node, Part, Redirection, RedirectionKind, Word};
use super::super::table::interpreters;
use super::super::{Find, HOLE, last_part};
use super::Walker;
use super::expand::has_glob;
use super::field::Field;
use super::lines::GREP;
use super::nested::is_shell;
use super::regular::Regular;
use super::substitute::Dialect;
use std::ops::Range;

/// So many filters of a list are followed, and as long a pattern.
const MOST: usize = 8;
const LONGEST: usize = 256;
/// What may be spent on one line.
const WORK: usize = 1 << 16;

/// What leaves out some of the lines of a list: `grep '\.py$'`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineFilter {
    pattern: String,
    kind: Kind,
    ignores_case: bool,
    is_inverted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Fixed,
    Basic,
    Extended,
}

impl LineFilter {
    /// Whether a line may come through. One of which that is not certain may.
    pub fn lets_through(&self, line: &str) -> bool {
        if line.contains([HOLE, char::REPLACEMENT_CHARACTER, '\n']) {
            return true;
        }
        let line = if self.ignores_case { line.to_lowercase() } else { line.to_owned() };
        let is_found = match self.dialect() {
            None => Some(line.contains(&self.pattern)),
            Some(dialect) => Regular::of(&self.pattern, dialect).and_then(|regular| {
                let line: Vec<char> = line.chars().collect();
                Some(regular.find(&line, 0, &mut WORK.clone()).ok()?.is_some())
            }),
        };
        is_found.is_none_or(|it| it != self.is_inverted)
    }

    /// `None` where the pattern is plain text.
    fn dialect(&self) -> Option<Dialect> {
        match self.kind {
            Kind::Fixed => None,
            Kind::Basic => Some(Dialect::Basic),
            Kind::Extended => Some(Dialect::Extended),
        }
    }

    /// The words of a `grep` that reads its input and shows lines whole; `None` of any other.
    fn of(words: &[String]) -> Option<Self> {
        const INVERTED: &[&str] = &["v", "invert-match"];
        const ANY_CASE: &[&str] = &["i", "y", "ignore-case"];
        const FIXED: &[&str] = &["F", "fixed-strings"];
        const BASIC: &[&str] = &["G", "basic-regexp"];
        const EXTENDED: &[&str] = &["E", "extended-regexp"];
        const PATTERN: &[&str] = &["e", "regexp"];
        /// They find less than they would without.
        const LESS: &[&str] = &["w", "x", "word-regexp", "line-regexp"];
        const PLAIN: &[&str] =
            &["a", "s", "h", "text", "no-messages", "no-filename", "line-buffered"];
        let [name, words @ ..] = words else { return None };
        let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
        let taken = GREP.take(&words, 0);
        let known = [INVERTED, ANY_CASE, FIXED, BASIC, EXTENDED, PATTERN, LESS, PLAIN];
        let mut names = taken.options.iter().map(|it| it.name.as_str());
        if !names.all(|name| known.iter().any(|it| it.contains(&name))) {
            return None;
        }
        let given = taken.options.iter().filter(|it| PATTERN.contains(&it.name.as_str()));
        let given = given.map(|it| it.value.as_ref().map(|it| it.text.as_str()));
        let operands = taken.operands.iter().map(|place| Some(words[*place].text.as_str()));
        let patterns: Vec<&str> = given.chain(operands).collect::<Option<_>>()?;
        let [pattern] = patterns[..] else { return None };
        let kind = match (name.as_str(), taken.has(FIXED), taken.has(BASIC), taken.has(EXTENDED)) {
            ("fgrep", false, false, false) | ("grep" | "ggrep", true, false, false) => Kind::Fixed,
            ("grep" | "ggrep", false, _, false) => Kind::Basic,
            ("egrep", false, false, false) | ("grep" | "ggrep", false, false, true) => {
                Kind::Extended
            }
            _ => return None,
        };
        let (ignores_case, is_inverted) = (taken.has(ANY_CASE), taken.has(INVERTED));
        let pattern = if ignores_case { pattern.to_lowercase() } else { pattern.to_owned() };
        let filter = Self { pattern, kind, ignores_case, is_inverted };
        (filter.is_followed() && !(is_inverted && taken.has(LESS))).then_some(filter)
    }

    /// Whether the pattern means here what it means for `grep`.
    fn is_followed(&self) -> bool {
        let pattern = &self.pattern;
        if pattern.len() > LONGEST || pattern.contains(['\n', HOLE]) {
            return false;
        }
        self.dialect().is_none_or(|dialect| {
            let is_read = Regular::of(pattern, dialect).is_some();
            is_read && has_plain_signs(pattern, self.ignores_case)
        })
    }
}

/// Whether a backslash stands before signs only, and in no set, where it is one of its members; and,
/// where letters are made small, no set has ranges, which would be others by that.
fn has_plain_signs(pattern: &str, ignores_case: bool) -> bool {
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if signs.next().is_none_or(char::is_alphanumeric) => return false,
            '[' => {
                signs.next_if_eq(&'^');
                signs.next_if_eq(&']');
                loop {
                    match signs.next() {
                        Some(']') => break,
                        None | Some('\\' | '[') => return false,
                        Some('-') if ignores_case => return false,
                        Some(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    true
}

impl Walker<'_> {
    /// Whether a stage shows the names that it finds, and nothing else: through no filter yet.
    pub(super) fn shows_finds(&self, stage: &Node, finds: Range<usize>) -> Option<usize> {
        let words = self.own_words(stage, &["find", "gfind"])?;
        let shows_else = |word: &String| {
            const SHOWS: &[&str] = &["-exec", "-ok", "-ls", "-printf", "-fprint", "-fls"];
            SHOWS.iter().any(|it| word.starts_with(it))
        };
        // `find a//` shows two slashes, and what a pattern begins with is not known.
        let is_plain = |written: &str| {
            let is_home = !written.starts_with('~') || written == "~" || written.starts_with("~/");
            is_home && !written.contains("//") && !has_glob(written) && !written.contains('\n')
        };
        let mut found = self.reading.finds[finds].iter().peekable();
        let is_it =
            |it: &Find| !it.is_text && !it.is_git && it.starts.iter().all(|it| is_plain(&it.0));
        let is_known = found.peek().is_some() && found.all(is_it);
        (is_known && !words.iter().any(shows_else)).then_some(0)
    }

    /// How many filters the list has come through behind a stage that is given it; `None` where
    /// the lines are others then.
    pub(super) fn goes_through(
        &mut self,
        stage: &Node,
        through: usize,
        finds: Range<usize>,
    ) -> Option<usize> {
        const NAMES: &[&str] =
            &["grep", "ggrep", "egrep", "fgrep", "sort", "uniq", "cat", "head", "tail", "tr"];
        let words = self.own_words(stage, NAMES)?;
        if has_pattern(stage) {
            return None;
        }
        let is_count = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        let is_order =
            |it: &str| it.starts_with('-') && it[1..].chars().all(|c| "urnfVdb".contains(c));
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        match texts[..] {
            ["cat" | "uniq" | "sort"] | ["tr", r"\n", r"\0"] => Some(through),
            ["sort", order] if is_order(order) => Some(through),
            ["head" | "tail", count] if is_count(count.strip_prefix("-").unwrap_or_default()) => {
                Some(through)
            }
            ["head" | "tail", "-n", count] if is_count(count) => Some(through),
            ["grep" | "ggrep" | "egrep" | "fgrep", ..] if through < MOST => {
                let filter = LineFilter::of(&words)?;
                let finds = self.reading.finds.get_mut(finds)?;
                // It would go over all of them as over one line.
                if finds.iter().flat_map(|it| &it.words).any(|it| it == "-print0") {
                    return None;
                }
                for find in finds {
                    find.filters.truncate(through);
                    find.filters.push(filter.clone());
                }
                Some(through + 1)
            }
            _ => None,
        }
    }

    /// Whether a stage does what it does to the names that it is given, and makes no others of them.
    pub(super) fn takes_names(&self, stage: &Node) -> bool {
        let Some(words) = self.own_words(stage, &["xargs", "gxargs"]) else { return false };
        let texts = || words.iter().map(String::as_str);
        // Another list, and other pieces of it.
        let is_other = |word: &str| {
            word.starts_with("-a")
                || word.starts_with("--arg")
                || word.starts_with("-E")
                || word.starts_with("--eof")
                || word.starts_with("--del")
                || word.starts_with("-d") && !matches!(word, "-d" | r"-d\n" | r"-d\0")
        };
        let behind = texts().skip_while(|it| *it != "-d").nth(1);
        let is_line = behind.is_none_or(|it| matches!(it, r"\n" | r"\0"));
        is_line && !texts().any(is_other) && keeps_names(texts().skip(1))
    }

    /// The words of a command that is one of these, where each of them stands in the line as it is,
    /// no definition of the line's own is meant, and nothing but its errors is sent elsewhere.
    fn own_words(&self, node: &Node, names: &[&str]) -> Option<Vec<String>> {
        let Node::Simple(simple) = node else { return None };
        let words: Vec<String> = simple.words.iter().map(own_text).collect::<Option<_>>()?;
        let name = words.first()?.as_str();
        // Which program it is, and what it makes of its words, the line may say.
        let is_set = ["PATH", "GREP_OPTIONS"].iter().any(|it| self.env.variable(it).is_some());
        let is_own = self.env.function(name).is_some() || self.env.alias(name).is_some() || is_set;
        let is_plain = simple.assignments.is_empty()
            && simple.redirections.iter().all(drops_errors)
            && names.contains(&name)
            && !is_own;
        is_plain.then_some(words)
    }
}

fn own_text(word: &Word) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    word.parts.iter().map(text).collect()
}

/// Whether a word may stand for names of files, which would be read instead.
fn has_pattern(node: &Node) -> bool {
    let Node::Simple(simple) = node else { return true };
    let is_open = |part: &Part| match part {
        Part::Text { text, quoted } => !quoted && (has_glob(text) || text.contains(['{', '~'])),
        _ => true,
    };
    simple.words.iter().flat_map(|it| &it.parts).any(is_open)
}

/// `2> /dev/null`
fn drops_errors(redirection: &Redirection) -> bool {
    let is_nowhere = own_text(&redirection.target).is_some_and(|it| it == "/dev/null");
    let writes = matches!(redirection.kind, RedirectionKind::Write | RedirectionKind::Append);
    redirection.descriptor == Some(2) && writes && is_nowhere
}

/// Whether a command, by its words, does what it does to the names that it is given, and not to
/// others that it makes of them: no code of any language, none that renames or unpacks.
pub(super) fn keeps_names<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    const MAKES: &[&str] = &[
        "rename",
        "prename",
        "file-rename",
        "perl-rename",
        "mmv",
        "vidir",
        "parallel",
        "eval",
        "gunzip",
        "unzip",
        "bunzip2",
        "unxz",
        "unlzma",
        "unzstd",
        "zstd",
        "uncompress",
        "gzip",
        "bzip2",
        "xz",
        "lz4",
        "7z",
        "tar",
        "patch",
        "ex",
        "ed",
        "vi",
        "vim",
        "nvim",
        "emacs",
        "xargs",
        "find",
        "ssh",
        "su",
        "make",
    ];
    let makes = |word: &str| {
        let name = last_part(word);
        is_shell(name) || interpreters::find(name).is_some() || MAKES.contains(&name)
    };
    !words.any(|word| word.contains(['$', '`', HOLE]) || makes(word))
}

#[cfg(test)]
mod tests {
    use super::LineFilter;

    fn lets_through(words: &str, line: &str) -> Option<bool> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Some(LineFilter::of(&words)?.lets_through(line))
    }

    #[test]
    fn a_filter_keeps_out_what_grep_does() {
        let line = "./.claude/settings.json";
        for (words, is_shown) in [
            (r"grep \.json$", true),
            (r"grep \.py$", false),
            (r"grep -v \.json$", false),
            (r"grep -v \.py$", true),
            (r"grep -E \.(py|json)$", true),
            (r"egrep \.(py|pyc)$", false),
            (r"grep \.\(py\|json\)$", true),
            ("grep (py|json)", false),
            ("grep -F .json", true),
            ("grep -iF SETTINGS", true),
            ("fgrep .*", false),
            ("grep -e ^./src", false),
            ("grep [^/]*$", true),
            ("grep -x json", true),
        ] {
            assert_eq!(lets_through(words, line), Some(is_shown), "{words}");
        }
        for unknown in [
            r"grep [\.]py",
            r"grep \bpy",
            "grep -P py",
            "grep -vx py",
            "grep -c py",
            "grep -A 1 py",
            "grep py file",
            "grep -e a -e b",
            "grep -i [A-z]",
            "grep (a -E",
            "grep",
            "rg py",
        ] {
            assert_eq!(lets_through(unknown, line), None, "{unknown}");
        }
        assert_eq!(lets_through(r"grep \.py$", "./\u{FFFC}"), Some(true));
    }
}
