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
    /// Whether it matches this one character. The caller follows [`Token::Many`].
    pub(super) fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(literal) => *literal == character,
            Self::One => true,
            Self::Many => false,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *negated
            }
        }
    }
}

/// The most steps of one match. A part of a path of the longest name takes an eighth of them.
pub(super) const STEPS: usize = 1 << 17;

/// Whether a pattern for one part of a path matches all of a text, or may, where matching would take
/// too long. The caller knows which names a shell's `*` leaves out.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut left = STEPS;
    let text: Vec<char> = text.chars().collect();
    all_match(&tokens(pattern), &text, &mut left).unwrap_or(true)
}

/// Whether tokens match all of a text; `None` where the steps that are left do not suffice.
pub(super) fn all_match(tokens: &[Token], text: &[char], left: &mut usize) -> Option<bool> {
    let (mut token, mut at) = (0, 0);
    // When a later part fails: go on after the last `*`, one character further.
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

/// The brackets of a pattern that are closed. They are found once, from the end, so that many unclosed
/// ones cost no more than one.
#[derive(Default)]
struct Closes {
    /// Behind the `:]` (`.]`, `=]`) of a name in a set that may begin here; 0 without one.
    names: Vec<usize>,
    /// Whether a set is closed that has a member here.
    sets: Vec<bool>,
}

impl Closes {
    fn of(characters: &[char]) -> Self {
        let count = characters.len();
        let mut closes = Self { names: vec![0; count], sets: vec![false; count + 1] };
        // The place behind the next end of a name of each kind, at least two characters ahead.
        let mut ends = [0; 3];
        for at in (0..count).rev() {
            if let Some(&[kind, ']']) = characters.get(at + 2..at + 4)
                && let Some(kind) = KINDS.iter().position(|known| *known == kind)
            {
                ends[kind] = at + 4;
            }
            if characters[at] == '['
                && let Some(kind) =
                    KINDS.iter().position(|kind| characters.get(at + 1) == Some(kind))
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

    /// Whether a set follows a `[`. The first member may be a `]`.
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
    while let Some(&from) = characters.get(*at).filter(|next| **next != ']' || *at == first) {
        let next = closes.member(characters, *at);
        if closes.names[*at] > 0 {
            match class(&characters[*at + 2..next - 2].iter().collect::<String>()) {
                Some(known) => ranges.extend(known),
                None => is_any = true,
            }
            // Whether a letter beyond ASCII is in a class depends on the locale: it may be.
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

/// The characters of a class: `alpha` of `[[:alpha:]]`. `None` for an unknown one.
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
