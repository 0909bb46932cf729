//! Arithmetic as bash counts it: the value of an expression, and what it sets. What is not known,
//! or not written as bash would take it, has no value.

use super::super::HOLE;

/// How deep expressions may stand in each other: a pair of parentheses is three steps.
const DEPTH: usize = 64;
/// Variables that one expression sets.
const SETS: usize = 16;

/// What an expression comes to.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) value: Option<i64>,
    pub(super) sets: Vec<Set>,
}

/// A variable gets a value, in any case or only where the expression comes to it.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) key: Option<Key>,
    pub(super) value: Option<i64>,
    pub(super) is_sure: bool,
}

/// What stands between brackets behind a name, as it is written and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) count: Option<i64>,
}

/// What is known of variables.
pub(super) trait Known {
    /// What a variable holds, or an element.
    fn value(&self, name: &str, key: Option<&Key>) -> Option<i64>;
    /// Whether the keys of a variable are texts, and not counted.
    fn has_texts_for_keys(&self, name: &str) -> bool;
}

/// Counts an expression.
pub(super) fn count(text: &str, known: &dyn Known) -> Counted {
    // Nothing at all counts as zero.
    if text.trim().is_empty() {
        return Counted { value: Some(0), sets: Vec::new() };
    }
    let mut counter = Counter {
        rest: text,
        known,
        sets: Vec::new(),
        depth: 0,
        skipped: 0,
        is_alone: false,
        may_end: false,
        failed: false,
    };
    let value = counter.list();
    if counter.token().is_empty() && !counter.failed {
        return Counted { value, sets: counter.sets };
    }
    // Bash may read it in another way: whatever stands there may be set, to anything.
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let names = words.filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    let names = names.take(if may_set(text) { SETS } else { 0 });
    let set = |name: &str| Set { name: name.to_owned(), key: None, value: None, is_sure: false };
    Counted { value: None, sets: names.map(set).collect() }
}

/// Whether all of a text is one expression.
pub(super) fn is_whole(text: &str) -> bool {
    count(text, &Nothing).sets.iter().any(|it| it.is_sure || it.value.is_some())
}

/// Where nothing is known of any variable.
pub(super) struct Nothing;

impl Known for Nothing {
    fn value(&self, _: &str, _: Option<&Key>) -> Option<i64> {
        None
    }

    fn has_texts_for_keys(&self, _: &str) -> bool {
        false
    }
}

/// Whether an expression may set something, as few do.
pub(super) fn may_set(text: &str) -> bool {
    text.contains('=') || text.contains("++") || text.contains("--")
}

struct Counter<'a> {
    rest: &'a str,
    known: &'a dyn Known,
    sets: Vec<Set>,
    depth: usize,
    /// Above zero, what is read may not be evaluated.
    skipped: usize,
    /// What comes next stands at the beginning, where something may be set.
    is_alone: bool,
    /// Bash may have ended with an error: what stands behind may not be evaluated.
    may_end: bool,
    failed: bool,
}

/// The operators with two sides, the longest first, and how tight each of them binds.
const OPERATORS: &[(&str, u8)] = &[
    ("**", 12),
    ("<<", 9),
    (">>", 9),
    ("<=", 8),
    (">=", 8),
    ("==", 7),
    ("!=", 7),
    ("&&", 3),
    ("||", 2),
    ("*", 11),
    ("/", 11),
    ("%", 11),
    ("+", 10),
    ("-", 10),
    ("<", 8),
    (">", 8),
    ("&", 6),
    ("^", 5),
    ("|", 4),
];
const POWER: u8 = 12;

/// Those that set their left side. The longest first.
const SETTING: &[&str] = &["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "="];

impl<'a> Counter<'a> {
    /// What comes, without the blanks before it.
    fn token(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = self.token().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `a, b`: the last one counts.
    fn list(&mut self) -> Option<i64> {
        let mut value = self.choice();
        while self.take(",") {
            value = self.choice();
        }
        value
    }

    /// `a ? b : c`
    fn choice(&mut self) -> Option<i64> {
        self.is_alone = true;
        self.deeper(Self::chosen)
    }

    fn chosen(&mut self) -> Option<i64> {
        let condition = self.binary(2);
        if !self.take("?") {
            return condition;
        }
        self.skipped += 1;
        let then = self.list();
        let is_there = self.take(":");
        let otherwise = self.choice();
        self.skipped -= 1;
        self.failed |= !is_there;
        if condition? != 0 { then } else { otherwise }
    }

    fn operator(&mut self) -> Option<(&'static str, u8)> {
        let rest = self.token();
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ')' | ',' | '_')) {
            return None;
        }
        // `a = b` is read with its left side.
        let sets = SETTING.iter().any(|it| rest.starts_with(it)) && !rest.starts_with("==");
        OPERATORS.iter().find(|it| !sets && rest.starts_with(it.0)).copied()
    }

    /// Operators that bind at least so tight.
    fn binary(&mut self, least: u8) -> Option<i64> {
        self.deeper(|counter| counter.combined(least))
    }

    fn combined(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary();
        while let Some((sign, tight)) = self.operator().filter(|it| it.1 >= least) {
            if self.failed {
                break;
            }
            self.take(sign);
            let hangs = matches!(sign, "&&" | "||");
            self.skipped += usize::from(hangs);
            // Only the power is taken from the right.
            let right = self.binary(if tight == POWER { tight } else { tight + 1 });
            self.skipped -= usize::from(hangs);
            // By nothing, or by less than nothing.
            self.may_end |= match sign {
                "/" | "%" => right.is_none_or(|it| it == 0),
                "**" => right.is_none_or(|it| it < 0),
                _ => false,
            };
            left = left.zip(right).and_then(|(left, right)| combined(sign, left, right));
        }
        left
    }

    fn unary(&mut self) -> Option<i64> {
        self.deeper(Self::operand)
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<i64>) -> Option<i64> {
        self.failed |= self.depth >= DEPTH;
        if self.failed {
            return None;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Option<i64> {
        let is_alone = std::mem::take(&mut self.is_alone);
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.token().starts_with(sign) && name(self.rest[2..].trim_start()).is_some() {
                self.take(sign);
                let rest = self.token();
                let name = name(rest)?;
                self.rest = &rest[name.len()..];
                let key = self.key(name);
                let value = self.value(name, key.as_ref()).map(|it| it.wrapping_add(by));
                self.set(name, key, value);
                return value;
            }
        }
        if self.take("-") {
            return self.unary().map(i64::wrapping_neg);
        }
        if self.take("+") {
            return self.unary();
        }
        if self.take("!") {
            return self.unary().map(|it| i64::from(it == 0));
        }
        if self.take("~") {
            return self.unary().map(|it| !it);
        }
        if self.take("(") {
            let value = self.list();
            self.failed |= !self.take(")");
            return value;
        }
        let rest = self.token();
        if let Some(name) = name(rest) {
            self.rest = &rest[name.len()..];
            return self.named(name, is_alone);
        }
        let digits = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '_'));
        let number = &rest[..rest.find(digits).unwrap_or(rest.len())];
        self.rest = &rest[number.len()..];
        if number.is_empty() {
            // Text that is not known is one operand.
            let unknown = self.rest.strip_prefix(HOLE);
            self.rest = unknown.unwrap_or(self.rest);
            self.failed |= unknown.is_none();
            return None;
        }
        self.may_end |= parsed(number).is_none();
        parsed(number)
    }

    /// What stands in brackets behind a name.
    fn key(&mut self, name: &str) -> Option<Key> {
        let inner = self.rest.strip_prefix('[')?;
        if self.known.has_texts_for_keys(name) {
            let end = inner.find(']');
            self.failed |= end.is_none();
            let (text, rest) = inner.split_at(end.unwrap_or(0));
            self.rest = rest.strip_prefix(']').unwrap_or(rest);
            return Some(Key { text: text.to_owned(), count: None });
        }
        self.rest = inner;
        let count = self.list();
        let text = inner.get(..inner.len() - self.rest.len()).unwrap_or("").to_owned();
        self.failed |= !self.take("]");
        Some(Key { text, count })
    }

    /// A name, what stands in brackets behind it, and what sets it.
    fn named(&mut self, name: &'a str, is_alone: bool) -> Option<i64> {
        let key = self.key(name);
        let before = self.value(name, key.as_ref());
        for (sign, by) in [("++", 1), ("--", -1)] {
            // `a++b` is `a + +b`.
            let rest = self.token();
            let behind = rest.strip_prefix(sign).map(str::trim_start);
            let is_set = behind.is_some_and(|it| {
                !it.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '('))
            });
            if is_set {
                self.take(sign);
                self.set(name, key, before.map(|it| it.wrapping_add(by)));
                return before;
            }
        }
        let rest = self.token();
        if rest.starts_with("==") {
            return before;
        }
        let Some(sign) = SETTING.iter().find(|it| rest.starts_with(**it)) else { return before };
        // `1+x=0` sets nothing.
        self.failed |= !is_alone;
        self.take(sign);
        let right = self.choice();
        let value = match sign.strip_suffix('=') {
            Some("") | None => right,
            Some(sign) => before.zip(right).and_then(|(left, right)| combined(sign, left, right)),
        };
        self.set(name, key, value);
        value
    }

    fn value(&self, name: &str, key: Option<&Key>) -> Option<i64> {
        match self.sets.iter().rev().find(|it| it.name == name) {
            Some(own) if own.key.as_ref() == key => own.value.filter(|_| own.is_sure),
            // It may be the same element under another name.
            Some(_) => None,
            None => self.known.value(name, key),
        }
    }

    fn set(&mut self, name: &str, key: Option<Key>, value: Option<i64>) {
        if self.sets.len() >= SETS {
            self.failed = true;
            return;
        }
        let (name, is_sure) = (name.to_owned(), self.skipped == 0 && !self.may_end);
        self.sets.push(Set { name, key, value, is_sure });
    }
}

/// The name that a text begins with.
fn name(text: &str) -> Option<&str> {
    let is_none = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let name = &text[..text.find(is_none).unwrap_or(text.len())];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

/// `10`, `0x1f`, `017`, `2#101`
fn parsed(number: &str) -> Option<i64> {
    let (radix, digits) = match number.split_once('#') {
        Some((radix, digits)) => (radix.parse().ok()?, digits),
        None => match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
            Some(digits) => (16, digits),
            None if number.len() > 1 && number.starts_with('0') => (8, number),
            None => (10, number),
        },
    };
    let fits = (2..=36).contains(&radix);
    fits.then(|| i64::from_str_radix(digits, radix).ok()).flatten()
}

fn combined(sign: &str, left: i64, right: i64) -> Option<i64> {
    let bits = u32::try_from(right & 63).unwrap_or_default();
    Some(match sign {
        "**" => left.wrapping_pow(u32::try_from(right).ok()?),
        "*" => left.wrapping_mul(right),
        "/" => (right != 0).then(|| left.wrapping_div(right))?,
        "%" => (right != 0).then(|| left.wrapping_rem(right))?,
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "<<" => left.wrapping_shl(bits),
        ">>" => left.wrapping_shr(bits),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "&" => left & right,
        "^" => left ^ right,
        "|" => left | right,
        "&&" => i64::from(left != 0 && right != 0),
        "||" => i64::from(left != 0 || right != 0),
        _ => return None,
    })
}

/// The number that a variable's text is; a text is arithmetic once more, of which plain numbers are
/// followed.
pub(super) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix('-') {
        Some(text) => parsed(text).map(i64::wrapping_neg),
        None if text.is_empty() => Some(0),
        None => parsed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` is 5, and so is `a[1]`; the keys of `m` are texts.
    struct Five;

    impl Known for Five {
        fn value(&self, name: &str, key: Option<&Key>) -> Option<i64> {
            let is_five = match key {
                None => name == "x",
                Some(key) => name == "a" && key.count == Some(1),
            };
            is_five.then_some(5)
        }

        fn has_texts_for_keys(&self, name: &str) -> bool {
            name == "m"
        }
    }

    fn value(text: &str) -> Option<i64> {
        count(text, &Five).value
    }

    fn sets(text: &str) -> Vec<(String, Option<i64>, bool)> {
        let named = |it: &Set| match &it.key {
            None => it.name.clone(),
            Some(key) => format!("{}[{}]", it.name, key.text),
        };
        let sets = count(text, &Five).sets;
        sets.iter().map(|it| (named(it), it.value, it.is_sure)).collect()
    }

    #[test]
    fn an_expression_comes_to_what_bash_makes_of_it() {
        for (text, expected) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("2**3**2", 512),
            ("10 - 3 - 2", 5),
            ("7/2", 3),
            ("-7%3", -1),
            ("!0 + ~0", 0),
            ("1 << 4 | 1", 17),
            ("x > 4 ? x - 1 : 9", 4),
            ("x++ + x", 11),
            ("--x", 4),
            ("x - -1", 6),
            ("x-1", 4),
            ("1, 2, 3", 3),
            ("0x1f + 017 + 2#101", 51),
            ("x = 2, x += 3, x", 5),
            ("x == 5 && 3 != 4", 1),
            ("", 0),
            ("1<=2", 1),
            ("x ** 2", 25),
            ("a[x-4] + 1", 6),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_has_no_value() {
        for text in ["y", "1/0", "a[2]", "1+", "\u{FFFC}+1", "1 +* 2", "(1", "2#9", "1 ? 2"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_set_is_told_with_its_value() {
        let set = |name: &str, value, is_sure| (name.to_owned(), value, is_sure);
        assert_eq!(sets("x++"), [set("x", Some(6), true)]);
        assert_eq!(sets("y = x + 1"), [set("y", Some(6), true)]);
        assert_eq!(sets("x > 1 && (y = 2)"), [set("y", Some(2), false)]);
        assert_eq!(sets("y += 1"), [set("y", None, true)]);
        assert_eq!(sets("x == 1"), []);
        // Whatever it is: the names in it may be set.
        assert_eq!(sets("y = 1 +* 2"), [set("y", None, false)]);
        assert_eq!(sets("a[1]++"), [set("a[1]", Some(6), true)]);
        assert_eq!(sets("m[1+] = 2"), [set("m[1+]", Some(2), true)]);
        // Bash ends with an error before it, or at it.
        assert_eq!(sets("1/0, y = 1"), [set("y", Some(1), false)]);
        assert_eq!(sets("1 + y = 1"), [set("y", None, false)]);
    }

    #[test]
    fn deep_and_long_expressions_end() {
        for text in ["(", "-", "x=", "1?", "2**", "1?1:", "x[", "!", "1+", "1,"] {
            assert_eq!(value(&text.repeat(50_000)), None, "{text}");
        }
    }
}
