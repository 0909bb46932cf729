//! Regular expressions as sed, awk and perl have them, as far as lines are found and taken apart with
//! them. What a sign means that is not followed here makes the whole expression unknown.

use super::super::HOLE;
use super::substitute::Dialect;

/// Steps of one expression; a longer one is not followed.
const LONGEST: usize = 400;

/// Copies that `{2,5}` makes of what stands before it.
const COPIES: usize = 32;

#[derive(Debug)]
pub(super) struct Regular {
    steps: Vec<Step>,
    groups: usize,
    /// Which of several ways is taken is another one from dialect to dialect.
    pub(super) has_ways: bool,
}

#[derive(Debug, Clone)]
enum Step {
    Sign(char),
    Any,
    Set(Set),
    Start,
    End,
    /// On to the first, and if that does not lead to an end, to the second.
    Split(usize, usize),
    Jump(usize),
    /// A group begins or ends here.
    Save(usize),
    Found,
}

#[derive(Debug, Clone, Default)]
struct Set {
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    fn has(&self, sign: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&sign)) != self.is_negated
    }
}

/// A part of an expression.
#[derive(Debug)]
enum Part {
    One(Step),
    Group(usize, Vec<Vec<Part>>),
    Repeat { part: Box<Part>, least: usize, most: Option<usize>, is_lazy: bool },
}

/// What there was to look with is used up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spent;

/// What is to be tried: a step, a place in the text, or what is to be put back before that.
enum Try {
    Step(usize, usize),
    Back(usize, Option<usize>),
}

/// Where the whole and each group begin and end, in signs.
pub(super) type Found = Vec<Option<usize>>;

impl Regular {
    pub(super) fn of(pattern: &str, dialect: Dialect) -> Option<Self> {
        let signs: Vec<char> = pattern.chars().collect();
        let mut parser = Parser { signs: &signs, at: 0, dialect, groups: 0, has_ways: false };
        let ways = parser.ways(0)?;
        if parser.at < signs.len() {
            return None;
        }
        let mut steps = Vec::new();
        emit(&Part::Group(0, ways), &mut steps)?;
        steps.push(Step::Found);
        Some(Self { steps, groups: parser.groups + 1, has_ways: parser.has_ways })
    }

    /// Whether some step of it takes that sign.
    pub(super) fn takes(&self, sign: char) -> bool {
        self.steps.iter().any(|it| match it {
            Step::Sign(own) => *own == sign,
            Step::Set(set) => set.has(sign),
            _ => false,
        })
    }

    /// The first place from `from` on where it is found.
    pub(super) fn find(
        &self,
        text: &[char],
        from: usize,
        work: &mut usize,
    ) -> Result<Option<Found>, Spent> {
        let width = text.len() + 1 - from;
        let mut pay = |steps: usize| work.checked_sub(steps).ok_or(Spent).map(|it| *work = it);
        pay(1 + self.steps.len() * width / 16)?;
        let mut seen = vec![false; self.steps.len() * width];
        for start in from..=text.len() {
            let mut found: Found = vec![None; self.groups * 2];
            let mut open = vec![Try::Step(0, start)];
            while let Some(next) = open.pop() {
                let (step, at) = match next {
                    Try::Step(step, at) => (step, at),
                    Try::Back(slot, before) => {
                        found[slot] = before;
                        continue;
                    }
                };
                let place = step * width + at - from;
                if std::mem::replace(&mut seen[place], true) {
                    continue;
                }
                pay(1)?;
                let moves = |is_so: bool| is_so.then_some(Try::Step(step + 1, at + 1));
                let sign = text.get(at).copied();
                match &self.steps[step] {
                    Step::Found => return Ok(Some(found)),
                    Step::Sign(own) => open.extend(moves(sign == Some(*own))),
                    Step::Any => open.extend(moves(sign.is_some())),
                    Step::Set(set) => open.extend(moves(sign.is_some_and(|it| set.has(it)))),
                    Step::Start if at == 0 => open.push(Try::Step(step + 1, at)),
                    Step::End if at == text.len() => open.push(Try::Step(step + 1, at)),
                    Step::Start | Step::End => {}
                    Step::Jump(to) => open.push(Try::Step(*to, at)),
                    Step::Split(first, second) => {
                        open.push(Try::Step(*second, at));
                        open.push(Try::Step(*first, at));
                    }
                    Step::Save(slot) => {
                        open.push(Try::Back(*slot, found[*slot]));
                        found[*slot] = Some(at);
                        open.push(Try::Step(step + 1, at));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Appends the steps of a part.
fn emit(part: &Part, steps: &mut Vec<Step>) -> Option<()> {
    if steps.len() > LONGEST {
        return None;
    }
    match part {
        Part::One(step) => steps.push(step.clone()),
        Part::Group(number, ways) => {
            steps.push(Step::Save(number * 2));
            let mut ends = Vec::new();
            for (place, way) in ways.iter().enumerate() {
                let split = steps.len();
                let is_last = place + 1 == ways.len();
                if !is_last {
                    steps.push(Step::Split(split + 1, 0));
                }
                way.iter().try_for_each(|it| emit(it, steps))?;
                if !is_last {
                    ends.push(steps.len());
                    steps.push(Step::Jump(0));
                    steps[split] = Step::Split(split + 1, steps.len());
                }
            }
            let end = steps.len();
            for it in ends {
                steps[it] = Step::Jump(end);
            }
            steps.push(Step::Save(number * 2 + 1));
        }
        Part::Repeat { part, least, most, is_lazy } => {
            let split = |next: usize, end: usize| match is_lazy {
                true => Step::Split(end, next),
                false => Step::Split(next, end),
            };
            for _ in 0..*least {
                emit(part, steps)?;
            }
            let Some(most) = most else {
                let begin = steps.len();
                steps.push(Step::Jump(0));
                emit(part, steps)?;
                steps.push(Step::Jump(begin));
                steps[begin] = split(begin + 1, steps.len());
                return Some(());
            };
            let mut splits = Vec::new();
            for _ in *least..*most {
                splits.push(steps.len());
                steps.push(Step::Jump(0));
                emit(part, steps)?;
            }
            let end = steps.len();
            for it in splits {
                steps[it] = split(it + 1, end);
            }
        }
    }
    Some(())
}

struct Parser<'a> {
    signs: &'a [char],
    at: usize,
    dialect: Dialect,
    groups: usize,
    has_ways: bool,
}

impl Parser<'_> {
    /// Whether an operator stands here: in the basic dialect behind a backslash, else without one.
    fn is_at(&self, operator: char) -> bool {
        let rest = &self.signs[self.at..];
        match self.dialect {
            Dialect::Basic => matches!(rest, ['\\', next, ..] if *next == operator),
            _ => rest.first() == Some(&operator),
        }
    }

    fn takes(&mut self, operator: char) -> bool {
        let is_at = self.is_at(operator);
        if is_at {
            self.at += if self.dialect == Dialect::Basic { 2 } else { 1 };
        }
        is_at
    }

    /// Sequences with `|` between them.
    fn ways(&mut self, depth: usize) -> Option<Vec<Vec<Part>>> {
        if depth > 16 {
            return None;
        }
        let mut ways = vec![Vec::new()];
        while self.at < self.signs.len() {
            if self.is_at(')') {
                break;
            }
            if self.takes('|') {
                self.has_ways = true;
                ways.push(Vec::new());
                continue;
            }
            let is_first = ways.last().is_none_or(Vec::is_empty);
            let part = self.part(is_first, depth)?;
            let part = self.repeated(part)?;
            ways.last_mut()?.push(part);
        }
        Some(ways)
    }

    fn part(&mut self, is_first: bool, depth: usize) -> Option<Part> {
        if self.takes('(') {
            // `(?:…)` and its like.
            if self.signs.get(self.at) == Some(&'?') {
                return None;
            }
            self.groups += 1;
            let number = self.groups;
            let ways = self.ways(depth + 1)?;
            return self.takes(')').then_some(Part::Group(number, ways));
        }
        let is_basic = self.dialect == Dialect::Basic;
        let sign = self.signs[self.at];
        self.at += 1;
        let is_last = self.at == self.signs.len() || self.is_at(')') || self.is_at('|');
        let step = match sign {
            '^' if is_first || !is_basic => Step::Start,
            '$' if is_last => Step::End,
            '.' => Step::Any,
            '[' => Step::Set(self.set()?),
            '\\' => self.escaped()?,
            '*' if is_basic && is_first => Step::Sign('*'),
            '$' | '+' | '?' | '{' | '}' if !is_basic => return None,
            '@' if self.dialect == Dialect::Perl => return None,
            '*' | HOLE => return None,
            sign => Step::Sign(sign),
        };
        Some(Part::One(step))
    }

    fn escaped(&mut self) -> Option<Step> {
        let sign = *self.signs.get(self.at)?;
        self.at += 1;
        let word = || vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
        let blank = || vec![(' ', ' '), ('\t', '\r')];
        let set = |is_negated, ranges| Some(Step::Set(Set { is_negated, ranges }));
        match sign {
            'w' => set(false, word()),
            'W' => set(true, word()),
            's' => set(false, blank()),
            'S' => set(true, blank()),
            'd' if self.dialect == Dialect::Perl => set(false, vec![('0', '9')]),
            't' => Some(Step::Sign('\t')),
            'n' => Some(Step::Sign('\n')),
            sign if sign.is_alphanumeric() || matches!(sign, '<' | '>' | '`' | '\'') => None,
            sign => Some(Step::Sign(sign)),
        }
    }

    /// What stands between brackets.
    fn set(&mut self) -> Option<Set> {
        let mut set = Set::default();
        if self.signs.get(self.at) == Some(&'^') {
            set.is_negated = true;
            self.at += 1;
        }
        let begun = self.at;
        loop {
            let rest = &self.signs[self.at..];
            match rest {
                [']', ..] if self.at > begun => {
                    self.at += 1;
                    return Some(set);
                }
                ['[', ':', ..] => {
                    let inner = &rest[2..];
                    let end = inner.windows(2).position(|it| it == [':', ']']);
                    // `[[:]` has two signs.
                    let Some(end) = end else {
                        set.ranges.push(('[', '['));
                        self.at += 1;
                        continue;
                    };
                    let name: String = inner[..end].iter().collect();
                    set.ranges.extend_from_slice(class(&name)?);
                    self.at += end + 4;
                }
                [] | ['[', '.' | '=', ..] => return None,
                ['\\', next, ..] => {
                    let sign = match next {
                        'n' => '\n',
                        't' => '\t',
                        '/' | '.' | '-' | '*' | '"' | '$' => *next,
                        _ => return None,
                    };
                    set.ranges.push((sign, sign));
                    self.at += 2;
                }
                [from, '-', to, ..] if *to != ']' => {
                    set.ranges.push((*from, *to));
                    self.at += 3;
                }
                [sign, ..] => {
                    set.ranges.push((*sign, *sign));
                    self.at += 1;
                }
            }
        }
    }

    /// A part, as often as the operators behind it say.
    fn repeated(&mut self, part: Part) -> Option<Part> {
        let mut part = part;
        let mut is_first = true;
        loop {
            let (least, most) = if self.signs.get(self.at) == Some(&'*') {
                self.at += 1;
                (0, None)
            } else if self.takes('+') {
                (1, None)
            } else if self.takes('?') {
                (0, Some(1))
            } else if self.takes('{') {
                self.counts()?
            } else {
                return Some(part);
            };
            // What is repeated is not repeated once more.
            if matches!(part, Part::One(Step::Start | Step::End)) || !is_first {
                return None;
            }
            is_first = false;
            // The longest that is found, or the first way to it, may be two things.
            self.has_ways |= matches!(part, Part::Group(..));
            let is_perl = self.dialect == Dialect::Perl;
            let is_lazy = is_perl && self.takes('?');
            part = Part::Repeat { part: Box::new(part), least, most, is_lazy };
        }
    }

    /// `2,5}`
    fn counts(&mut self) -> Option<(usize, Option<usize>)> {
        let rest = &self.signs[self.at..];
        let end = rest.iter().position(|it| matches!(it, '}' | '\\'))?;
        let text: String = rest[..end].iter().collect();
        self.at += end;
        if !self.takes('}') {
            return None;
        }
        let (least, most) = match text.split_once(',') {
            None => (text.parse().ok()?, Some(text.parse().ok()?)),
            Some((least, "")) => (least.parse().ok()?, None),
            Some((least, most)) => (least.parse().unwrap_or(0), Some(most.parse().ok()?)),
        };
        (least.max(most.unwrap_or(0)) <= COPIES).then_some((least, most))
    }
}

/// `[:alpha:]`
fn class(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alpha" => &[('a', 'z'), ('A', 'Z')],
        "digit" => &[('0', '9')],
        "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "upper" => &[('A', 'Z')],
        "lower" => &[('a', 'z')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Regular};

    fn found(pattern: &str, dialect: Dialect, text: &str) -> Option<Vec<String>> {
        let signs: Vec<char> = text.chars().collect();
        let regular = Regular::of(pattern, dialect)?;
        let found = regular.find(&signs, 0, &mut 100_000).ok()??;
        let group = |it: &[Option<usize>]| match it {
            [Some(from), Some(to)] => signs[*from..*to].iter().collect(),
            _ => String::new(),
        };
        Some(found.chunks(2).map(group).collect())
    }

    #[test]
    fn groups_are_what_the_dialect_says() {
        let all = |pattern, dialect, text| found(pattern, dialect, text).map(|it| it.join("|"));
        assert_eq!(
            all("(git) (p.*)", Dialect::Extended, "a git push").unwrap(),
            "git push|git|push"
        );
        assert_eq!(all(r"\(git\) p", Dialect::Basic, "git push").unwrap(), "git p|git");
        assert_eq!(all("(git)", Dialect::Basic, "a(git)").unwrap(), "(git)");
        assert_eq!(all(r"^\s*([a-z]{2,3}?)", Dialect::Perl, "  abc").unwrap(), "  ab|ab");
        assert_eq!(
            all("[^:]*: ?([[:alpha:]]+)", Dialect::Extended, "run: ls").unwrap(),
            "run: ls|ls"
        );
        assert_eq!(all("(a*)*b|c$", Dialect::Extended, "aac").unwrap(), "c|");
        assert_eq!(all("x", Dialect::Basic, "abc"), None);
        for unknown in ["a**?{", "(", "[", "[a", r"\1", "a{1,99}", "(?:a)"] {
            assert!(Regular::of(unknown, Dialect::Extended).is_none(), "{unknown}");
        }
    }

    #[test]
    fn long_searches_come_to_an_end() {
        let text: Vec<char> = "a".repeat(3_000).chars().collect();
        let regular = Regular::of("(a*)*(a*)*b", Dialect::Extended).unwrap();
        assert!(!matches!(regular.find(&text, 0, &mut 200_000), Ok(Some(_))));
    }
}
