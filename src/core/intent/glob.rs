//! Path globs as one automaton. It matches paths, and says what a folder contains and what two
//! patterns have in common.
//!
//! The crates `glob` and `globset` only answer whether a path matches. Whether two scopes overlap,
//! whether a whole folder is owned and whether there is an exclusion below it would need a second
//! parser, which could disagree with the first. A test compares this one with both crates.
//!
//! | pattern | takes |
//! |---|---|
//! | `*`, `?`, `[a-z]`, `[!a]` | what a segment has, never a `/` |
//! | `**` between slashes | any number of whole segments, none among them |
//! | `a/**`, `a/` | everything below `a` |
//! | `\*` | that character |
//!
//! A state is a place between two steps, so the time is bounded by the path's length times the
//! pattern's.

use super::target::{Kind, folded};

/// In bytes.
pub(super) const LONGEST: usize = 4096;
/// The most patterns that `{a,b}{c,d}…` may expand to.
const MOST_ALTERNATIVES: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    steps: Vec<Step>,
    below: Below,
    is_all: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Char(char),
    Slash,
    One,
    Many,
    Set { negated: bool, ranges: Vec<(char, char)> },
    Deep,
}

/// How a pattern applies below what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// Nothing below it matches.
    Never,
    /// A named folder includes its content.
    Also,
    /// Only the content: `a/**`. Changing the folder itself counts, a file in its place does not.
    /// If its name is a wildcard, paths that do not exist yet are undecided.
    Only { named: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// For `owned_scope`: a last segment without wildcards includes everything below it, and `\` is
    /// only allowed before a special character.
    Scope,
    /// For `.gitignore`, whose caller asks about each parent folder.
    Ignore,
}

/// A place in a pattern: `2 * i` before step `i`, `2 * i + 1` within a segment that [`Step::Deep`]
/// takes, `2 * len + 2` below it all.
pub(super) type State = u32;

struct Segment {
    steps: Vec<Step>,
    is_plain: bool,
}

/// Expands `{a,b}`.
pub(super) fn alternatives(pattern: &str) -> Result<Vec<String>, String> {
    let mut todo = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = todo.pop() {
        match first_group(&text)? {
            None => done.push(text),
            Some((before, choices, after)) => {
                todo.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
        }
        let is_long = todo.last().is_some_and(|todo| todo.len() > LONGEST);
        if todo.len() + done.len() > MOST_ALTERNATIVES || is_long {
            return Err(format!("its braces stand for more than {MOST_ALTERNATIVES} patterns"));
        }
    }
    Ok(done)
}

type Group<'a> = (&'a str, Vec<&'a str>, &'a str);

/// The first outermost `{…}`.
fn first_group(text: &str) -> Result<Option<Group<'_>>, String> {
    let mut open: Option<usize> = None;
    let mut depth = 0usize;
    let mut cuts = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let mut length = c.len_utf8();
        match (c, open) {
            ('\\', _) => length += text[at + 1..].chars().next().map_or(0, char::len_utf8),
            // An unreadable class is reported with its segment.
            ('[', _) => length = class(&text[at..]).map_or(1, |(_, length)| length),
            ('{', _) => {
                open.get_or_insert(at);
                depth += 1;
            }
            ('}', None) => {
                return Err("`}` closes nothing; for the character write `\\}`".to_owned());
            }
            (',', _) if depth == 1 => cuts.push(at),
            ('}', Some(open)) if depth == 1 => {
                cuts.push(at);
                let mut from = open + 1;
                let choices = cuts.iter().map(|cut| {
                    let choice = &text[from..*cut];
                    from = cut + 1;
                    choice
                });
                return Ok(Some((&text[..open], choices.collect(), &text[at + 1..])));
            }
            ('}', Some(_)) => depth -= 1,
            _ => (),
        }
        at += length;
    }
    match open {
        Some(_) => Err("`{` is not closed; for the character write `\\{`".to_owned()),
        None => Ok(None),
    }
}

impl Glob {
    /// Parses a pattern without braces, relative to the root.
    pub(super) fn parse(pattern: &str, dialect: Dialect) -> Result<Self, String> {
        let is_folder = pattern.ends_with('/');
        let mut segments = Vec::new();
        for text in pattern.split('/') {
            match text {
                "" | "." => (),
                ".." => return Err("`..` leads out of what is named".to_owned()),
                // `None` is a `**`; two in a row are one.
                "**" if matches!(segments.last(), Some(None)) => (),
                "**" => segments.push(None),
                text => segments.push(Some(segment(text, dialect)?)),
            }
        }
        // `**/*` matches what `**` does.
        let is_any = |item: &Option<Segment>| {
            item.as_ref().is_some_and(|segment| segment.steps == [Step::Many])
        };
        if dialect == Dialect::Scope
            && segments.last().is_some_and(is_any)
            && matches!(segments.iter().rev().nth(1), Some(None))
        {
            segments.pop();
        }
        let is_deep = matches!(segments.last(), Some(None));
        if is_deep {
            segments.pop();
        }
        let is_all = is_deep && segments.is_empty();
        let named = segments
            .last()
            .is_some_and(|segment| segment.as_ref().is_some_and(|segment| segment.is_plain));
        let below = match dialect {
            _ if is_deep => Below::Only { named },
            Dialect::Scope if is_folder => Below::Only { named },
            Dialect::Scope if named => Below::Also,
            Dialect::Scope | Dialect::Ignore => Below::Never,
        };
        let mut steps = Vec::new();
        for (i, segment) in segments.into_iter().enumerate() {
            if i > 0 && steps.last() != Some(&Step::Deep) {
                steps.push(Step::Slash);
            }
            match segment {
                None => steps.push(Step::Deep),
                Some(segment) => steps.extend(segment.steps),
            }
        }
        Ok(Self { steps, below, is_all })
    }

    /// With `**/` before it.
    pub(super) fn anywhere(mut self) -> Self {
        if !self.is_all && self.steps.first() != Some(&Step::Deep) {
            self.steps.insert(0, Step::Deep);
        }
        self
    }

    /// The same, except that a `*` matches at least one character.
    pub(super) fn filled(&self) -> Self {
        let filled = |step: &Step| match step {
            Step::Many => vec![Step::One, Step::Many],
            other => vec![other.clone()],
        };
        Self { steps: self.steps.iter().flat_map(filled).collect(), ..*self }
    }

    /// As `other` sees it: a name that looks like a file has nothing below it, unless `other` says
    /// so.
    pub(super) fn met_by(&self, other: &Self) -> Self {
        let tail = self.steps.rsplit(|step| *step == Step::Slash).next().unwrap_or_default();
        let is_file = tail.iter().skip(1).any(|step| *step == Step::Char('.'));
        let spelt = self.beginning().chain(['/']).collect::<Vec<_>>();
        let is_spelt = spelt.len() == self.steps.len() + 1
            && other.beginning().take(spelt.len()).eq(spelt.iter().copied());
        let is_bounded = self.below == Below::Also && is_file && !is_spelt;
        let below = if is_bounded { Below::Never } else { self.below };
        Self { steps: self.steps.clone(), below, ..*self }
    }

    pub(super) fn names(&self, c: char) -> bool {
        self.steps.iter().any(|step| match step {
            Step::Char(own) => is_same(*own, c, true),
            Step::Set { ranges, .. } => in_ranges(ranges, c, true),
            Step::Slash | Step::One | Step::Many | Step::Deep => false,
        })
    }

    /// Whether it matches nearly everything.
    pub(super) fn is_too_broad(&self) -> bool {
        let says_nothing =
            |step: &Step| matches!(step, Step::Many | Step::One | Step::Slash | Step::Deep);
        self.steps.iter().all(says_nothing)
    }

    pub(super) fn names_nothing(&self) -> bool {
        self.steps.is_empty() && !self.is_all
    }

    pub(super) fn matches(&self, path: &str, kind: Kind, folds: bool) -> bool {
        let states = self.run(path.chars(), folds);
        states.iter().any(|state| self.accepts(*state, kind))
    }

    /// As [`Self::matches`] with a file, for the prefixes of `path` up to each of the ascending
    /// `ends`, in one pass.
    pub(super) fn matches_up_to(&self, path: &str, ends: &[usize], folds: bool) -> Vec<bool> {
        let mut states = self.closed(self.start());
        let mut from = 0;
        let mut up_to = |end: usize| {
            let more = path.get(from..end).unwrap_or_default();
            from = end;
            states = self.go_on(std::mem::take(&mut states), more.chars(), folds);
            states.iter().any(|state| self.accepts(*state, Kind::File))
        };
        ends.iter().map(|end| up_to(*end)).collect()
    }

    pub(super) fn covers(&self, folder: &str, folds: bool) -> bool {
        let below = self.run(folder.chars().chain(['/']), folds);
        below.contains(&self.everything())
    }

    pub(super) fn reaches_below(&self, folder: &str, folds: bool) -> bool {
        !self.run(folder.chars().chain(['/']), folds).is_empty()
    }

    fn run(&self, path: impl Iterator<Item = char>, folds: bool) -> Vec<State> {
        self.go_on(self.closed(self.start()), path, folds)
    }

    fn go_on(
        &self,
        mut states: Vec<State>,
        path: impl Iterator<Item = char>,
        folds: bool,
    ) -> Vec<State> {
        for c in path {
            if states.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for state in states {
                if let Some(state) = self.next(state, c, folds) {
                    self.close(state, &mut next);
                }
            }
            states = next;
        }
        states
    }

    pub(super) fn start(&self) -> State {
        if self.is_all { self.everything() } else { 0 }
    }

    fn everything(&self) -> State {
        State::try_from(2 * self.steps.len() + 2).unwrap_or(State::MAX)
    }

    pub(super) fn step(&self, state: State) -> Option<&Step> {
        self.steps.get(state as usize / 2).filter(|_| state.is_multiple_of(2))
    }

    /// Adds `state` and the states that it reaches without a character.
    fn close(&self, mut state: State, states: &mut Vec<State>) {
        while !states.contains(&state) {
            states.push(state);
            match self.step(state) {
                Some(Step::Many | Step::Deep) => state += 2,
                _ => return,
            }
        }
    }

    pub(super) fn closed(&self, state: State) -> Vec<State> {
        let mut states = Vec::new();
        self.close(state, &mut states);
        states
    }

    /// The next state; there is never more than one.
    pub(super) fn next(&self, state: State, c: char, folds: bool) -> Option<State> {
        if state == self.everything() {
            return Some(state);
        }
        if state % 2 == 1 {
            return Some(if c == '/' { state - 1 } else { state });
        }
        let Some(step) = self.step(state) else {
            let goes_on = self.below != Below::Never && c == '/';
            return goes_on.then(|| self.everything());
        };
        if c == '/' {
            return (*step == Step::Slash).then_some(state + 2);
        }
        match step {
            Step::Slash => None,
            Step::Char(own) => is_same(*own, c, folds).then_some(state + 2),
            Step::One => Some(state + 2),
            Step::Many => Some(state),
            Step::Set { negated, ranges } => {
                (in_ranges(ranges, c, folds) != *negated).then_some(state + 2)
            }
            Step::Deep => Some(state + 1),
        }
    }

    pub(super) fn accepts(&self, state: State, kind: Kind) -> bool {
        if state == self.everything() {
            return true;
        }
        let is_end = state as usize == 2 * self.steps.len();
        is_end
            && match (self.below, kind) {
                (Below::Never | Below::Also, _) | (Below::Only { .. }, Kind::Folder) => true,
                (Below::Only { named }, Kind::Absent) => named,
                (Below::Only { .. }, Kind::File) => false,
            }
    }

    /// The literal characters that every match starts with.
    pub(super) fn beginning(&self) -> impl Iterator<Item = char> {
        self.steps.iter().map_while(|step| match step {
            Step::Char(c) => Some(*c),
            Step::Slash => Some('/'),
            Step::One | Step::Many | Step::Set { .. } | Step::Deep => None,
        })
    }
}

pub(super) fn is_same(one: char, other: char, folds: bool) -> bool {
    one == other || folds && folded(one).eq(folded(other))
}

fn in_ranges(ranges: &[(char, char)], c: char, folds: bool) -> bool {
    let has = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
    has(c) || folds && (c.to_lowercase().any(has) || c.to_uppercase().any(has))
}

fn segment(text: &str, dialect: Dialect) -> Result<Segment, String> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let step = match c {
            '*' => Step::Many,
            '?' => Step::One,
            '[' => {
                let (set, its) = class(rest)?;
                length = its;
                set
            }
            '\\' => {
                let next = rest.chars().nth(1);
                length += next.map_or(0, char::len_utf8);
                Step::Char(escaped(next, dialect)?)
            }
            c => Step::Char(c),
        };
        rest = &rest[length..];
        if step != Step::Many || steps.last() != Some(&Step::Many) {
            steps.push(step);
        }
    }
    let is_plain = steps.iter().all(|step| matches!(step, Step::Char(_)));
    Ok(Segment { steps, is_plain })
}

/// On Windows people write `\` for `/`, so it is accepted only before characters that need
/// escaping.
fn escaped(c: Option<char>, dialect: Dialect) -> Result<char, String> {
    match (c, dialect) {
        (None, _) => Err("`\\` has nothing after it".to_owned()),
        (Some(c), Dialect::Ignore) => Ok(c),
        (Some(c), Dialect::Scope) if !c.is_alphanumeric() && !"._-/~$@".contains(c) => Ok(c),
        (Some(c), Dialect::Scope) => {
            Err(format!("`\\{c}` is not an escape; folders are separated by `/`"))
        }
    }
}

fn class(text: &str) -> Result<(Step, usize), String> {
    const OPEN: &str = "`[` is not closed; for the character write `\\[`";
    let mut chars = text.char_indices().skip(1).peekable();
    let negated = chars.next_if(|(_, c)| matches!(c, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let (at, c) = chars.next().ok_or(OPEN)?;
        let from = match c {
            ']' if !ranges.is_empty() => {
                return Ok((Step::Set { negated, ranges }, at + 1));
            }
            '[' if matches!(chars.peek(), Some((_, ':' | '.' | '='))) => {
                return Err("classes of names as `[[:alpha:]]` are not read".to_owned());
            }
            '\\' => chars.next().ok_or(OPEN)?.1,
            c => c,
        };
        let mut to = from;
        let mut ahead = chars.clone();
        if matches!(ahead.next(), Some((_, '-')))
            && let Some((_, end)) = ahead.next().filter(|(_, c)| *c != ']')
        {
            to = match end {
                '\\' => ahead.next().ok_or(OPEN)?.1,
                end => end,
            };
            chars = ahead;
        }
        if from > to {
            return Err(format!("the range `{from}-{to}` runs backwards"));
        }
        ranges.push((from, to));
    }
}
