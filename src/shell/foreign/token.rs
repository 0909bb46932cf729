//! Code to tokens: words, strings and signs; comments are dropped.

mod fill;

use super::super::Interpreter;
use super::escape::unescaped;
use fill::{command, within_braces};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, its sigil with it.
    Word(String),
    /// A string, with holes where something is put in.
    Text(String),
    /// A string that is itself a shell command: backticks, `qx(…)`, `%x(…)`.
    Command(String),
    /// A string, or such a command, with the code whose value is put in; only where it is asked for.
    Filled(Vec<Piece>),
    FilledCommand(Vec<Piece>),
    /// `qw(…)`
    Words(Vec<String>),
    Sign(char),
    /// A plain number.
    Place(usize),
    /// Another number, a regular expression: a value that says nothing.
    Number,
    /// The end of a line, and how far the next one is moved to the right.
    Newline(usize),
}

/// A part of a string in which something is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Code(Vec<Token>),
}

/// The tokens of a piece of code, and the code that stands in its strings: `${…}`, `#{…}`.
pub(super) fn tokens(code: &str, language: Interpreter) -> (Vec<Token>, Vec<String>) {
    lexed(code, language, None, usize::MAX)
}

/// The same with the code that is put into strings where it stands; of more tokens than the `most`
/// one, so that who asks sees that they are cut.
pub(super) fn filled_tokens(
    code: &str,
    language: Interpreter,
    most: usize,
) -> (Vec<Token>, Vec<String>) {
    lexed(code, language, Some(0), most)
}

fn lexed(
    code: &str,
    language: Interpreter,
    fills: Option<usize>,
    most: usize,
) -> (Vec<Token>, Vec<String>) {
    let mut lexer = Lexer {
        fills,
        code,
        at: 0,
        language,
        open: 0,
        behind: 0,
        line: None,
        ends: None,
        tokens: Vec::new(),
        inner: Vec::new(),
    };
    while lexer.tokens.len() <= most && lexer.token().is_some() {}
    (lexer.tokens, lexer.inner)
}

/// Pieces of code within strings; of more, none is looked at.
const INNER: usize = 64;

struct Lexer<'a> {
    code: &'a str,
    at: usize,
    language: Interpreter,
    /// Whether strings are filled, and how many strings this code stands in.
    fills: Option<usize>,
    /// Brackets of Python that are open.
    open: usize,
    /// Where the here-documents of this line end.
    behind: usize,
    /// Where the next line begins, as far as it has been looked for.
    line: Option<usize>,
    /// Where each line is that might end a here-document, by its text: begin and end of it. Made
    /// for the first one, so that many look at the code once.
    ends: Option<BTreeMap<&'a str, Vec<(usize, usize)>>>,
    tokens: Vec<Token>,
    inner: Vec<String>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.code.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn is(&self, languages: &[Interpreter]) -> bool {
        languages.contains(&self.language)
    }

    /// Reads one token or goes past one blank or comment; `None` at the end.
    fn token(&mut self) -> Option<()> {
        use Interpreter::{Awk, JavaScript, Lua, Other, Perl, Php, Python, Ruby};
        let start = self.at;
        let first = self.next()?;
        match first {
            '\n' => {
                self.at = self.at.max(std::mem::take(&mut self.behind));
                let blank = |c: &u8| matches!(c, b' ' | b'\t');
                let right = self.rest().bytes().take_while(blank).count();
                // Blank lines are part of the next one. Within brackets a line of Python goes on.
                match self.tokens.last_mut() {
                    Some(Token::Newline(last)) => *last = right,
                    _ if self.open > 0 => {}
                    _ => self.tokens.push(Token::Newline(right)),
                }
            }
            '\\' if self.rest().starts_with('\n') => self.at += 1,
            first if first.is_whitespace() => {}
            '#' if self.is(&[Python, Perl, Ruby, Php, Awk, Other]) => self.skip_line(),
            '/' if self.is(&[JavaScript, Php, Other]) && self.rest().starts_with('/') => {
                self.skip_line();
            }
            '/' if self.is(&[JavaScript, Php, Other]) && self.rest().starts_with('*') => {
                let end = self.rest().find("*/").map_or(self.rest().len(), |end| end + 2);
                self.at += end;
            }
            '-' if self.language == Lua && self.rest().starts_with('-') => self.skip_line(),
            '/' if self.is(&[JavaScript, Perl, Ruby, Awk]) && !self.follows_value() => {
                let pattern = self.delimited('/', '/');
                self.pattern(&pattern);
                self.tokens.push(Token::Number);
            }
            '<' if self.is(&[Perl, Ruby, Php])
                && self.rest().starts_with('<')
                && self.document() => {}
            // A letter, a lifetime.
            '\'' if self.language == Other && !self.closes_soon() => {
                self.tokens.push(Token::Sign('\''));
            }
            '"' | '\'' if !(first == '\'' && self.language == Awk) => self.string(first, start),
            '`' if self.is(&[JavaScript, Other]) => {
                let text = self.delimited('`', '`');
                let token = self.interpolated(&text, true);
                self.tokens.push(token);
            }
            '`' if self.is(&[Perl, Ruby, Php]) => {
                let text = self.delimited('`', '`');
                let token = command(self.interpolated(&text, false));
                self.tokens.push(token);
            }
            '%' if self.language == Ruby && (!self.follows_value() || self.is_handed(start)) => {
                self.percent();
            }
            '[' if self.language == Lua && self.rest().starts_with('[') => {
                let end = self.rest().find("]]").unwrap_or(self.rest().len());
                let text = self.rest()[1.min(end)..end].to_owned();
                self.at = (self.at + end + 2).min(self.code.len());
                self.tokens.push(Token::Text(text));
            }
            first if first.is_alphabetic() || matches!(first, '_' | '$' | '@') => self.word(start),
            first if first.is_ascii_digit() => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '.') {
                    self.next();
                }
                let place = self.code[start..self.at].parse();
                self.tokens.push(place.map_or(Token::Number, Token::Place));
            }
            sign => {
                if self.language == Python {
                    self.open += usize::from(matches!(sign, '(' | '[' | '{'));
                    self.open -= usize::from(self.open > 0 && matches!(sign, ')' | ']' | '}'));
                }
                self.tokens.push(Token::Sign(sign));
            }
        }
        Some(())
    }

    /// Whether a `'` is closed on its line.
    fn closes_soon(&self) -> bool {
        self.rest().lines().next().is_some_and(|line| line.contains('\''))
    }

    /// `<<E`, `<<~'E'`, `<<<E`: a here-document, whose text stands behind the line. Whether it is one.
    fn document(&mut self) -> bool {
        let code = self.code;
        let head = code.get(self.at + 1..).unwrap_or("");
        let head = head.strip_prefix('<').unwrap_or(head).trim_start_matches(['~', '-']);
        let quote = head.chars().next().filter(|c| matches!(c, '"' | '\''));
        let head = quote.map_or(head, |_| &head[1..]);
        let end = head.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(head.len());
        let name = &head[..end];
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return false;
        }
        let after = code.len() - head.len() + end;
        let after = after + usize::from(quote.is_some_and(|quote| head[end..].starts_with(quote)));
        let begun = if self.behind > 0 { self.behind } else { self.next_line() };
        let ends = self.ends.get_or_insert_with(|| ends(code)).get(name).map_or(&[][..], |it| it);
        let next = ends.partition_point(|it| it.0 < begun);
        let Some(&(last, behind)) = ends.get(next) else { return false };
        let text = code[begun..last].to_owned();
        let is_plain = quote == Some('\'');
        let token = if is_plain { Token::Text(text) } else { self.interpolated(&text, true) };
        self.tokens.push(token);
        self.behind = behind;
        self.at = after;
        true
    }

    /// Where the line after this one begins; behind all of them if there is none.
    fn next_line(&mut self) -> usize {
        let known = self.line.filter(|it| *it > self.at);
        let line = known.unwrap_or_else(|| {
            self.rest().find('\n').map_or(usize::MAX, |length| self.at + length + 1)
        });
        self.line = Some(line);
        line
    }

    fn skip_line(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.at += length;
    }

    /// Whether what came before is a value, so that `/` divides and `%` takes a remainder.
    fn follows_value(&self) -> bool {
        match self.tokens.last() {
            Some(Token::Word(word)) => {
                !matches!(word.as_str(), "return" | "print" | "puts" | "if" | "and" | "or" | "not")
            }
            Some(Token::Sign(sign)) => matches!(sign, ')' | ']'),
            Some(Token::Newline(_)) | None => false,
            Some(_) => true,
        }
    }

    /// `puts %q(a)`: behind a word and a blank, and no blank after it, it begins what a function
    /// is given. `start` is where the sign stands.
    fn is_handed(&self, start: usize) -> bool {
        matches!(self.tokens.last(), Some(Token::Word(_)))
            && self.code[..start].ends_with([' ', '\t'])
            && self.peek().is_some_and(|c| !c.is_whitespace() && c != '=')
    }

    fn word(&mut self, start: usize) {
        // `system$x` is two words where every variable begins with a sign.
        let is_name = self.code[start..].starts_with(|c: char| c.is_alphabetic() || c == '_');
        let holds_sign =
            !(is_name && self.is(&[Interpreter::Perl, Interpreter::Php, Interpreter::Ruby]));
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$' && holds_sign)
        {
            self.next();
        }
        let word = &self.code[start..self.at];
        let quotes = matches!(word, "q" | "qq" | "qx" | "qw" | "m" | "qr" | "s" | "tr" | "y");
        if self.language == Interpreter::Perl && quotes {
            let word = word.to_owned();
            let open = self.peek();
            if let Some(open) = open.filter(|c| !c.is_whitespace() && !",;=)}]>-".contains(*c)) {
                self.next();
                if matches!(word.as_str(), "s" | "tr" | "y") {
                    self.replaced(open, &word);
                    return;
                }
                let text = self.delimited(open, closing(open));
                let token = match word.as_str() {
                    "q" => Token::Text(text),
                    "qq" => self.interpolated(&text, true),
                    "qx" => command(self.interpolated(&text, false)),
                    "qw" => Token::Words(text.split_whitespace().map(str::to_owned).collect()),
                    _ => {
                        self.pattern(&text);
                        Token::Number
                    }
                };
                self.tokens.push(token);
                return;
            }
            self.tokens.push(Token::Word(word));
            return;
        }
        self.tokens.push(Token::Word(word.to_owned()));
    }

    /// `s/pattern/code/e` of Perl, from behind its first delimiter.
    fn replaced(&mut self, open: char, verb: &str) {
        let close = closing(open);
        let pattern = self.delimited(open, close);
        if verb == "s" {
            self.pattern(&pattern);
        }
        if close != open {
            while self.peek().is_some_and(char::is_whitespace) {
                self.next();
            }
            self.next();
        }
        let replacement = self.delimited(open, close);
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            self.next();
        }
        self.tokens.push(Token::Number);
        let flags = &self.code[start..self.at];
        if verb == "s" && flags.contains('e') && self.inner.len() < INNER {
            // Twice: what the code gives is code.
            let twice = flags.matches('e').count() > 1;
            self.inner.push(if twice { format!("eval({replacement})") } else { replacement });
        }
    }

    /// Code in a pattern: `(?{…})` and `(??{…})` of Perl, `#{…}` of Ruby.
    fn pattern(&mut self, text: &str) {
        let opens = match self.language {
            Interpreter::Perl => "?{",
            Interpreter::Ruby => "#{",
            _ => return,
        };
        let mut rest = text;
        while let Some((_, tail)) = rest.split_once(opens).filter(|_| self.inner.len() < INNER) {
            let mut inner = String::new();
            within_braces(&mut tail.chars().peekable(), &mut inner);
            rest = tail.get(inner.len()..).unwrap_or_default();
            self.inner.push(inner);
        }
    }

    /// `%x(…)`, `%w(…)`, `%q(…)` of Ruby.
    fn percent(&mut self) {
        let mut ahead = self.rest().chars();
        let letter = ahead.next().filter(char::is_ascii_alphabetic);
        let open = if letter.is_some() { ahead.next() } else { self.peek() };
        let Some(open) = open.filter(|c| "([{<|!".contains(*c)) else {
            self.tokens.push(Token::Sign('%'));
            return;
        };
        self.at += usize::from(letter.is_some()) + open.len_utf8();
        let text = self.delimited(open, closing(open));
        let token = match letter {
            Some('x') => command(self.interpolated(&text, false)),
            Some('w' | 'W') => Token::Words(text.split_whitespace().map(str::to_owned).collect()),
            Some('q') => Token::Text(text),
            _ => self.interpolated(&text, true),
        };
        self.tokens.push(token);
    }

    /// Text up to the closing delimiter, which may be nested if it differs from the opening one.
    fn delimited(&mut self, open: char, close: char) -> String {
        let mut text = String::new();
        let mut depth = 1_usize;
        while let Some(character) = self.next() {
            if character == '\\' {
                text.push(character);
                text.extend(self.next());
                continue;
            }
            if character == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else if character == open {
                depth += 1;
            }
            text.push(character);
        }
        text
    }

    fn string(&mut self, quote: char, start: usize) {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        if self.language == Interpreter::Python && self.code[start..].starts_with(&triple) {
            self.at = start + 3;
            let end = self.rest().find(&triple).unwrap_or(self.rest().len());
            let text = self.rest()[..end].to_owned();
            self.at = (self.at + end + 3).min(self.code.len());
            return self.text(&text, quote);
        }
        let text = self.delimited(quote, quote);
        self.text(&text, quote);
    }

    /// A string's own text: escapes are undone, and what is put in becomes a hole.
    fn text(&mut self, text: &str, quote: char) {
        use Interpreter::{Perl, Php, Python, Ruby};
        // The letters before a Python string: raw, formatted, bytes.
        let mut prefix = String::new();
        if self.language == Python
            && let Some(Token::Word(word)) = self.tokens.last()
            && word.len() <= 2
            && word.chars().all(|c| "rRbBfFuU".contains(c))
        {
            prefix.push_str(word);
            self.tokens.pop();
        }
        let interpolates =
            quote == '"' && self.is(&[Perl, Ruby, Php]) || prefix.contains(['f', 'F']);
        let raw = prefix.contains(['r', 'R']);
        let token = match (interpolates, raw) {
            (true, _) => self.interpolated(text, !raw),
            (false, true) => Token::Text(text.to_owned()),
            (false, false) => Token::Text(unescaped(text)),
        };
        self.tokens.push(token);
    }
}

/// The lines that might end a here-document, by their text.
fn ends(code: &str) -> BTreeMap<&str, Vec<(usize, usize)>> {
    let mut ends: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let place = at;
        at += line.len();
        let name = line.trim().trim_end_matches(';');
        ends.entry(name).or_default().push((place, at));
    }
    ends
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_here_document_ends_at_the_next_line_with_its_name() {
        let code = "a(<<A, <<~'B');\none\n A;\ntwo\nB\n<<A; <<C;\nthree\nA\n<<A\nA";
        let (tokens, _) = tokens(code, Interpreter::Ruby);
        let texts = tokens.iter().filter_map(|it| match it {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(texts.collect::<Vec<&str>>(), ["one\n", "two\n", "three\n", ""]);
    }
}
