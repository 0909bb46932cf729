//! Commands that code of another language starts with a literal: a string or a list of strings
//! directly inside `os.system`, `subprocess.run`, `execSync`, `system`, backticks or `%x`.
//!
//! This is a scan, not a parser: it skips strings and comments, and looks for names in the table
//! and for the literals right after them. Variables, joined lists and aliases of functions are not
//! followed: what they start is judged when it runs.

use crate::shell::escapes::unescaped;
use crate::shell::table::grammar::lists;
use crate::shell::{HOLE, Interpreter};

/// A command that code starts.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::shell) enum Started {
    /// Text for a shell.
    Shell(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// Functions whose first arguments are a command.
const STARTERS: &str = "system popen Popen run call check_call check_output getoutput getstatusoutput \
    create_subprocess_shell create_subprocess_exec exec execSync execFile execFileSync spawn \
    spawnSync shell_exec passthru proc_open execute execv execve execvp execvpe execl execle \
    execlp execlpe spawnlp spawnvp capture2 capture2e capture3 script";

/// The commands that code starts with literals, in order.
pub(in crate::shell) fn find(code: &str, language: Interpreter) -> Vec<Started> {
    if !may_start(code, language) {
        return Vec::new();
    }
    let mut scan = Scan { code, at: 0, language };
    let mut found = Vec::new();
    while let Some(first) = scan.peek() {
        if scan.skips() {
            continue;
        }
        match first {
            '`' if scan.is(&[Interpreter::Perl, Interpreter::Php, Interpreter::Ruby]) => {
                scan.at += 1;
                let text = scan.until('`');
                found.push(Started::Shell(scan.filled(&text, true)));
            }
            '%' if language == Interpreter::Ruby && scan.rest().starts_with("%x") => {
                scan.at += 2;
                found.extend(scan.bracketed().map(Started::Shell));
            }
            first if first.is_alphabetic() || first == '_' => {
                let name = scan.name();
                if name == "qx" && language == Interpreter::Perl {
                    found.extend(scan.bracketed().map(Started::Shell));
                } else if lists(STARTERS, name) {
                    found.extend(scan.started(name));
                }
            }
            _ if scan.string().is_some() => {}
            other => scan.at += other.len_utf8(),
        }
    }
    found
}

/// Whether the code can start anything: in some languages that requires naming a module.
fn may_start(code: &str, language: Interpreter) -> bool {
    let names = |words: &[&str]| words.iter().any(|word| code.contains(word));
    match language {
        Interpreter::Python => names(&["os", "subprocess", "pty", "commands"]),
        Interpreter::JavaScript => names(&["child_process", "Bun", "execa", "shelljs", "zx"]),
        Interpreter::Shell | Interpreter::Itself | Interpreter::Make => false,
        _ => true,
    }
}

struct Scan<'a> {
    code: &'a str,
    at: usize,
    language: Interpreter,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.code.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn is(&self, languages: &[Interpreter]) -> bool {
        languages.contains(&self.language)
    }

    /// Skips blanks or a comment. Returns whether there were any.
    fn skips(&mut self) -> bool {
        use Interpreter::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let rest = self.rest();
        let to_line_end = || rest.find('\n').unwrap_or(rest.len());
        let length = if rest.starts_with(char::is_whitespace) {
            rest.len() - rest.trim_start().len()
        } else if rest.starts_with('#') && self.is(&[Python, Perl, Ruby, Php, Awk])
            || rest.starts_with("//") && self.is(&[JavaScript, Php])
            || rest.starts_with("--") && self.language == Lua
        {
            to_line_end()
        } else if rest.starts_with("/*") && self.is(&[JavaScript, Php]) {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            return false;
        };
        self.at += length;
        length > 0
    }

    fn skip_blanks(&mut self) {
        while self.skips() {}
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads the text up to an unescaped character, and skips it.
    fn until(&mut self, end: char) -> String {
        let rest = self.rest();
        let mut is_escaped = false;
        for (place, character) in rest.char_indices() {
            if character == end && !is_escaped {
                self.at += place + character.len_utf8();
                return rest[..place].to_owned();
            }
            is_escaped = character == '\\' && !is_escaped;
        }
        self.at = self.code.len();
        rest.to_owned()
    }

    /// `(git push)` in `%x(git push)`.
    fn bracketed(&mut self) -> Option<String> {
        let open = self.peek()?;
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            sign if sign.is_ascii_punctuation() => sign,
            _ => return None,
        };
        self.at += open.len_utf8();
        let text = self.until(close);
        Some(self.filled(&text, true))
    }

    /// A string, including Python's prefixes and triple quotes; `None` if there is none.
    fn string(&mut self) -> Option<String> {
        use Interpreter::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let rest = self.rest();
        let mut prefix = 0;
        if self.language == Python {
            prefix =
                rest.len() - rest.trim_start_matches(['f', 'r', 'b', 'u', 'F', 'R', 'B']).len();
        }
        let quote = rest[prefix..].chars().next()?;
        let is_quote = match quote {
            '"' => true,
            '\'' => self.language != Awk,
            '`' => self.language == JavaScript,
            _ => false,
        };
        if !is_quote || prefix > 2 {
            return None;
        }
        let (is_raw, is_format) =
            (rest[..prefix].contains(['r', 'R']), rest[..prefix].contains(['f', 'F']));
        self.at += prefix + 1;
        let triple = format!("{quote}{quote}");
        let text = if self.language == Python && self.rest().starts_with(&triple) {
            self.at += 2;
            let rest = self.rest();
            let end = format!("{quote}{triple}");
            let (text, length) = match rest.split_once(&end) {
                Some((text, _)) => (text, text.len() + 3),
                None => (rest, rest.len()),
            };
            self.at += length;
            text.to_owned()
        } else {
            self.until(quote)
        };
        let is_literal = is_raw || quote == '\'' && self.is(&[Perl, Ruby, Php]);
        let is_filled = match self.language {
            Python => is_format,
            JavaScript => quote == '`',
            Lua | Awk => false,
            _ => quote == '"',
        };
        let text = if is_literal { text.replace("\\'", "'") } else { unquoted(&text) };
        Some(self.filled(&text, is_filled))
    }

    /// A text with holes for interpolated values: `{x}`, `${x}`, `#{x}`, `$x`.
    fn filled(&self, text: &str, is_filled: bool) -> String {
        use Interpreter::{JavaScript, Perl, Php, Python, Ruby};
        if !is_filled {
            return text.to_owned();
        }
        let opening = match self.language {
            Python => "{",
            JavaScript => "${",
            Ruby => "#{",
            _ => "$",
        };
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once(opening) {
            filled.push_str(before);
            filled.push(HOLE);
            rest = if self.is(&[Perl, Php]) {
                behind.trim_start_matches(|c: char| c.is_alphanumeric() || "_{}:".contains(c))
            } else {
                behind.split_once('}').map_or("", |(_, rest)| rest)
            };
        }
        filled.push_str(rest);
        filled
    }

    /// The command in the literals after a function's name.
    fn started(&mut self, name: &str) -> Option<Started> {
        use Interpreter::{AppleScript, Perl, Ruby, Tcl};
        let before = self.at;
        self.skip_blanks();
        let has_parenthesis = self.peek() == Some('(');
        if has_parenthesis {
            self.at += 1;
        } else if !self.is(&[Perl, Ruby, Tcl, AppleScript]) {
            self.at = before;
            return None;
        }
        let mut words = Vec::new();
        let mut lists = false;
        loop {
            self.skip_blanks();
            if words.is_empty() || !lists {
                if self.peek() == Some('[') {
                    self.at += 1;
                    words.extend(self.list());
                    lists = true;
                } else if let Some(text) = self.literal() {
                    words.push(text);
                } else {
                    break;
                }
            }
            self.skip_blanks();
            if self.peek() != Some(',') || lists {
                break;
            }
            self.at += 1;
        }
        let is_program =
            lists || words.len() > 1 && self.is(&[Perl, Ruby]) || name == "create_subprocess_exec";
        if words.first()?.trim().is_empty() {
            return None;
        }
        if name.starts_with("execl") || name.starts_with("spawnl") {
            // The second argument is `argv[0]`.
            words.drain(1..words.len().min(2));
            return Some(Started::Program(words));
        }
        // `os.execvp("git", ["git", "push"])`
        if (name.starts_with("execv") || name.starts_with("spawnv")) && words.len() > 1 {
            words.remove(0);
            return Some(Started::Program(words));
        }
        if is_program {
            return Some(Started::Program(words));
        }
        Some(Started::Shell(words.swap_remove(0)))
    }

    /// A string and those joined to it, with a hole for anything else that is joined.
    fn literal(&mut self) -> Option<String> {
        let mut text = self.string()?;
        loop {
            let before = self.at;
            self.skip_blanks();
            if self.language == Interpreter::Python
                && let Some(more) = self.string()
            {
                text.push_str(&more);
            } else if self.rest().starts_with(['+', '.']) {
                self.at += 1;
                self.skip_blanks();
                let Some(more) = self.string() else {
                    text.push(HOLE);
                    return Some(text);
                };
                text.push_str(&more);
            } else {
                self.at = before;
                return Some(text);
            }
        }
    }

    /// The words of a list, with a hole for each item that is not a string.
    fn list(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let Some(first) = self.peek() else { return words };
            match first {
                ']' => {
                    self.at += 1;
                    return words;
                }
                ',' => self.at += 1,
                _ => {
                    if let Some(text) = self.literal() {
                        words.push(text);
                        continue;
                    }
                    words.push(HOLE.to_string());
                    let rest = self.rest();
                    let end = rest.find([',', ']']).unwrap_or(rest.len());
                    self.at += end.max(first.len_utf8());
                }
            }
        }
    }
}

/// A string's text without its escapes.
fn unquoted(text: &str) -> String {
    unescaped(&text.replace("\\\"", "\"").replace("\\'", "'"))
}
