//! Simple commands, redirections and here-documents.

use super::scanner::{Pending, Scanner};
use crate::shell::Unreadable;
use crate::shell::syntax::{Node, Redirection, RedirectionKind, Simple, Word};
use std::cell::OnceCell;
use std::rc::Rc;

/// The most here-documents on one line, as their ends are searched one by one.
const DOCUMENTS: usize = 64;

impl Scanner<'_> {
    /// A simple command, or the definition `name() …`.
    pub(super) fn simple(&mut self) -> Option<Node> {
        let mut simple = Simple::default();
        loop {
            self.skip_blanks();
            if self.is_over() {
                break;
            }
            if let Some(redirection) = self.redirection() {
                simple.redirections.push(redirection);
                continue;
            }
            match self.peek() {
                b'\n' | b';' | b'|' | b'&' | b')' => break,
                b'\r' if matches!(self.peek_at(1), b'\n' | 0) => {
                    self.at += 1;
                    continue;
                }
                b'#' => {
                    self.skip_comment();
                    continue;
                }
                b'(' => {
                    if let ([name], true) = (&simple.words[..], simple.assignments.is_empty()) {
                        let name = name.as_text().unwrap_or_default();
                        self.at += 1;
                        self.skip_blanks();
                        self.expect(")");
                        return self.function(name);
                    }
                    self.fail(Unreadable::Syntax);
                    break;
                }
                _ => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
                continue;
            }
            let start = self.at;
            simple.words.push(self.word());
            if self.at == start {
                self.fail(Unreadable::Syntax);
                break;
            }
        }
        let empty = simple.words.is_empty()
            && simple.assignments.is_empty()
            && simple.redirections.is_empty();
        (!empty).then_some(Node::Simple(simple))
    }

    pub(super) fn redirected(&mut self, node: Node) -> Node {
        let mut redirections = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirection() {
                Some(redirection) => redirections.push(redirection),
                None if redirections.is_empty() => return node,
                None => return Node::Redirected(Box::new(node), redirections),
            }
        }
    }

    fn redirection(&mut self) -> Option<Redirection> {
        let (descriptor, length) = self.descriptor();
        let operator = self.at + length;
        let rest = self.bytes.get(operator..)?;
        let (kind, width) = redirection_kind(rest)?;
        let both = matches!(kind, RedirectionKind::WriteBoth | RedirectionKind::AppendBoth);
        let is_process = matches!(rest, [b'<' | b'>', b'(', ..]);
        if is_process || both && length > 0 {
            return None;
        }
        self.at = operator + width;
        self.skip_blanks();
        let start = self.at;
        // `<&-git`: the `-` that closes a descriptor is not part of the word after it.
        let duplicates =
            matches!(kind, RedirectionKind::DuplicateIn | RedirectionKind::DuplicateOut);
        let target = if duplicates && self.peek() == b'-' {
            self.at += 1;
            Word::text("-", false)
        } else {
            self.word()
        };
        if self.at == start {
            self.fail(Unreadable::Syntax);
        }
        let body = Rc::new(OnceCell::new());
        if kind == RedirectionKind::Document {
            self.expect_document(start, &target, rest.get(2) == Some(&b'-'), &body);
        }
        Some(Redirection { descriptor, kind, target, body })
    }

    /// The descriptor before an operator, `2>` or `{fd}>`, and its length.
    fn descriptor(&self) -> (Option<u32>, usize) {
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            let number = self.text[self.at..self.at + digits].parse().ok();
            return (number.or(Some(u32::MAX)), digits);
        }
        if rest.first() == Some(&b'{') {
            let name = rest[1..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            if name > 0
                && rest.get(name + 1) == Some(&b'}')
                && matches!(rest.get(name + 2), Some(b'<' | b'>'))
            {
                return (Some(u32::MAX), name + 2);
            }
        }
        (None, 0)
    }

    fn expect_document(
        &mut self,
        start: usize,
        word: &Word,
        strip: bool,
        body: &Rc<OnceCell<Word>>,
    ) {
        if self.pending.len() >= DOCUMENTS {
            self.fail(Unreadable::Work);
            return;
        }
        let raw = &self.text[start..self.at];
        let quoted = raw.contains(['"', '\'', '\\']);
        let delimiter = if quoted { word.as_text().unwrap_or_default() } else { raw.to_owned() };
        self.pending.push(Pending { delimiter, quoted, strip, body: Rc::clone(body) });
    }

    pub(super) fn documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let text = self.document(&pending);
            let word =
                if pending.quoted { Word::text(&text, true) } else { self.quoted_text(&text) };
            // It is set once, as each document has its own cell.
            let _ = pending.body.set(word);
        }
    }

    fn document(&mut self, pending: &Pending) -> String {
        let mut text = String::new();
        while self.at < self.bytes.len() {
            let rest = &self.text[self.at..];
            let (line, length) = match rest.find('\n') {
                Some(end) => (&rest[..end], end + 1),
                None => (rest, rest.len()),
            };
            let kept = if pending.strip { line.trim_start_matches('\t') } else { line };
            // Within `$( … )` bash also takes the delimiter on the line that closes it.
            if self.substitutions > 0
                && kept.strip_prefix(&pending.delimiter).is_some_and(|rest| rest.contains(')'))
            {
                self.at += line.len() - kept.len() + pending.delimiter.len();
                return text;
            }
            self.at += length;
            if kept.trim_end_matches('\r') == pending.delimiter {
                break;
            }
            text.push_str(kept);
            text.push('\n');
        }
        text
    }
}

fn redirection_kind(rest: &[u8]) -> Option<(RedirectionKind, usize)> {
    use RedirectionKind as Kind;
    Some(match rest {
        [b'<', b'<', b'<', ..] => (Kind::String, 3),
        [b'<', b'<', b'-', ..] => (Kind::Document, 3),
        [b'<', b'<', ..] => (Kind::Document, 2),
        [b'<', b'&', ..] => (Kind::DuplicateIn, 2),
        [b'<', b'>', ..] => (Kind::ReadWrite, 2),
        [b'<', ..] => (Kind::Read, 1),
        [b'>', b'>', ..] => (Kind::Append, 2),
        [b'>', b'&', ..] => (Kind::DuplicateOut, 2),
        [b'>', b'|', ..] => (Kind::Write, 2),
        [b'>', ..] => (Kind::Write, 1),
        [b'&', b'>', b'>', ..] => (Kind::AppendBoth, 3),
        [b'&', b'>', ..] => (Kind::WriteBoth, 2),
        _ => return None,
    })
}
