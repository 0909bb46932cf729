//! Code that names the client's folder only to leave it out, as a walk over a tree does:
//! `if {".git", ".claude"} & set(p.parts): continue`, `SKIP = [".claude", …]` and `not in SKIP`.

use super::code::is_of_name;
use crate::shell::limit;

/// Whether each mention of `.claude` is an element of a list of names that is only ever asked
/// whether something is in it.
pub(super) fn only_left_out(code: &str) -> bool {
    code.len() <= limit::TEXT / 4
        && code.match_indices(".claude").all(|(at, _)| is_left_out(code, at))
}

fn is_left_out(code: &str, at: usize) -> bool {
    let (before, after) = (&code[..at], &code[at + ".claude".len()..]);
    let Some(quote) = before.chars().next_back().filter(|c| matches!(c, '"' | '\'')) else {
        return false;
    };
    let (Some(before), Some(after)) = (before.strip_suffix(quote), after.strip_prefix(quote))
    else {
        return false;
    };
    let (Some(open), Some(close)) = (opens(before), closes(after)) else { return false };
    let (head, tail) = (before[..open].trim_end(), after[close + 1..].trim_start());
    is_asked(head, tail)
        || assigned(head.strip_suffix("new Set(").unwrap_or(head)).is_some_and(|(at, name)| {
            let mut uses = uses_of(code, name).filter(|it| *it != at).peekable();
            uses.peek().is_some() && uses.all(|it| is_asked(&code[..it], &code[it + name.len()..]))
        })
}

/// What may stand in such a list: names in quotes, commas, blanks.
fn is_of_list(c: char) -> bool {
    c.is_ascii_alphanumeric() || c.is_whitespace() || "_-.,\"'".contains(c)
}

fn opens(before: &str) -> Option<usize> {
    let at = before.rfind(|c: char| !is_of_list(c))?;
    before[at..].starts_with(['(', '[', '{']).then_some(at)
}

fn closes(after: &str) -> Option<usize> {
    let at = after.find(|c: char| !is_of_list(c))?;
    after[at..].starts_with([')', ']', '}']).then_some(at)
}

/// `x in …`, `x not in …`, `… & x`, `….includes(x)`: whether something is in it, and no more.
fn is_asked(head: &str, tail: &str) -> bool {
    const METHODS: &[&str] = &[".includes(", ".has(", ".isdisjoint(", ".intersection("];
    let (head, tail) = (head.trim_end(), tail.trim_start());
    let tail = tail.strip_prefix(')').unwrap_or(tail);
    if METHODS.iter().any(|it| tail.starts_with(it)) {
        return true;
    }
    let is_met = |text: &str| text.starts_with('&') && !text.starts_with("&&");
    if is_met(tail) || head.ends_with('&') && !head.ends_with("&&") {
        return true;
    }
    let Some(item) = head.strip_suffix("in").filter(|it| it.ends_with(char::is_whitespace)) else {
        return false;
    };
    // `for d in […]` goes over it.
    let line = item.rsplit(['\n', ';', '[', '(', '{']).next().unwrap_or_default();
    let begins = |it: &&str| matches!(*it, "if" | "elif" | "and" | "or" | "while" | "return");
    let words = line.split_whitespace().rev().take_while(|it| !begins(it));
    !words.into_iter().any(|it| matches!(it, "for" | "let" | "const" | "var"))
}

/// `SKIP = […]`, from before the list: where the name stands, and the name.
fn assigned(head: &str) -> Option<(usize, &str)> {
    let head = head.trim_end().strip_suffix('=')?.trim_end();
    let begin = head
        .rfind(|c| !is_of_name(c))
        .map_or(0, |it| it + head[it..].chars().next().map_or(0, char::len_utf8));
    // `x[SKIP] = …`, `a.SKIP = …` are something else.
    let is_plain = !head[..begin].trim_end().ends_with(['.', ',', '=', '+', '-', '|', ':']);
    Some((begin, &head[begin..])).filter(|it| !it.1.is_empty() && is_plain)
}

fn uses_of<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> {
    code.match_indices(name).map(|it| it.0).filter(move |at| {
        !code[..*at].ends_with(is_of_name) && !code[at + name.len()..].starts_with(is_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::only_left_out;

    #[test]
    fn a_walk_may_leave_the_clients_folder_out() {
        for code in [
            "for p in Path('.').rglob('*.md'):\n  if {'.git', '.claude'} & set(p.parts): continue\n  p.write_text(x)",
            "for r, dirs, f in os.walk('.'):\n  dirs[:] = [d for d in dirs if d not in ('.git', '.claude')]",
            "if name in [\".git\", \".claude\", \"node_modules\"]: continue",
            "SKIP = {'.git', '.claude'}\nfor r, ds, fs in os.walk('.'):\n  ds[:] = [d for d in ds if d not in SKIP]",
            "const skip = new Set(['.git', '.claude']); if (skip.has(e.name)) continue",
            "if (['.git', '.claude'].includes(e.name)) continue",
            "if set(p.parts) & {'.claude', '.git'}: continue",
        ] {
            assert!(only_left_out(code), "{code}");
        }
    }

    #[test]
    fn whoever_goes_over_it_does_not_leave_it_out() {
        for code in [
            "for d in ['.git', '.claude']: os.listdir(d)",
            "[os.listdir(d) for d in ('.git', '.claude')]",
            "SKIP = ['.git', '.claude']\nfor d in SKIP: os.listdir(d)",
            "D = ['.claude', 'x']\nif 'a' in D: os.listdir(D[0])",
            "os.listdir('.claude')",
            "os.path.join('.claude', x)",
            "f(['.claude'])",
            "if x in ['.claude']: pass\nos.listdir('.claude')",
            "for (const d of ['.git', '.claude']) readdirSync(d)",
            "glob('.claude/*')",
            "A = ['.claude']",
            "def f():\n  for d in SKIP: os.remove(d)\nSKIP = ['.git', '.claude']\nif x in SKIP: f()",
            "SKIP = ['.git', '.claude']\nif x in SKIP: pass\nwalk(SKIP)",
        ] {
            assert!(!only_left_out(code), "{code}");
        }
    }
}
