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

/// `x not in …`, `if x in …: continue`, `if (….includes(x)) continue`, `!….has(x)`: whether
/// something is asked for in it, and what is there is left alone.
fn is_asked(head: &str, tail: &str) -> bool {
    const METHODS: &[&str] = &[".includes(", ".has(", ".isdisjoint("];
    let (head, tail) = (head.trim_end(), tail.trim_start());
    let head = head.strip_suffix("new Set(").unwrap_or(head);
    let tail = tail.strip_prefix(')').unwrap_or(tail);
    let is_met = |text: &str| text.starts_with('&') && !text.starts_with("&&");
    let line = head.rsplit(['\n', ';', '{', '}']).next().unwrap_or_default().trim_start();
    let begins = ["if ", "if(", "elif ", "else if "];
    let is_if = line == "if" || begins.iter().any(|it| line.starts_with(it));
    if let Some(method) = METHODS.iter().find(|it| tail.starts_with(**it)) {
        // A set that has nothing of it is asked in Python.
        let is_not = head.ends_with('!') != (*method == ".isdisjoint(");
        return if is_not { !leaves(tail) } else { is_if && leaves(tail) };
    }
    if is_met(tail) || head.ends_with('&') && !head.ends_with("&&") {
        return is_if && leaves(tail);
    }
    let Some(item) = head.strip_suffix("in").filter(|it| it.ends_with(char::is_whitespace)) else {
        return false;
    };
    match item.trim_end().strip_suffix("not").filter(|it| it.ends_with(char::is_whitespace)) {
        Some(_) => !leaves(tail),
        None => is_if && leaves(tail),
    }
}

/// Whether a condition goes on so that nothing is done: `…: continue`, `…) return;`.
fn leaves(tail: &str) -> bool {
    let Some(at) = ["continue", "return"].iter().filter_map(|it| tail.find(it)).min() else {
        return false;
    };
    let (between, rest) = (tail[..at].trim_end(), &tail[at..]);
    let is_condition = !between.contains([';', '\n']) && between.ends_with([':', ')', '{']);
    let rest = rest.strip_prefix("continue").or(rest.strip_prefix("return")).unwrap_or(rest);
    let rest = rest.trim_start_matches(' ');
    let nothing = ["false", "False", "None"].iter().find_map(|it| rest.strip_prefix(it));
    let rest = nothing.unwrap_or(rest);
    is_condition && (rest.is_empty() || rest.starts_with(['\n', '\r', ';', '}', ')']))
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
            "if name in ('.git', '.claude'):\n    continue\nopen(p, 'w')",
            "if (!skip.has(n) && !['.git', '.claude'].includes(n)) walk(n)",
            "const f = (n) => { if (['.git', '.claude'].includes(n)) return; walk(n) }",
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
            "if e.name in {'.claude', 'dist'}: shutil.rmtree(e.path)",
            "DROP = ('.claude', 'dist')\nfor d in x:\n  if d in DROP: rmtree(d)",
            "for x in {'.claude', 'dist'}.intersection(os.listdir()): rmtree(x)",
            "for x in set(os.listdir()) & {'.claude'}: rmtree(x)",
            "if (['.claude'].includes(e)) fs.rmSync(e)",
            "d.filter(e => D.has(e)).forEach(rmSync); const D = new Set(['.claude'])",
            "if d not in ['.claude']: continue\nrmtree(d)",
            "if d in ['.claude']: return rmtree(d)",
            "if (!['.claude'].includes(e)) return; rmSync(e)",
            "FileUtils.rm_rf(['.claude'] & Dir.children('.'))",
            "def f():\n  for d in SKIP: os.remove(d)\nSKIP = ['.git', '.claude']\nif x in SKIP: f()",
            "SKIP = ['.git', '.claude']\nif x in SKIP: pass\nwalk(SKIP)",
        ] {
            assert!(!only_left_out(code), "{code}");
        }
    }
}
