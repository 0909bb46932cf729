//! Whether a `find` comes to a file: its expression, evaluated as far as the
//! file's place and kind tell. It leans to yes.

use super::regex;
use crate::shell::{self, Find, HOLE};

/// A file as a `find` comes by it.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// As `find` would print it.
    pub path: &'a str,
    /// Below where it began; there it is 0.
    pub depth: usize,
    pub is_dir: bool,
    pub is_link: bool,
    pub is_empty: bool,
}

/// What a `find` does when it comes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The act may be done to it.
    pub acts: bool,
    /// What lies below it is passed over.
    pub prunes: bool,
}

/// Whether the act at a place among the words of `find` may be done to `found`.
pub fn reach(find: &Find, act: usize, found: Found) -> Reach {
    let words = &find.words;
    let bound = |name: &str| {
        let at = words.iter().position(|it| it == name)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    if bound("-maxdepth").is_some_and(|it| found.depth > it) {
        return Reach { acts: false, prunes: true };
    }
    let is_deep_enough = bound("-mindepth").is_none_or(|it| found.depth >= it);
    let prints = |it: &String| it.starts_with("-print") || it.starts_with("-fprint");
    let is_printed_anyhow = !words.iter().any(|it| prints(it) || is_action(it));
    let mut walk = Walk {
        words,
        at: 0,
        act,
        found,
        reached: false,
        pruned: false,
        prints: act >= words.len() && !is_printed_anyhow,
    };
    let mut value = walk.list(Truth::Yes, 0);
    // A `)` too many: nothing that `find` would run.
    if walk.at < words.len() {
        value = Truth::Maybe;
        walk.reached = true;
    }
    if act >= words.len() && is_printed_anyhow {
        walk.reached = value != Truth::No;
    }
    let prunes = walk.pruned && !words.iter().any(|it| matches!(it.as_str(), "-depth" | "-delete"));
    Reach { acts: walk.reached && is_deep_enough, prunes }
}

fn is_action(word: &str) -> bool {
    matches!(word, "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir" | "-ls" | "-fls")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Truth {
    No,
    Maybe,
    Yes,
}

impl Truth {
    fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Maybe => Self::Maybe,
            Self::Yes => Self::No,
        }
    }
}

fn sure(is_so: bool) -> Truth {
    if is_so { Truth::Yes } else { Truth::No }
}

struct Walk<'a> {
    words: &'a [String],
    at: usize,
    act: usize,
    found: Found<'a>,
    reached: bool,
    pruned: bool,
    /// Whether the act is done to what an explicit `-print` prints.
    prints: bool,
}

const MAX_DEPTH: usize = 64;

impl Walk<'_> {
    fn take(&mut self, words: &[&str]) -> bool {
        let is_next = self.words.get(self.at).is_some_and(|it| words.contains(&it.as_str()));
        self.at += usize::from(is_next);
        is_next
    }

    /// `live`: whether `find` comes to evaluate it.
    fn list(&mut self, live: Truth, depth: usize) -> Truth {
        let mut value = self.either(live, depth);
        while self.take(&[","]) {
            value = self.either(live, depth);
        }
        value
    }

    fn either(&mut self, live: Truth, depth: usize) -> Truth {
        let mut value = self.both(live, depth);
        while self.take(&["-o", "-or"]) {
            value = value.max(self.both(live.min(value.not()), depth));
        }
        value
    }

    fn both(&mut self, live: Truth, depth: usize) -> Truth {
        let mut value = Truth::Yes;
        while let Some(word) = self.words.get(self.at) {
            if matches!(word.as_str(), ")" | "-o" | "-or" | ",") {
                break;
            }
            if !self.take(&["-a", "-and"]) {
                value = value.min(self.one(live.min(value), depth));
            }
        }
        value
    }

    fn one(&mut self, live: Truth, depth: usize) -> Truth {
        let mut is_negated = false;
        while self.take(&["!", "-not"]) {
            is_negated = !is_negated;
        }
        let value = if self.take(&["("]) {
            if depth > MAX_DEPTH {
                self.reached = true;
                self.at = self.words.len();
                return Truth::Maybe;
            }
            let value = self.list(live, depth + 1);
            self.take(&[")"]);
            value
        } else {
            self.test(live)
        };
        if is_negated { value.not() } else { value }
    }

    fn test(&mut self, live: Truth) -> Truth {
        let Some(word) = self.words.get(self.at).map(String::as_str) else { return Truth::Yes };
        let place = self.at;
        let value = self.words.get(place + 1).map_or("", String::as_str);
        let arguments = usize::from(takes_one(word)) + 2 * usize::from(word == "-fprintf");
        self.at += 1 + arguments;
        if place == self.act {
            self.reached |= live != Truth::No;
        }
        let name = self.found.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        match word {
            "-name" => fits(value, name, false),
            "-iname" => fits(value, name, true),
            "-path" | "-wholename" => fits(value, self.found.path, false),
            "-ipath" | "-iwholename" => fits(value, self.found.path, true),
            "-regex" | "-iregex" => self.regex(word, value),
            "-like" => {
                let pattern = value.replace(HOLE, ".*");
                let is_small = !pattern.contains(|c: char| c.is_uppercase());
                let name = if is_small { name.to_lowercase() } else { name.to_owned() };
                sure(regex::may_match(&pattern, &name))
            }
            "-visible" => {
                let below = self.found.path.rsplit('/').take(self.found.depth);
                sure(!below.into_iter().any(|it| it.starts_with('.')))
            }
            "-type" => {
                let kind = match (self.found.is_link, self.found.is_dir) {
                    (true, _) => 'l',
                    (_, true) => 'd',
                    _ => 'f',
                };
                sure(value.contains(kind) || value.contains(HOLE))
            }
            "-empty" => sure(self.found.is_empty),
            "-false" => Truth::No,
            "-prune" => {
                self.pruned |= live == Truth::Yes;
                Truth::Yes
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut rest = self.words[self.at..].iter().enumerate();
                let end = rest.find(|(at, it)| {
                    *it == ";" || *it == "+" && self.words[self.at + at - 1] == "{}"
                });
                self.at = end.map_or(self.words.len(), |(at, _)| self.at + at + 1);
                Truth::Maybe
            }
            it if it.starts_with("-print") || it.starts_with("-fprint") => {
                self.reached |= self.prints && live != Truth::No;
                Truth::Yes
            }
            "-delete" | "-true" | "-maxdepth" | "-mindepth" | "-depth" | "-d" | "-xdev"
            | "-mount" | "-follow" | "-daystart" | "-noleaf" | "-regextype" | "-ls" | "-fls" => {
                Truth::Yes
            }
            // What else there is asks for times, sizes and owners.
            _ => Truth::Maybe,
        }
    }

    fn regex(&self, word: &str, pattern: &str) -> Truth {
        let is_other_kind = self.words.iter().any(|it| it == "-regextype")
            || ["\\(", "\\|", "\\{"].iter().any(|it| pattern.contains(it));
        if is_other_kind || pattern.contains(HOLE) {
            return Truth::Maybe;
        }
        let (pattern, path) = match word {
            "-iregex" => (pattern.to_lowercase(), self.found.path.to_lowercase()),
            _ => (pattern.to_owned(), self.found.path.to_owned()),
        };
        sure(regex::may_match(&format!("^({pattern})$"), &path))
    }
}

fn takes_one(word: &str) -> bool {
    const TAKES_ONE: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype \
        -like -mtime -mmin -atime -amin -ctime -cmin -size -perm -user -group -uid -gid -links \
        -inum -samefile -fstype -lname -ilname -used -context -maxdepth -mindepth -printf \
        -fprint -fprint0 -fls -regextype -files0-from -anewer -cnewer -D";
    super::is_in(TAKES_ONE, word) || word.starts_with("-newer")
}

fn fits(pattern: &str, text: &str, ignores_case: bool) -> Truth {
    let pattern = pattern.replace(HOLE, "*");
    let (pattern, text) = if ignores_case {
        (pattern.to_lowercase(), text.to_lowercase())
    } else {
        (pattern, text.to_owned())
    };
    shell::pattern_matched(&pattern, &text).map_or(Truth::Maybe, sure)
}
