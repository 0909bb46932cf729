//! The tokens of glob patterns: `*`, `?`, `[…]`.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Character(char),
    One,
    /// Any text; it crosses blanks and slashes.
    Many,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    /// Whether it takes this one character. [`Token::Many`] is the caller's to follow.
    pub(super) fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::One => true,
            Self::Many => false,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *negated
            }
        }
    }
}

/// Steps of one match; beyond, nobody knows. A part of a path of the longest name takes an eighth.
pub(super) const STEPS: usize = 1 << 17;

/// Whether a pattern, in a part of a path or a name, matches all of a text. Which names a shell's `*`
/// passes over is the caller's to know. Where it would take too long to know, it may.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut left = STEPS;
    let text: Vec<char> = text.chars().collect();
    all_match(&tokens(pattern), &text, &mut left).unwrap_or(true)
}

/// Whether tokens match all of a text, with what is left of the steps; `None` where those do not
/// suffice.
pub(super) fn all_match(tokens: &[Token], text: &[char], left: &mut usize) -> Option<bool> {
    let (mut token, mut at) = (0, 0);
    // Where to go on when a later part fails: after the last `*`, one character further.
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        *left = left.checked_sub(1)?;
        match tokens.get(token) {
            Some(Token::Many) => {
                token += 1;
                retry = Some((token, at));
            }
            Some(one) if one.takes(text[at]) => {
                token += 1;
                at += 1;
            }
            _ => {
                let Some((after, from)) = retry else { return Some(false) };
                token = after;
                at = from + 1;
                retry = Some((after, at));
            }
        }
    }
    Some(tokens[token..].iter().all(|token| *token == Token::Many))
}

pub(super) fn tokens(pattern: &str) -> Vec<Token> {
    let characters: Vec<char> = pattern.chars().collect();
    let closes =
        if characters.contains(&'[') { Closes::of(&characters) } else { Closes::default() };
    let mut tokens = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        tokens.push(match character {
            '*' => Token::Many,
            '?' => Token::One,
            '[' if closes.has_set(&characters, at) => set(&characters, &closes, &mut at),
            character => Token::Character(character),
        });
    }
    tokens
}

/// What brackets close, for each place of a pattern: found once, from the end, so that what nothing
/// closes costs no look at all that follows it.
#[derive(Default)]
struct Closes {
    /// Behind the `:]` (`.]`, `=]`) of a name in a set that may begin here; 0 without one.
    names: Vec<usize>,
    /// Whether a set one of whose members begins here is closed.
    sets: Vec<bool>,
}

impl Closes {
    fn of(characters: &[char]) -> Self {
        let count = characters.len();
        let mut closes = Self { names: vec![0; count], sets: vec![false; count + 1] };
        // Behind the next end of a name, of each kind, no nearer than two characters ahead.
        let mut ends = [0; 3];
        for at in (0..count).rev() {
            if let Some(&[kind, ']']) = characters.get(at + 2..at + 4)
                && let Some(kind) = KINDS.iter().position(|it| *it == kind)
            {
                ends[kind] = at + 4;
            }
            if characters[at] == '['
                && let Some(kind) = KINDS.iter().position(|it| characters.get(at + 1) == Some(it))
            {
                closes.names[at] = ends[kind];
            }
            let next = closes.member(characters, at);
            closes.sets[at] = characters[at] == ']' || closes.sets[next];
        }
        closes
    }

    /// Where the member of a set that begins at a place ends: `a`, `a-z`, `[:alpha:]`.
    fn member(&self, characters: &[char], at: usize) -> usize {
        match (self.names[at], characters.get(at + 1..at + 3)) {
            (0, Some(&['-', to])) if to != ']' => at + 3,
            (0, _) => at + 1,
            (end, _) => end,
        }
    }

    /// Whether what stands behind a `[` is a set. The first member may be a `]`.
    fn has_set(&self, characters: &[char], at: usize) -> bool {
        let first = first_member(characters, at);
        first < characters.len() && self.sets[self.member(characters, first)]
    }
}

/// `[:alpha:]`, `[.x.]`, `[=x=]`
const KINDS: [char; 3] = [':', '.', '='];

fn first_member(characters: &[char], at: usize) -> usize {
    at + usize::from(matches!(characters.get(at), Some('!' | '^')))
}

/// The set behind a `[`, which is closed.
fn set(characters: &[char], closes: &Closes, at: &mut usize) -> Token {
    let first = first_member(characters, *at);
    let negated = first > *at;
    let mut ranges = Vec::new();
    let mut is_any = false;
    *at = first;
    while let Some(&from) = characters.get(*at).filter(|it| **it != ']' || *at == first) {
        let next = closes.member(characters, *at);
        if closes.names[*at] > 0 {
            match class(&characters[*at + 2..next - 2].iter().collect::<String>()) {
                Some(known) => ranges.extend(known),
                None => is_any = true,
            }
            // Of letters beyond our own nobody knows: it leans to a match.
            if is_any || !negated {
                ranges.push(('\u{80}', char::MAX));
            }
        } else {
            ranges.push((from, characters[next - 1]));
        }
        *at = next;
    }
    *at += 1;
    if is_any { Token::One } else { Token::Set { negated, ranges } }
}

/// What a class takes; none, where nobody knows it.
pub(super) fn class(name: &str) -> Option<Vec<(char, char)>> {
    let (lower, upper, digit) = (('a', 'z'), ('A', 'Z'), ('0', '9'));
    Some(match name {
        "lower" => vec![lower],
        "upper" => vec![upper],
        "alpha" => vec![lower, upper],
        "digit" => vec![digit],
        "xdigit" => vec![digit, ('a', 'f'), ('A', 'F')],
        "alnum" => vec![digit, lower, upper],
        "word" => vec![digit, lower, upper, ('_', '_')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "graph" => vec![('!', '~')],
        "print" => vec![(' ', '~')],
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "space" => vec![(' ', ' '), ('\t', '\r')],
        "cntrl" => vec![('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        _ => {
            let mut characters = name.chars();
            let one = characters.next()?;
            if characters.next().is_some() {
                return None;
            }
            vec![(one, one)]
        }
    })
}
