//! The tokens of glob patterns: `*`, `?`, `[…]`.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Character(char),
    One,
    /// Any text, including blanks and slashes.
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

/// Whether a pattern for one part of a path matches all of a text, or may if matching would take
/// too long. The caller handles the names that a shell's `*` does not match.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut left = STEPS;
    let text: Vec<char> = text.chars().collect();
    all_match(&tokens(pattern), &text, &mut left).unwrap_or(true)
}

/// Whether tokens match all of a text; `None` if the remaining steps do not suffice.
pub(super) fn all_match(tokens: &[Token], text: &[char], left: &mut usize) -> Option<bool> {
    let (mut token, mut at) = (0, 0);
    // When a later part fails, continue after the last `*`, one character further.
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
    let mut tokens = Vec::with_capacity(characters.len());
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        tokens.push(match character {
            '*' => Token::Many,
            '?' => Token::One,
            '[' if let Some((set, length)) = set(&characters[at..]) => {
                at += length;
                set
            }
            character => Token::Character(character),
        });
    }
    tokens
}

/// The set after a `[`, and its length with the `]`; `None` if it is not closed. A set with a named
/// class in it (`[[:alpha:]]`) may match any character.
fn set(rest: &[char]) -> Option<(Token, usize)> {
    /// A limit, so that many unclosed ones are not quadratic.
    const LONGEST: usize = 128;
    const LONGEST_NAME: usize = 16;
    let negated = matches!(rest.first(), Some('!' | '^'));
    let first = usize::from(negated);
    let (mut at, mut ranges, mut has_class) = (first, Vec::new(), false);
    while at < LONGEST {
        match *rest.get(at..)? {
            [']', ..] if at > first => {
                let set = Token::Set { negated, ranges };
                return Some((if has_class { Token::One } else { set }, at + 1));
            }
            ['[', kind @ (':' | '.' | '='), ref name @ ..]
                if let Some(length) =
                    name.windows(2).take(LONGEST_NAME).position(|end| end == [kind, ']']) =>
            {
                has_class = true;
                at += length + 4;
            }
            [from, '-', to, ..] if to != ']' => {
                ranges.push((from, to));
                at += 3;
            }
            [one, ..] => {
                ranges.push((one, one));
                at += 1;
            }
            [] => return None,
        }
    }
    None
}
