//! `.intentignore`: the syntax of `.gitignore`, with an optional verb before each pattern. Without
//! one, the verb is `untracked`.
//!
//! ```text
//! # untracked: neither scoped, nor in ledger and map
//! node_modules/
//! untracked target/
//! # protected from every intent; from that intent only
//! deny secrets/**
//! INT-3: deny src/billing/
//! # a person is asked, or is not (never for critical commands)
//! ask migrations/
//! auto docs/**
//! # cannot be selected
//! INT-9
//! ```
//!
//! Each verb follows Git's rules by itself: the last matching line decides, `!` takes back, and
//! nothing is taken back below an included folder. `deny` and `ask` apply if either spelling of the
//! target matches, and ignore case; the other verbs need both spellings and never reach protected
//! places.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    catalogue::{Catalogue, Problem},
    glob::{Dialect, Glob, LONGEST},
    scope::shortened,
    target::{Case, Kind, Place, Target, guarded},
};

const MOST_LINES: usize = 10_000;

#[derive(Debug, Clone, Default)]
pub struct Ignore {
    rules: Vec<Rule>,
    closed: Vec<(String, usize)>,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Rule {
    line: usize,
    verb: Verb,
    intent: Option<String>,
    glob: Glob,
    /// Begins with `!`.
    takes_back: bool,
    only_folders: bool,
    is_anchored: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Untracked,
    Deny,
    Ask,
    Auto,
}

const VERBS: [(Verb, &str); 4] = [
    (Verb::Untracked, "untracked"),
    (Verb::Deny, "deny"),
    (Verb::Ask, "ask"),
    (Verb::Auto, "auto"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub line: usize,
    pub text: String,
    /// What it says, in words.
    pub read: Option<String>,
    /// What it may have been meant to say, or why it says nothing.
    pub problem: Option<String>,
    /// Whether it should protect something and cannot be read.
    pub breaks: bool,
}

/// For each verb, the line that decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Treatment {
    pub untracked: Option<usize>,
    pub deny: Option<usize>,
    pub ask: Option<usize>,
    pub auto: Option<usize>,
}

impl Treatment {
    pub fn is_plain(&self) -> bool {
        self.deny.is_none() && self.ask.is_none()
    }
}

impl Ignore {
    /// `catalogue` tells ids from patterns.
    pub fn parse(text: &str, catalogue: &Catalogue) -> Self {
        let mut res = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.split('\n').enumerate() {
            if index == MOST_LINES {
                let problem = Some(format!("no more than {MOST_LINES} lines are read"));
                let (line, text, read) = (index + 1, String::new(), None);
                res.lines.push(Line { line, text, read, problem, breaks: true });
                break;
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            let trimmed = without_blanks_at_end(line.trim_start_matches([' ', '\t']));
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let (line, text) = (index + 1, shortened(trimmed));
            let line = match res.read(line, trimmed, catalogue) {
                Ok((read, problem)) => Line { line, text, read, problem, breaks: false },
                Err((verb, what)) => {
                    let breaks = matches!(verb, Verb::Deny | Verb::Ask);
                    Line { line, text, read: None, problem: Some(what), breaks }
                }
            };
            res.lines.push(line);
        }
        res
    }

    /// The readable lines of a `.gitignore`; what they name is untracked.
    pub fn of_git(text: &str) -> Self {
        let mut res = Self::default();
        for (index, line) in text.split('\n').take(MOST_LINES).enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let text = without_blanks_at_end(line);
            if !text.trim().is_empty() && !text.starts_with('#') {
                res.rules.extend(rule(index + 1, Verb::Untracked, None, text));
            }
        }
        res
    }

    /// Whether a path is ignored, without regard to its parents; `None` if no line matches.
    pub fn ignores(&self, path: &str, is_folder: bool) -> Option<bool> {
        let fits = |rule: &&Rule| {
            (is_folder || !rule.only_folders) && rule.glob.matches(path, Kind::File, false)
        };
        self.rules.iter().rev().find(fits).map(|rule| !rule.takes_back)
    }

    fn read(
        &mut self,
        line: usize,
        text: &str,
        catalogue: &Catalogue,
    ) -> Result<(Option<String>, Option<String>), (Verb, String)> {
        let is_known = |id: &str| catalogue.intents.iter().any(|intent| intent.id == id);
        let bare = text.trim();
        if is_known(bare) || looks_like_an_id(bare) {
            let unknown = (!is_known(bare)).then(|| "no such intent is declared".to_owned());
            self.closed.push((bare.to_owned(), line));
            return Ok((Some(format!("{bare} cannot be selected")), unknown));
        }
        let (intent, rest) = match id_before(text, is_known) {
            Some((id, rest)) => (Some(id.to_owned()), rest),
            None => (None, text),
        };
        let (verb, pattern) = match verb_before(rest) {
            Some(found) => found,
            None => match strange(rest) {
                Some(strange) => return Err(strange),
                None => (Verb::Untracked, rest),
            },
        };
        let rule = rule(line, verb, intent.clone(), pattern).map_err(|what| (verb, what))?;
        let unknown = intent.as_ref().filter(|id| !is_known(id));
        let doubt = unknown.map(|id| format!("no intent `{}` is declared", shortened(id)));
        let doubt = doubt.or_else(|| oddity(pattern).map(str::to_owned));
        if verb == Verb::Untracked && !rule.takes_back && rule.glob.is_too_broad() {
            let what = "it would leave nothing to govern, so it says nothing: name the folders or \
                        files that are not tracked, as in `target/`";
            return Err((verb, what.to_owned()));
        }
        let said = said(verb, intent.as_deref(), &shortened(pattern));
        self.rules.push(rule);
        Ok((Some(said), doubt))
    }

    /// Without comments.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// As `roz intent check` prints them. An unreadable `deny` or `ask` breaks the file.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        self.lines.iter().filter_map(|line| {
            let what = format!("`{}`: {}", line.text, line.problem.as_ref()?);
            Some(Problem { line: line.line, column: 0, what, breaks: line.breaks })
        })
    }

    pub fn closes(&self, id: &str) -> Option<usize> {
        self.closed.iter().find(|(closed_id, _)| closed_id == id).map(|(_, line)| *line)
    }

    /// `intent` is the one that the agent has selected.
    pub fn treats(&self, target: &Target, intent: Option<&str>) -> Treatment {
        let strict = |verb| {
            target.places().into_iter().find_map(|place| self.decides(verb, place, target, intent))
        };
        let relaxed = |verb| {
            let is_guarded = |place: &&Place| match place {
                Place::Inside(path) => guarded(path).is_some(),
                Place::Outside(_) => true,
            };
            let places = target.places();
            if target.guarded.is_some() || places.iter().any(is_guarded) {
                return None;
            }
            let [written, real] = places.map(|place| self.decides(verb, place, target, intent));
            written.and(real)
        };
        Treatment {
            untracked: relaxed(Verb::Untracked),
            deny: strict(Verb::Deny),
            ask: strict(Verb::Ask),
            auto: relaxed(Verb::Auto),
        }
    }

    /// The deciding line for `verb`, if it applies.
    fn decides(
        &self,
        verb: Verb,
        place: &Place,
        target: &Target,
        intent: Option<&str>,
    ) -> Option<usize> {
        let Place::Inside(path) = place else { return None };
        let restricts = matches!(verb, Verb::Deny | Verb::Ask);
        let folds = restricts || target.case == Case::Folds;
        let is_meant = |item: &&Rule| {
            item.verb == verb && item.intent.as_deref().is_none_or(|text| Some(text) == intent)
        };
        let rules: Vec<&Rule> = self.rules.iter().filter(is_meant).collect();
        if rules.is_empty() || path.is_empty() {
            return None;
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let ends: Vec<usize> = ends.collect();
        let fitting = |rule: &&Rule| rule.glob.matches_up_to(path, &ends, folds);
        let fitting: Vec<Vec<bool>> = rules.iter().map(fitting).collect();
        for (at, end) in ends.iter().enumerate() {
            let is_folder = *end < path.len() || target.kind == Kind::Folder;
            let fits = |(rule, fits): &(&&Rule, &Vec<bool>)| {
                (is_folder || !rule.only_folders) && fits.get(at) == Some(&true)
            };
            let last = rules.iter().zip(&fitting).rev().find(fits).map(|rule| rule.0);
            if let Some(rule) = last.filter(|last| !last.takes_back) {
                return Some(rule.line);
            }
        }
        // Changing a folder changes the protected paths in it, if a line names them.
        let lies_below = |item: &&&Rule| {
            item.is_anchored && !item.takes_back && item.glob.reaches_below(path, folds)
        };
        let is_held = restricts && target.kind == Kind::Folder;
        rules.iter().find(lies_below).filter(|_| is_held).map(|rule| rule.line)
    }
}

fn rule(line: usize, verb: Verb, intent: Option<String>, text: &str) -> Result<Rule, String> {
    let (body, takes_back) = match text.strip_prefix('!') {
        Some(body) => (body, true),
        None => (text, false),
    };
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    if text.contains(char::is_control) {
        return Err("it has a control character".to_owned());
    }
    let (body, only_folders) = match body.strip_suffix('/') {
        Some(body) if !body.ends_with('\\') => (body, true),
        _ => (body, false),
    };
    let is_anchored = body.contains('/');
    let body = body.strip_prefix('/').unwrap_or(body);
    let glob = Glob::parse(body, Dialect::Ignore)?;
    if glob.names_nothing() {
        return Err("it names nothing".to_owned());
    }
    let glob = if is_anchored { glob } else { glob.anywhere() };
    let is_anchored = is_anchored && !body.starts_with("**");
    Ok(Rule { line, verb, intent, glob, takes_back, only_folders, is_anchored })
}

/// Git removes blanks at the end, except after `\`.
fn without_blanks_at_end(line: &str) -> &str {
    let trimmed = line.trim_end_matches([' ', '\t']);
    let escapes = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if escapes % 2 == 0 {
        return trimmed;
    }
    let next = line[trimmed.len()..].chars().next().map_or(0, char::len_utf8);
    &line[..trimmed.len() + next]
}

/// An id like `INT-001`, rather than a file name.
fn looks_like_an_id(word: &str) -> bool {
    let Some((letters, digits)) = word.split_once('-') else { return false };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let mut letters = letters.bytes();
    let begins = letters.next().is_some_and(|letter| letter.is_ascii_uppercase());
    begins
        && letters.all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
        && is_number
}

fn id_before(text: &str, is_known: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let (id, rest) = text.split_once(':')?;
    let id = id.trim();
    let is_id = is_known(id) || looks_like_an_id(id);
    let rest = rest.trim_start();
    (is_id && !rest.is_empty()).then_some((id, rest))
}

/// Splits a line into verb and pattern. A verb alone is a pattern.
fn verb_before(text: &str) -> Option<(Verb, &str)> {
    let (word, rest) = text.split_once([' ', '\t'])?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let (verb, _) = VERBS.iter().find(|(_, text)| text.eq_ignore_ascii_case(word))?;
    (!rest.is_empty()).then_some((*verb, rest))
}

fn oddity(pattern: &str) -> Option<&'static str> {
    let bare = pattern.strip_prefix('!').unwrap_or(pattern);
    if bare.contains(" #") {
        Some("all of it is a name; a comment has a line of its own")
    } else if bare.starts_with("./") {
        Some("patterns begin at the project's root without a `./`")
    } else {
        (bare.contains('{') && bare.contains(','))
            .then_some("braces are characters like any other here; write a line for each")
    }
}

/// What is wrong with a line whose first word is an unknown verb, such as `protcet src/`, and which
/// verb was perhaps meant. Such a line permits nothing; if it should protect something, the file is
/// broken.
fn strange(text: &str) -> Option<(Verb, String)> {
    let (word, pattern) = text.split_once([' ', '\t'])?;
    let is_word = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    if !is_word || pattern.trim().is_empty() {
        return None;
    }
    let word = shortened(&word.trim_end_matches(':').to_lowercase());
    let pattern = shortened(pattern.trim());
    let is_near = |verb: &str| strsim::osa_distance(verb, &word) <= verb.len() / 3;
    if let Some((verb, name)) = VERBS.iter().find(|(_, name)| is_near(name)) {
        return Some((*verb, format!("did you mean `{name} {pattern}`?")));
    }
    let name = format!("{word} {pattern}").replace(' ', "\\ ");
    let what = format!(
        "`{word}` is not a verb (untracked, deny, ask, auto), so it says nothing; a name with blanks \
         is written `{name}`"
    );
    Some((Verb::Untracked, what))
}

impl Verb {
    pub fn word(self) -> &'static str {
        VERBS.iter().find(|(verb, _)| *verb == self).map_or("", |(_, word)| word)
    }
}

fn said(verb: Verb, intent: Option<&str>, pattern: &str) -> String {
    let what = match verb {
        Verb::Untracked => "is not tracked: neither scoped, nor in ledger and map",
        Verb::Deny => "is protected",
        Verb::Ask => "is asked about",
        Verb::Auto => "is not asked about, but for critical commands",
    };
    let said = match pattern.strip_prefix('!') {
        Some(rest) => format!("takes `{rest}` back: of `{}`", verb.word()),
        None => format!("`{pattern}` {what}"),
    };
    match intent {
        Some(id) => format!("{said}, for {id} only"),
        None if verb == Verb::Deny => format!("{said}, from every intent"),
        None => said,
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = self.read.as_deref().unwrap_or("says nothing");
        write!(f, "line {}: `{}`: {read}", self.line, self.text)?;
        self.problem.iter().try_for_each(|problem| write!(f, " ({problem})"))
    }
}
