//! What small programs of awk show: patterns that choose lines, fields that are printed, put in
//! other places or changed, loops over fields. What else awk can do leaves the output unknown.
//!
//! Long because each statement and each value has its arm here.

use super::super::HOLE;
use super::awk_code::{Pattern, Statement, Token, Value, rules, tokens};
use super::filter::Room;
use super::output::unescaped;
use super::regular::Regular;
use super::script::has;
use super::substitute::Dialect;
use std::collections::BTreeMap;

/// A loop goes round no more often.
const ROUNDS: usize = 1_000;

/// Names that are no variables, or none that is followed.
const OWN: &[&str] = &[
    "FILENAME",
    "ENVIRON",
    "ARGV",
    "ARGC",
    "RS",
    "RT",
    "FPAT",
    "FIELDWIDTHS",
    "IGNORECASE",
    "getline",
    "delete",
    "return",
    "function",
    "func",
    "while",
    "do",
    "break",
    "continue",
    "in",
    "nextfile",
];

/// What is set from without changes how lines are read.
const SETTINGS: &[&str] = &["RS", "NR", "FNR", "NF", "FPAT", "FIELDWIDTHS", "IGNORECASE"];

/// What a program shows for a text, with these variables set before it. `None` where something in it
/// is not followed.
pub(super) fn shown(
    code: &str,
    given: &[(&str, &str)],
    input: &str,
    room: &mut Room,
) -> Option<String> {
    let tokens = tokens(code)?;
    let rules = rules(&tokens)?;
    let is_known = |it: &(&str, &str)| !it.1.contains(HOLE) && !SETTINGS.contains(&it.0);
    // Some count letters, and some bytes.
    let is_plain = input.is_ascii() && !input.contains('\r');
    if !is_plain || code.contains(HOLE) || !given.iter().all(is_known) {
        return None;
    }
    let mut machine = Machine {
        variables: BTreeMap::new(),
        fields: Vec::new(),
        line: String::new(),
        output: String::new(),
        room,
    };
    for (name, text) in [("FS", " "), ("OFS", " "), ("ORS", "\n"), ("NR", "0"), ("NF", "0")] {
        machine.variables.insert(name.to_owned(), text.to_owned());
    }
    for (name, text) in given {
        machine.variables.insert((*name).to_owned(), unescaped(text));
    }
    let by_place = tokens.iter().any(|it| {
        matches!(it, Token::Name(name) if ["NR", "FNR", "END", "exit"].contains(&name.as_str()))
    });
    if by_place && (machine.room.is_part || machine.room.is_unsure) {
        return None;
    }
    let of = |when: fn(&Pattern) -> bool| rules.iter().filter(move |it| when(&it.pattern));
    let mut ended = false;
    for rule in of(|it| matches!(it, Pattern::Begin)) {
        ended |= machine.run(&rule.body)? == Next::Exit;
    }
    let main = || of(|it| !matches!(it, Pattern::Begin | Pattern::End));
    let reads = main().next().is_some() || of(|it| matches!(it, Pattern::End)).next().is_some();
    for (line, number) in input.lines().zip(1..).take_while(|_| reads) {
        if ended {
            break;
        }
        machine.read(line, number)?;
        for rule in main() {
            let is_for = match &rule.pattern {
                Pattern::When(test) => machine.is_so(test)?,
                _ => true,
            };
            match if is_for { machine.run(&rule.body)? } else { Next::On } {
                Next::On => {}
                Next::Line => break,
                Next::Exit => {
                    ended = true;
                    break;
                }
            }
        }
    }
    for rule in of(|it| matches!(it, Pattern::End)) {
        if machine.run(&rule.body)? == Next::Exit {
            break;
        }
    }
    Some(machine.output)
}

/// What comes behind a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    Line,
    Exit,
}

struct Machine<'a> {
    variables: BTreeMap<String, String>,
    fields: Vec<String>,
    line: String,
    output: String,
    room: &'a mut Room,
}

impl Machine<'_> {
    fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    fn read(&mut self, line: &str, number: usize) -> Option<()> {
        for name in ["NR", "FNR"] {
            self.variables.insert(name.to_owned(), number.to_string());
        }
        self.split(line)
    }

    fn split(&mut self, line: &str) -> Option<()> {
        self.room.work(1 + line.len())?;
        line.clone_into(&mut self.line);
        let separator = self.variable("FS").to_owned();
        self.fields = match separator.as_str() {
            " " => line
                .split([' ', '\t', '\n'])
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
            _ if line.is_empty() => Vec::new(),
            one if one.chars().count() == 1 && one != "\\" => {
                line.split(one).map(str::to_owned).collect()
            }
            pattern => {
                let pattern = Regular::of(pattern, Dialect::Extended).filter(|it| !it.has_ways)?;
                let signs: Vec<char> = line.chars().collect();
                let (mut fields, mut from) = (Vec::new(), 0);
                while let Some(found) = pattern.find(&signs, from, &mut self.room.steps).ok()? {
                    let (begin, end) = (found[0]?, found[1]?);
                    if end == begin {
                        return None;
                    }
                    fields.push(signs[from..begin].iter().collect());
                    from = end;
                }
                fields.push(signs[from..].iter().collect());
                fields
            }
        };
        self.variables.insert("NF".to_owned(), self.fields.len().to_string());
        Some(())
    }

    fn run(&mut self, body: &[Statement]) -> Option<Next> {
        for statement in body {
            self.room.work(1)?;
            let next = match statement {
                Statement::Print(values) => {
                    let texts =
                        values.iter().map(|it| self.text(it)).collect::<Option<Vec<_>>>()?;
                    let between = self.variable("OFS").to_owned();
                    let text =
                        if values.is_empty() { self.line.clone() } else { texts.join(&between) };
                    let end = self.variable("ORS").to_owned();
                    self.show(&(text + &end))?;
                    Next::On
                }
                Statement::Format(values) => {
                    let texts =
                        values.iter().map(|it| self.text(it)).collect::<Option<Vec<_>>>()?;
                    let text = formatted(&texts)?;
                    self.show(&text)?;
                    Next::On
                }
                Statement::Value(value) => {
                    self.text(value)?;
                    Next::On
                }
                Statement::If(test, body, otherwise) => {
                    let body = if self.is_so(test)? { body } else { otherwise };
                    self.run(body)?
                }
                Statement::For(set, test, step, body) => self.around(set, test, step, body)?,
                Statement::Next => Next::Line,
                Statement::Exit => Next::Exit,
            };
            if next != Next::On {
                return Some(next);
            }
        }
        Some(Next::On)
    }

    fn around(
        &mut self,
        set: &Value,
        test: &Value,
        step: &Value,
        body: &[Statement],
    ) -> Option<Next> {
        self.text(set)?;
        for _ in 0..ROUNDS {
            if !self.is_so(test)? {
                return Some(Next::On);
            }
            let next = self.run(body)?;
            if next != Next::On {
                return Some(next);
            }
            self.text(step)?;
        }
        None
    }

    fn show(&mut self, text: &str) -> Option<()> {
        self.room.take(text.len())?;
        self.output.push_str(text);
        Some(())
    }

    fn is_so(&mut self, value: &Value) -> Option<bool> {
        Some(match value {
            Value::Pattern(pattern) => has(pattern, &self.line, self.room)?,
            Value::Not(value) => !self.is_so(value)?,
            Value::Both(one, "&&", other) => self.is_so(one)? && self.is_so(other)?,
            Value::Both(one, "||", other) => self.is_so(one)? || self.is_so(other)?,
            Value::Text(text) => !text.is_empty(),
            value => {
                let text = self.text(value)?;
                whole(&text).ok()?.map_or(!text.is_empty(), |number| number != 0)
            }
        })
    }

    fn number(&mut self, value: &Value) -> Option<i64> {
        let text = self.text(value)?;
        let text = text.trim();
        if text.is_empty() { Some(0) } else { text.parse().ok() }
    }

    fn field(&self, place: usize) -> String {
        match place.checked_sub(1) {
            None => self.line.clone(),
            Some(place) => self.fields.get(place).cloned().unwrap_or_default(),
        }
    }

    fn text(&mut self, value: &Value) -> Option<String> {
        self.room.work(1)?;
        let text = match value {
            Value::Text(text) | Value::Number(text) => text.clone(),
            Value::Name(name) => {
                if OWN.contains(&name.as_str()) {
                    return None;
                }
                match name.as_str() {
                    "length" => self.line.chars().count().to_string(),
                    name => self.variable(name).to_owned(),
                }
            }
            Value::Field(place) => {
                let place = usize::try_from(self.number(place)?).ok()?;
                self.field(place)
            }
            Value::Joined(one, other) => self.text(one)? + &self.text(other)?,
            Value::Set(target, sign @ ("++" | "--"), _) => {
                let before = self.number(target)?;
                let by = if *sign == "++" { 1 } else { -1 };
                self.set(target, &before.checked_add(by)?.to_string())?;
                before.to_string()
            }
            Value::Set(target, sign, value) => {
                let text = match *sign {
                    "=" => self.text(value)?,
                    "+=" => (self.number(target)?.checked_add(self.number(value)?)?).to_string(),
                    _ => (self.number(target)?.checked_sub(self.number(value)?)?).to_string(),
                };
                self.set(target, &text)?;
                text
            }
            Value::Both(one, sign @ ("+" | "-" | "%"), other) => {
                let (one, other) = (self.number(one)?, self.number(other)?);
                let made = match *sign {
                    "+" => one.checked_add(other)?,
                    "-" => one.checked_sub(other)?,
                    _ => one.checked_rem(other)?,
                };
                made.to_string()
            }
            Value::Both(_, "&&" | "||", _) | Value::Not(_) | Value::Pattern(_) => {
                i32::from(self.is_so(value)?).to_string()
            }
            Value::Both(one, sign @ ("~" | "!~"), other) => {
                let text = self.text(one)?;
                let is_found = match &**other {
                    Value::Pattern(pattern) => has(pattern, &text, self.room)?,
                    Value::Text(pattern) => {
                        has(&Regular::of(pattern, Dialect::Extended)?, &text, self.room)?
                    }
                    _ => return None,
                };
                i32::from(is_found == (*sign == "~")).to_string()
            }
            Value::Both(one, sign, other) => {
                i32::from(self.compared(one, sign, other)?).to_string()
            }
            Value::Call(name, values) => self.call(name, values)?,
        };
        self.room.work(text.len() / 8)?;
        Some(text)
    }

    fn compared(&mut self, one: &Value, sign: &str, other: &Value) -> Option<bool> {
        let is_text = matches!(one, Value::Text(_)) || matches!(other, Value::Text(_));
        let is_name = matches!(one, Value::Name(_)) || matches!(other, Value::Name(_));
        let (one, other) = (self.text(one)?, self.text(other)?);
        // What was never set is a number and a text.
        if is_name && (one.is_empty() || other.is_empty()) && !is_text {
            return None;
        }
        let order = match (whole(&one).ok()?, whole(&other).ok()?) {
            (Some(one), Some(other)) if !is_text => one.cmp(&other),
            _ => one.cmp(&other),
        };
        Some(match sign {
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            ">" => order.is_gt(),
            "<=" => order.is_le(),
            _ => order.is_ge(),
        })
    }

    fn set(&mut self, target: &Value, text: &str) -> Option<()> {
        match target {
            Value::Name(name) if !matches!(name.as_str(), "NR" | "RS" | "NF" | "FNR") => {
                self.variables.insert(name.clone(), text.to_owned());
            }
            // `NF--` leaves out the last.
            Value::Name(name) if name == "NF" => {
                let count = text.parse::<usize>().ok().filter(|it| *it <= ROUNDS)?;
                self.fields.resize(count, String::new());
                self.join();
            }
            Value::Field(place) => {
                let place = usize::try_from(self.number(place)?).ok()?;
                let Some(at) = place.checked_sub(1) else {
                    return self.split(text);
                };
                if at >= ROUNDS {
                    return None;
                }
                if at >= self.fields.len() {
                    self.fields.resize(at + 1, String::new());
                }
                text.clone_into(&mut self.fields[at]);
                self.room.work(self.line.len() + text.len())?;
                self.join();
            }
            _ => return None,
        }
        Some(())
    }

    /// The line as its fields make it.
    fn join(&mut self) {
        self.line = self.fields.join(self.variable("OFS"));
        self.variables.insert("NF".to_owned(), self.fields.len().to_string());
    }

    fn call(&mut self, name: &str, values: &[Value]) -> Option<String> {
        match (name, values) {
            ("length", [value]) => Some(self.text(value)?.chars().count().to_string()),
            ("tolower", [value]) => Some(self.text(value)?.to_lowercase()),
            ("toupper", [value]) => Some(self.text(value)?.to_uppercase()),
            ("substr", [text, from, rest @ ..]) => {
                let text = self.text(text)?;
                let from = usize::try_from(self.number(from)?).ok()?.checked_sub(1)?;
                let most = match rest {
                    [most] => usize::try_from(self.number(most)?).ok()?,
                    _ => usize::MAX,
                };
                Some(text.chars().skip(from).take(most).collect())
            }
            ("sub" | "gsub", [pattern, to, rest @ ..]) => {
                self.replaced(pattern, to, rest, name == "gsub")
            }
            _ => None,
        }
    }

    /// `sub(/a/, "b")`: how often it was found.
    fn replaced(
        &mut self,
        pattern: &Value,
        to: &Value,
        rest: &[Value],
        is_global: bool,
    ) -> Option<String> {
        let own = Value::Field(Box::new(Value::Number("0".to_owned())));
        let target = rest.first().unwrap_or(&own);
        let literal;
        let pattern = match pattern {
            Value::Pattern(pattern) => pattern,
            Value::Text(text) => {
                literal = Regular::of(text, Dialect::Extended)?;
                &literal
            }
            _ => return None,
        };
        let (to, before) = (self.text(to)?, self.text(target)?);
        if to.contains(['&', '\\']) || pattern.has_ways {
            return None;
        }
        let signs: Vec<char> = before.chars().collect();
        let (mut made, mut from, mut copied, mut count) = (String::new(), 0, 0, 0_usize);
        while from <= signs.len() && (count == 0 || is_global) {
            let Some(found) = pattern.find(&signs, from, &mut self.room.steps).ok()? else {
                break;
            };
            let (begin, end) = (found[0]?, found[1]?);
            count += 1;
            made.extend(&signs[copied..begin]);
            made.push_str(&to);
            self.room.work(to.len())?;
            copied = end;
            from = if end == begin { end + 1 } else { end };
        }
        made.extend(&signs[copied..]);
        if count > 0 {
            self.set(target, &made)?;
        }
        Some(count.to_string())
    }
}

/// A number that is no whole one.
struct Fraction;

/// A text as a whole number, if it is one.
fn whole(text: &str) -> Result<Option<i64>, Fraction> {
    let text = text.trim();
    match text.parse::<i64>() {
        Ok(number) => Ok(Some(number)),
        Err(_) if text.parse::<f64>().is_ok() => Err(Fraction),
        Err(_) => Ok(None),
    }
}

/// What `printf` of awk makes of its texts.
fn formatted(texts: &[String]) -> Option<String> {
    let (format, rest) = texts.split_first()?;
    let mut rest = rest.iter();
    let mut made = String::new();
    let mut signs = format.chars();
    while let Some(sign) = signs.next() {
        if sign != '%' {
            made.push(sign);
            continue;
        }
        match signs.next()? {
            '%' => made.push('%'),
            's' => made.push_str(rest.next()?),
            'd' | 'i' => made.push_str(&rest.next()?.trim().parse::<i64>().ok()?.to_string()),
            _ => return None,
        }
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::{Room, shown};

    fn awk(code: &str, input: &str) -> Option<String> {
        shown(code, &[], input, &mut Room::default())
    }

    #[test]
    fn fields_lines_and_loops_are_followed() {
        let of = |code, input| awk(code, input).unwrap();
        assert_eq!(of("NR==2", "a\nb\n"), "b\n");
        assert_eq!(of("/a/{print $2} END{print NR}", "a x\nb y\n"), "x\n2\n");
        assert_eq!(of("BEGIN{FS=\",\";OFS=\" \"}{$1=$1;print}", "a,b\n"), "a b\n");
        assert_eq!(of("{for(i=2;i<=NF;i++) printf \"%s \", $i; print \"\"}", "x a b\n"), "a b \n");
        assert_eq!(of("{for(i=NF;i>0;i--) printf \"%s \", $i}", "a b\n"), "b a ");
        assert_eq!(of("{$1=\"\"; print substr($0,2)}", "a b c\n"), "b c\n");
        assert_eq!(of("{sub(/l+/,\"x\"); print}", "pull\n"), "pux\n");
        assert_eq!(of("!/a/ && NF>1", "a b\nc d\ne\n"), "c d\n");
        assert_eq!(of("$1==\"b\"{print $NF; exit}", "a 1\nb 2\nb 3\n"), "2\n");
        assert_eq!(of("{if ($1 ~ /^a/) print \"y\"; else print \"n\"}", "a\nb\n"), "y\nn\n");
        assert_eq!(of("END{print}", "a\nb\n"), "b\n");
        for unknown in [
            "{system($0)}",
            "{print > \"f\"}",
            "{x[1]=2}",
            "{",
            "BEGIN{while(1){}}",
            "{print | \"sh\"}",
        ] {
            assert!(awk(unknown, "a\n").is_none(), "{unknown}");
        }
        assert!(awk("{for(i=0;i<9;i+=0) print}", "a\n").is_none());
    }
}
