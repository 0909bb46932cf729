//! Scripts of sed that choose lines, and substitutions by a pattern: line by line, as sed goes. Of
//! perl, the substitutions. Plain changes of a whole text are in [`super::substitute`].

use super::super::HOLE;
use super::filter::Room;
use super::regular::{Found, Regular};
use super::substitute::{Dialect, until};

/// More commands are not followed.
const COMMANDS: usize = 64;

/// One command, and the lines that it is for.
#[derive(Debug)]
struct Command {
    from: Option<Address>,
    to: Option<Address>,
    is_negated: bool,
    verb: Verb,
}

#[derive(Debug)]
enum Address {
    Line(usize),
    /// `1~2`
    Every(usize, usize),
    /// `/a/,+2`
    More(usize),
    Last,
    Pattern(Regular),
}

#[derive(Debug)]
enum Verb {
    Print,
    Delete,
    /// And whether the line is shown.
    Quit(bool),
    Substitute(Substitution),
    /// The commands up to a place are for these lines only.
    Block(usize),
    End,
}

/// `s/from/to/2gp`
#[derive(Debug)]
struct Substitution {
    from: Regular,
    to: Vec<Piece>,
    nth: usize,
    is_global: bool,
    prints: bool,
}

/// A piece of what is put in the place of what was found.
#[derive(Debug)]
enum Piece {
    Text(String),
    Group(usize),
}

/// What a script shows for a text, where its lines are all known. `is_quiet`: it shows what it is told
/// to alone. `None` where something in it is not followed.
pub(super) fn shown(
    script: &str,
    dialect: Dialect,
    is_quiet: bool,
    input: &str,
    room: &mut Room,
) -> Option<String> {
    let commands = parsed(script, dialect)?;
    let counts = |it: &Option<Address>| !matches!(it, None | Some(Address::Pattern(_)));
    let by_place = commands
        .iter()
        .any(|it| counts(&it.from) || it.to.is_some() || matches!(it.verb, Verb::Quit(_)));
    // What ends with a carriage return does not end with the sign before it.
    if input.contains([HOLE, '\r']) || by_place && (room.is_part || room.is_unsure) {
        return None;
    }
    room.take(input.len())?;
    let mut output = String::new();
    let mut open: Vec<Option<usize>> = vec![None; commands.len()];
    let mut lines = input.lines().zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        let is_last = lines.peek().is_none();
        let mut line = line.to_owned();
        let mut is_shown = !is_quiet;
        let mut quits = false;
        let mut at = 0;
        while let Some(command) = commands.get(at) {
            room.work(1)?;
            let is_for = command.is_for(&line, number, is_last, &mut open[at], room)?;
            at += 1;
            match &command.verb {
                Verb::Block(end) if !is_for => at = *end,
                _ if !is_for => {}
                Verb::Block(_) | Verb::End => {}
                Verb::Print => show(&line, &mut output, room)?,
                Verb::Delete => {
                    is_shown = false;
                    break;
                }
                Verb::Quit(shows) => {
                    is_shown &= shows;
                    quits = true;
                    break;
                }
                Verb::Substitute(it) => {
                    let (made, has_changed) = it.made_of(&line, room)?;
                    line = made;
                    if it.prints && has_changed {
                        show(&line, &mut output, room)?;
                    }
                }
            }
        }
        if is_shown {
            show(&line, &mut output, room)?;
        }
        if quits {
            break;
        }
    }
    Some(output)
}

fn show(line: &str, output: &mut String, room: &mut Room) -> Option<()> {
    room.take(line.len() + 1)?;
    output.push_str(line);
    output.push('\n');
    Some(())
}

impl Command {
    /// Whether it is for a line. `open`: where its range ends, if it has begun.
    fn is_for(
        &self,
        line: &str,
        number: usize,
        is_last: bool,
        open: &mut Option<usize>,
        room: &mut Room,
    ) -> Option<bool> {
        let mut is_at = |address: &Address| match address {
            Address::Line(own) => Some(*own == number),
            Address::Every(first, step) => Some(match step {
                0 => number == *first,
                step => number >= *first && (number - first).is_multiple_of(*step),
            }),
            Address::Last => Some(is_last),
            Address::More(_) => None,
            Address::Pattern(pattern) => has(pattern, line, room),
        };
        let is_for = match (&self.from, &self.to) {
            (None, _) => true,
            (Some(from), None) => is_at(from)?,
            (Some(from), Some(to)) => match *open {
                Some(end) => {
                    let is_end = match to {
                        Address::Line(_) | Address::More(_) => number >= end,
                        to => is_at(to)?,
                    };
                    if is_end {
                        *open = None;
                    }
                    // A line behind its end is none of it, unless it began there.
                    !matches!(to, Address::Line(end) if number > *end)
                }
                None if is_at(from)? => {
                    let end = match to {
                        Address::Line(end) => *end,
                        Address::More(more) => number.saturating_add(*more),
                        _ => usize::MAX,
                    };
                    *open = Some(end).filter(|it| *it > number);
                    true
                }
                None => false,
            },
        };
        Some(is_for != self.is_negated)
    }
}

/// Whether a pattern is found in a line.
pub(super) fn has(pattern: &Regular, line: &str, room: &mut Room) -> Option<bool> {
    let signs: Vec<char> = line.chars().collect();
    Some(pattern.find(&signs, 0, &mut room.steps).ok()?.is_some())
}

impl Substitution {
    /// What it makes of a line, and whether it finds something there.
    fn made_of(&self, line: &str, room: &mut Room) -> Option<(String, bool)> {
        let signs: Vec<char> = line.chars().collect();
        let (mut made, mut from, mut copied, mut count) = (String::new(), 0, 0, 0);
        let mut has_changed = false;
        while from <= signs.len() {
            let Some(found) = self.from.find(&signs, from, &mut room.steps).ok()? else { break };
            let (begin, end) = (found[0]?, found[1]?);
            count += 1;
            if count >= self.nth {
                made.extend(&signs[copied..begin]);
                let length = made.len();
                self.put(&found, &signs, &mut made);
                room.take(made.len() - length)?;
                (copied, has_changed) = (end, true);
                if !self.is_global {
                    break;
                }
            }
            from = if end == begin { end + 1 } else { end };
        }
        made.extend(&signs[copied..]);
        Some((made, has_changed))
    }

    fn put(&self, found: &Found, signs: &[char], made: &mut String) {
        for piece in &self.to {
            match piece {
                Piece::Text(text) => made.push_str(text),
                Piece::Group(number) => {
                    if let Some([Some(from), Some(to)]) = found.get(number * 2..number * 2 + 2) {
                        made.extend(&signs[*from..*to]);
                    }
                }
            }
        }
    }
}

/// The commands of a script.
fn parsed(script: &str, dialect: Dialect) -> Option<Vec<Command>> {
    let mut commands: Vec<Command> = Vec::new();
    let mut blocks = Vec::new();
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([';', ' ', '\t', '\n']);
        let Some(first) = rest.chars().next() else { break };
        if first == '#' {
            rest = rest.split_once('\n').map_or("", |it| it.1);
            continue;
        }
        let (from, after) = address(rest, dialect)?;
        let (to, after) = match after.strip_prefix(',') {
            Some(after) if from.is_some() => address(after.trim_start(), dialect)?,
            _ => (None, after),
        };
        let is_ranged = rest[..rest.len() - after.len()].contains(',') && to.is_none();
        let is_odd = matches!(from, Some(Address::More(_) | Address::Line(0)))
            || matches!(to, Some(Address::Every(..)));
        if is_odd || is_ranged && !matches!(from, Some(Address::Pattern(_))) {
            return None;
        }
        // Perl has none of these.
        if dialect == Dialect::Perl && from.is_some() || commands.len() == COMMANDS {
            return None;
        }
        let after = after.trim_start();
        let (is_negated, after) = match after.strip_prefix('!') {
            Some(after) => (true, after.trim_start()),
            None => (false, after),
        };
        let verb = after.chars().next()?;
        let after = &after[verb.len_utf8()..];
        let (verb, after) = match verb {
            's' => substitution(after, dialect)?,
            _ if dialect == Dialect::Perl => return None,
            'p' => (Verb::Print, after),
            'd' => (Verb::Delete, after),
            'q' => (Verb::Quit(true), after),
            'Q' => (Verb::Quit(false), after),
            '{' => {
                blocks.push(commands.len());
                (Verb::Block(0), after)
            }
            '}' => {
                let begin = blocks.pop()?;
                commands.get_mut(begin)?.verb = Verb::Block(commands.len());
                (Verb::End, after)
            }
            _ => return None,
        };
        let is_free = matches!(verb, Verb::Block(_));
        commands.push(Command { from, to, is_negated, verb });
        rest = after.trim_start_matches([' ', '\t']);
        if !is_free && !rest.is_empty() && !rest.starts_with([';', '\n', '}', '#']) {
            return None;
        }
    }
    blocks.is_empty().then_some(commands)
}

/// An address at the beginning of a text, if there is one, and what is behind it.
fn address(text: &str, dialect: Dialect) -> Option<(Option<Address>, &str)> {
    let number = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        Some((digits.parse::<usize>().ok()?, text.len() - rest.len()))
    };
    let first = text.chars().next()?;
    match first {
        '$' => Some((Some(Address::Last), &text[1..])),
        '0'..='9' => {
            let (line, end) = number(text)?;
            let rest = &text[end..];
            let Some(after) = rest.strip_prefix('~') else {
                return Some((Some(Address::Line(line)), rest));
            };
            let (step, end) = number(after)?;
            Some((Some(Address::Every(line, step)), &after[end..]))
        }
        '+' => {
            let (more, end) = number(&text[1..])?;
            Some((Some(Address::More(more)), &text[1 + end..]))
        }
        '/' => {
            let (pattern, rest) = until(&text[1..], '/')?;
            // An empty one is the last that was looked for, and letters behind it change it.
            let is_plain = !pattern.is_empty() && !rest.starts_with(['I', 'M']);
            let pattern = Regular::of(&pattern, dialect).filter(|_| is_plain)?;
            Some((Some(Address::Pattern(pattern)), rest))
        }
        '\\' => None,
        _ => Some((None, text)),
    }
}

/// What stands behind the `s`, and behind its flags.
fn substitution(text: &str, dialect: Dialect) -> Option<(Verb, &str)> {
    let delimiter = text.chars().next()?;
    let is_sign = delimiter.is_ascii_punctuation() && !"\\;{}()[]<>'\"".contains(delimiter);
    if !is_sign || dialect == Dialect::Perl && !"/|,!:@%".contains(delimiter) {
        return None;
    }
    let (from, after) = until(&text[1..], delimiter)?;
    let (to, after) = until(after, delimiter)?;
    let end = after.find([';', '\n', '}', ' ', '#']).unwrap_or(after.len());
    let flags = &after[..end];
    let number: String = flags.chars().filter(char::is_ascii_digit).collect();
    if !flags.chars().all(|it| it.is_ascii_digit() || matches!(it, 'g' | 'p')) {
        return None;
    }
    let regular = Regular::of(&from, dialect).filter(|_| !from.is_empty())?;
    // Which of several ways it takes, sed and perl see otherwise.
    let is_perl = dialect == Dialect::Perl;
    // Its lines have their end with them.
    if regular.has_ways && !is_perl || is_perl && (flags.contains('p') || regular.takes('\n')) {
        return None;
    }
    let substitution = Substitution {
        from: regular,
        to: pieces(&to, dialect)?,
        nth: if number.is_empty() { 1 } else { number.parse().ok()? },
        is_global: flags.contains('g'),
        prints: flags.contains('p'),
    };
    Some((Verb::Substitute(substitution), &after[end..]))
}

/// The pieces of a replacement.
fn pieces(text: &str, dialect: Dialect) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut own = String::new();
    let mut rest = text.chars().peekable();
    let is_perl = dialect == Dialect::Perl;
    while let Some(sign) = rest.next() {
        let group = match sign {
            '&' if !is_perl => Some(0),
            '\\' => match rest.next()? {
                'n' => {
                    own.push('\n');
                    None
                }
                't' => {
                    own.push('\t');
                    None
                }
                digit @ '0'..='9' => Some(usize::try_from(digit.to_digit(10)?).ok()?),
                letter if letter.is_alphanumeric() => return None,
                sign => {
                    own.push(sign);
                    None
                }
            },
            '$' if is_perl => {
                let braced = rest.next_if_eq(&'{').is_some();
                let number = match rest.next()? {
                    '&' => 0,
                    digit => usize::try_from(digit.to_digit(10)?).ok()?,
                };
                if braced && rest.next()? != '}' || rest.peek().is_some_and(char::is_ascii_digit) {
                    return None;
                }
                Some(number)
            }
            '@' if is_perl => return None,
            HOLE => return None,
            sign => {
                own.push(sign);
                None
            }
        };
        if let Some(number) = group {
            pieces.push(Piece::Text(std::mem::take(&mut own)));
            pieces.push(Piece::Group(number));
        }
    }
    pieces.push(Piece::Text(own));
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Room, shown};

    fn sed(script: &str, is_quiet: bool, input: &str) -> Option<String> {
        shown(script, Dialect::Extended, is_quiet, input, &mut Room::default())
    }

    #[test]
    fn lines_are_chosen_by_number_pattern_and_range() {
        let of =
            |script, is_quiet| sed(script, is_quiet, "a\nb\nc\nd\n").unwrap().replace('\n', "");
        assert_eq!(of("2p", true), "b");
        assert_eq!(of("$p", true), "d");
        assert_eq!(of("2,3p", true), "bc");
        assert_eq!(of("2,1p", true), "b");
        assert_eq!(of("/b/,/c/d", false), "ad");
        assert_eq!(of("/b/,$!d", false), "bcd");
        assert_eq!(of("2q", false), "ab");
        assert_eq!(of("2Q", false), "a");
        assert_eq!(of("1~2p", true), "ac");
        assert_eq!(of("/b/,+1p", true), "bc");
        assert_eq!(of("2{s/b/x/;p};d", false), "x");
        assert_eq!(of("/[bc]/s/(.)/<\\1&>/p", true), "<bb><cc>");
        assert_eq!(of("s/x*/-/g;2d", false), "-a--c--d-");
        for unknown in ["N;P", "2{p", "p}", "1,", "2w f", "y/a/b", "s/a/\\U&/", "a\\", "0,/a/p"] {
            assert!(sed(unknown, false, "a\n").is_none(), "{unknown}");
        }
    }
}
