//! Extended regular expressions, as far as it takes to say whether `pkill` may
//! mean a process, or `find` a file.

/// Whether `pattern` may match somewhere in `text`. It leans to yes: what it does not know may.
pub(super) fn may_match(pattern: &str, text: &str) -> bool {
    matched(pattern, text).unwrap_or(true)
}

/// Whether `pattern` matches somewhere in `text`; `None` where it is beyond us. What a backslash
/// makes a class or an edge of a word matches more here than it does.
pub(super) fn matched(pattern: &str, text: &str) -> Option<bool> {
    let mut characters = pattern.chars().peekable();
    let whole = alternatives(&mut characters, 0)?;
    let text: Vec<char> = text.chars().collect();
    let mut search = Search { text: &text, fuel: 20_000 };
    let ends = search.alternatives(&whole, &vec![true; text.len() + 1]);
    (search.fuel > 0).then(|| ends.contains(&true))
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;
type Alternatives = Vec<Vec<Node>>;

enum Node {
    Start,
    End,
    Any,
    /// Ranges, and whether it is everything else.
    Set(Vec<(char, char)>, bool),
    Group(Alternatives),
    Repeat(Box<Node>, usize, usize),
}

const MAX_DEPTH: usize = 16;

/// Up to a `)` that belongs to a group, or to the end. `None`: beyond us.
fn alternatives(rest: &mut Characters, depth: usize) -> Option<Alternatives> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut found = vec![Vec::new()];
    while let Some(character) = rest.next_if(|c| *c != ')' || depth == 0) {
        let last = found.last_mut()?;
        let node = match character {
            '|' => {
                found.push(Vec::new());
                continue;
            }
            '^' => Node::Start,
            '$' => Node::End,
            '.' => Node::Any,
            '(' => {
                let group = alternatives(rest, depth + 1)?;
                rest.next();
                Node::Group(group)
            }
            '[' => set(rest)?,
            '*' | '+' | '?' | '{' if !last.is_empty() => {
                let (min, max) = match character {
                    '*' => (0, usize::MAX),
                    '+' => (1, usize::MAX),
                    '?' => (0, 1),
                    _ => bounds(rest)?,
                };
                Node::Repeat(Box::new(last.pop()?), min, max)
            }
            '\\' => match rest.next()? {
                'w' | 'W' | 's' | 'S' => Node::Any,
                'b' | 'B' | '<' | '>' => continue,
                literal => Node::Set(vec![(literal, literal)], false),
            },
            literal => Node::Set(vec![(literal, literal)], false),
        };
        last.push(node);
    }
    Some(found)
}

/// After `[`.
fn set(rest: &mut Characters) -> Option<Node> {
    let negated = rest.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        let from = rest.next()?;
        if from == ']' && !ranges.is_empty() {
            return Some(Node::Set(ranges, negated));
        }
        // `[:alpha:]` and its like.
        if from == '[' && matches!(rest.peek(), Some(':' | '=' | '.')) {
            return None;
        }
        let mut ahead = rest.clone();
        let to = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) if to != ']' => {
                *rest = ahead;
                to
            }
            _ => from,
        };
        ranges.push((from, to));
    }
}

/// After `{`: `2}`, `2,}`, `2,3}`.
fn bounds(rest: &mut Characters) -> Option<(usize, usize)> {
    let inner: String = std::iter::from_fn(|| rest.next_if(|c| *c != '}')).collect();
    rest.next()?;
    let (least, most) = inner.split_once(',').unwrap_or((&inner, &inner));
    let most = if most.is_empty() { usize::MAX } else { most.parse().ok()? };
    Some((least.parse().ok().filter(|it| *it <= 256)?, most))
}

/// Where a match may have come to: one place before each character, and one at
/// the end.
type Places = Vec<bool>;

struct Search<'t> {
    text: &'t [char],
    /// At zero, it is given up.
    fuel: usize,
}

impl Search<'_> {
    fn alternatives(&mut self, all: &Alternatives, from: &Places) -> Places {
        let mut ends = vec![false; from.len()];
        for sequence in all {
            let mut places = from.clone();
            for node in sequence {
                places = self.node(node, &places);
            }
            join(&mut ends, &places);
        }
        ends
    }

    fn node(&mut self, node: &Node, from: &Places) -> Places {
        self.fuel = self.fuel.saturating_sub(1);
        let last = from.len() - 1;
        let mut ends = vec![false; from.len()];
        if self.fuel == 0 {
            return ends;
        }
        match node {
            Node::Start => ends[0] = from[0],
            Node::End => ends[last] = from[last],
            Node::Any => ends[1..].copy_from_slice(&from[..last]),
            Node::Set(ranges, negated) => {
                for (at, character) in self.text.iter().enumerate().filter(|it| from[it.0]) {
                    let is_in = ranges.iter().any(|(a, b)| (a..=b).contains(&character));
                    ends[at + 1] = is_in != *negated;
                }
            }
            Node::Group(all) => return self.alternatives(all, from),
            Node::Repeat(inner, min, max) => {
                let mut places = from.clone();
                for _ in 0..*min {
                    places = self.node(inner, &places);
                }
                ends.clone_from(&places);
                for _ in *min..(*max).min(min.saturating_add(self.text.len() + 1)) {
                    places = self.node(inner, &places);
                    if !join(&mut ends, &places) {
                        break;
                    }
                }
            }
        }
        ends
    }
}

/// Adds `more`; whether anything was new.
fn join(places: &mut Places, more: &Places) -> bool {
    let mut is_new = false;
    for (place, more) in places.iter_mut().zip(more) {
        is_new |= *more && !*place;
        *place |= more;
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::{matched, may_match};

    #[test]
    fn patterns_match_as_they_do_for_pkill() {
        for (pattern, text, matches) in [
            ("roz", "roz", true),
            ("ro.", "roz", true),
            ("^ro", "a roz", false),
            ("oz$", "roz", true),
            ("r[a-o]z", "roz", true),
            ("r[^o]z", "roz", false),
            ("r[]o]z", "roz", true),
            ("(a|ro)z", "roz", true),
            ("(a|b)z", "roz", false),
            ("ro+z?", "roooz", true),
            ("ro{2}z", "roz", false),
            ("ro{1,2}z", "roz", true),
            ("(ro)*x", "rorox", true),
            ("r\\.z", "roz", false),
            ("", "roz", true),
            ("npm|roz", "roz", true),
            ("server.*", "roz hook stop", false),
            // What is beyond us may match.
            ("[[:alpha:]]q", "roz", true),
            ("(((((a*)*)*)*)*)*q", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(may_match(pattern, text), matches, "{pattern} in {text}");
        }
        for odd in ["[", "(", ")", "*", "a{", "a{x}", "\\", "a{999999}", "|", "[a-"] {
            let _ = may_match(odd, "roz");
        }
        assert_eq!(matched("[[:alpha:]]q", "roz"), None);
        let deep = "(".repeat(100_000);
        assert!(may_match(&deep, "roz"));
    }
}
