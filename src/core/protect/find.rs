//! Whether a `find` comes to a file: its expression, evaluated as far as the
//! file's place and kind tell. It leans to yes.

use super::regex;
use crate::shell::{self, Find, HOLE};

/// A file as a `find` comes by it.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// As `find` would print it.
    pub path: &'a str,
    /// The same where the home stands as `~` in it: with its name.
    pub spelt_out: &'a str,
    /// Below where it began; there it is 0.
    pub depth: usize,
    pub is_dir: bool,
    pub is_link: bool,
    pub is_empty: bool,
    /// In bytes, of a file; the bits of its mode; and how long ago it was changed, in seconds. Each
    /// where it is known and stays so until `find` looks.
    pub size: Option<u64>,
    pub mode: Option<u32>,
    pub age: Option<u64>,
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
    let filters = find.filters.iter().take(act.saturating_sub(words.len()));
    let is_let_through = filters.into_iter().all(|it| {
        it.lets_through(found.path)
            || found.spelt_out != found.path && it.lets_through(found.spelt_out)
    });
    let prunes = walk.pruned && !words.iter().any(|it| matches!(it.as_str(), "-depth" | "-delete"));
    Reach { acts: walk.reached && is_deep_enough && is_let_through, prunes }
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
            "-path" | "-wholename" => self.of_path(|path| fits(value, path, false)),
            "-ipath" | "-iwholename" => self.of_path(|path| fits(value, path, true)),
            "-regex" | "-iregex" => self.of_path(|path| self.regex(word, value, path)),
            "-size" => self.found.size.map_or(Truth::Maybe, |it| has_size(value, it)),
            "-perm" => self.found.mode.map_or(Truth::Maybe, |it| has_mode(value, it)),
            "-mtime" => self.found.age.map_or(Truth::Maybe, |it| has_age(value, it)),
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
            // What else there is asks for owners, and for times that may change.
            _ => Truth::Maybe,
        }
    }

    /// What a test says of the path, however the home stands in it.
    fn of_path(&self, says: impl Fn(&str) -> Truth) -> Truth {
        let Found { path, spelt_out, .. } = self.found;
        let answer = says(path);
        if spelt_out == path || says(spelt_out) == answer { answer } else { Truth::Maybe }
    }

    /// The expression is what the system's own `find` reads, of Emacs or an extended one: where
    /// both say the same, it is so.
    fn regex(&self, word: &str, pattern: &str, path: &str) -> Truth {
        const KINDS: &str = "emacs findutils-default posix-extended posix-egrep egrep";
        let mut kinds = self.words.iter().skip_while(|it| *it != "-regextype");
        let is_other_kind = kinds.nth(1).is_some_and(|it| !super::is_in(KINDS, it))
            || kinds.any(|it| it == "-regextype")
            || pattern.contains([HOLE, '\n']);
        let Some(of_emacs) = of_emacs(pattern).filter(|_| !is_other_kind) else {
            return Truth::Maybe;
        };
        let ignores_case = word == "-iregex";
        let small = |text: &str| if ignores_case { text.to_lowercase() } else { text.to_owned() };
        let path = small(path);
        let answer = |pattern: &str| {
            let matched = regex::matched(&format!("^({})$", small(pattern)), &path);
            match matched {
                // Ranges of small letters are others.
                Some(_) if ignores_case && pattern.contains('[') => Truth::Maybe,
                matched => matched.map_or(Truth::Maybe, sure),
            }
        };
        let extended = answer(pattern);
        if of_emacs == pattern || answer(&of_emacs) == extended { extended } else { Truth::Maybe }
    }
}

/// An expression as Emacs has it, in the extended spelling: there it is `\(`, `\|` and `\)` that
/// group, and without a backslash these and braces are signs. `None` where it is not followed.
fn of_emacs(pattern: &str) -> Option<String> {
    let mut extended = String::with_capacity(pattern.len() + 8);
    let mut signs = pattern.chars();
    let mut is_in_set = false;
    while let Some(sign) = signs.next() {
        match sign {
            _ if is_in_set => {
                // A backslash is a member of the set, or takes the next one's meaning.
                if matches!(sign, '\\' | '[') {
                    return None;
                }
                is_in_set = sign != ']';
                extended.push(sign);
            }
            '[' => {
                is_in_set = true;
                extended.push(sign);
                let mut ahead = signs.clone();
                let first = ahead.next();
                let second = if first == Some('^') { ahead.next() } else { first };
                if second == Some(']') {
                    return None;
                }
            }
            '\\' => match signs.next()? {
                group @ ('(' | '|' | ')') => extended.push(group),
                plain if plain.is_alphanumeric() || "{}<>`'_=".contains(plain) => return None,
                plain => extended.extend(['\\', plain]),
            },
            '(' | ')' | '|' | '{' | '}' => extended.extend(['\\', sign]),
            sign => extended.push(sign),
        }
    }
    Some(extended)
}

/// `-size 0`, `+100k`, `-2M`: between what one `find` rounds up and another does not, it is unknown.
fn has_size(value: &str, size: u64) -> Truth {
    let (sign, rest) = signed(value);
    let unit = match rest.trim_start_matches(|it: char| it.is_ascii_digit()) {
        "" | "b" => 512,
        "c" => 1,
        "w" => 2,
        "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Truth::Maybe,
    };
    let count = rest.trim_end_matches(|it: char| it.is_ascii_alphabetic()).parse::<u64>();
    let Some(most) = count.ok().and_then(|it| it.checked_mul(unit)) else { return Truth::Maybe };
    let least = most.saturating_sub(unit);
    match sign {
        Some('+') => sure(size > most),
        Some(_) if size >= most => Truth::No,
        Some(_) if size <= least && most > 0 => Truth::Yes,
        None if size == most => Truth::Yes,
        None if size > most || size <= least => Truth::No,
        _ => Truth::Maybe,
    }
}

/// `-perm 644`, `-200`, `/111`, in octal digits.
fn has_mode(value: &str, mode: u32) -> Truth {
    let digits = value.trim_start_matches(['-', '/']);
    let is_octal = digits.len() <= 5 && digits.bytes().all(|it| matches!(it, b'0'..=b'7'));
    let Some(asked) = u32::from_str_radix(digits, 8).ok().filter(|_| is_octal) else {
        return Truth::Maybe;
    };
    match value.len() - digits.len() {
        0 => sure(mode & 0o7777 == asked),
        1 if value.starts_with('-') => sure(mode & asked == asked),
        1 => sure(asked == 0 || mode & asked != 0),
        _ => Truth::Maybe,
    }
}

/// `-mtime +30`: what is newer by a day or more than it asks for, is not found. A file may be
/// changed before `find` comes, and is not older by that: of all else nothing is said.
fn has_age(value: &str, age: u64) -> Truth {
    const DAY: u64 = 24 * 60 * 60;
    let (sign, rest) = signed(value);
    let days = rest.parse::<u64>().ok().and_then(|it| it.checked_mul(DAY));
    match (sign, days) {
        (Some('+') | None, Some(asked)) if age.saturating_add(DAY) < asked => Truth::No,
        _ => Truth::Maybe,
    }
}

fn signed(value: &str) -> (Option<char>, &str) {
    let sign = value.chars().next().filter(|it| matches!(it, '+' | '-'));
    (sign, &value[sign.map_or(0, char::len_utf8)..])
}

fn takes_one(word: &str) -> bool {
    const TAKES_ONE: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype \
        -like -mtime -mmin -atime -amin -ctime -cmin -size -perm -user -group -uid -gid -links \
        -inum -samefile -fstype -lname -ilname -used -context -maxdepth -mindepth -printf \
        -fprint -fprint0 -fls -regextype -files0-from -anewer -cnewer -D";
    super::is_in(TAKES_ONE, word) || word.starts_with("-newer")
}

fn fits(pattern: &str, text: &str, ignores_case: bool) -> Truth {
    let Some(pattern) = without_escapes(&pattern.replace(HOLE, "*")) else { return Truth::Maybe };
    let (pattern, text) = if ignores_case {
        (pattern.to_lowercase(), text.to_lowercase())
    } else {
        (pattern, text.to_owned())
    };
    shell::pattern_matched(&pattern, &text).map_or(Truth::Maybe, sure)
}

/// `*/\.*`: a sign behind a backslash stands for itself. `None` beside sets, where it may be one of
/// their members, and at the end.
fn without_escapes(pattern: &str) -> Option<String> {
    if !pattern.contains('\\') {
        return Some(pattern.to_owned());
    }
    let mut plain = String::with_capacity(pattern.len() + 4);
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '[' => return None,
            '\\' => match signs.next()? {
                own @ ('*' | '?' | '[') => plain.extend(['[', own, ']']),
                own => plain.push(own),
            },
            sign => plain.push(sign),
        }
    }
    Some(plain)
}
