//! Code of other languages: whether it names roz's own folder, and whether it
//! has words in it that change files. What it does cannot be followed, what it
//! says can; so a place that is put together of pieces counts by the pieces.

use std::cell::LazyCell;

use super::{changing::may_change, commands::is_word_in};
use crate::shell::limit;

/// Whether code names the folder `.roz` of the user: by its way there, by what
/// leads home or upward beside it, or as the tail of a path whose head is
/// something else. The `.roz` of the project, named from where the code runs,
/// is none.
pub(super) fn names_home(code: &str) -> bool {
    const HOMES: &[&str] =
        &["home", "HOME", "expanduser", "~/", "environ", "ENV", "getpw", "USERPROFILE", "passwd"];
    let mut pieces = code.match_indices(".roz").filter(|(at, it)| is_piece(code, *at, it.len()));
    if code.contains(".roz") && HOMES.iter().any(|it| code.contains(it)) {
        return true;
    }
    let climbs = LazyCell::new(|| climbs(code));
    pieces.any(|(at, it)| {
        let rest = &code[at + it.len()..];
        let is_projects = ["/learnings.md", "/stats.log"].iter().any(|it| rest.starts_with(it));
        !is_projects && (is_tail(&code[..at]) || *climbs)
    })
}

/// Whether a match stands by itself in a path: no part of a longer name.
pub(super) fn is_piece(code: &str, at: usize, length: usize) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let follows = |c: char| joins(c) || c == '.';
    !code[..at].ends_with(joins) && !code[at + length..].starts_with(follows)
}

/// What a name in code is made of.
pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// As much of the end of a text as a path may be long.
fn near(before: &str) -> &str {
    &before[before.ceil_char_boundary(before.len().saturating_sub(limit::NAME))..]
}

/// Whether what stands before a piece, in the same string, leads up or is not
/// known: `../`, `"/`, `$h/`, `${h}/`.
fn is_tail(before: &str) -> bool {
    let Some(before) = before.strip_suffix('/') else { return false };
    let begins = |c: char| c.is_whitespace() || "\"'`,;(=>".contains(c);
    let seen = near(before);
    let head = seen.rsplit(begins).next().unwrap_or_default();
    // Where it begins is not seen.
    seen.len() < before.len() && head.len() == seen.len()
        // A string of its own that begins here, behind something else.
        || head.is_empty() && before.ends_with(['"', '\'', '`'])
        || head.contains(['$', '{', '}'])
        || head.split('/').any(|it| it == "..")
}

/// Whether it goes up by a string that does nothing else: `'..'`, `"../.."`; or
/// by a word for that.
fn climbs(code: &str) -> bool {
    let is_up = |it: &str| !it.is_empty() && it.split('/').all(|it| matches!(it, ".." | "" | "."));
    code.split(['"', '\'', '`']).any(|it| it.contains("..") && is_up(it))
        || [".parent", "dirname", "updir"].iter().any(|it| code.contains(it))
}

/// Whether code asks where roz's own binary lies: `which('roz')`.
pub(super) fn names_binary(code: &str) -> bool {
    ["which", "command -v", "type -P"].iter().any(|it| code.contains(it)) && is_word_in(code, "roz")
}

/// Whether code names the binary by its path: in full, or from the user's home on, `~/bin/roz`.
/// `folders` are those that it, or another of its name, is found in.
pub(super) fn names_binary_in(code: &str, folders: &[&str]) -> bool {
    const HOMES: &[&str] = &["home", "HOME", "~/", "expanduser", "USERPROFILE"];
    let begins = |c: char| c.is_whitespace() || "\"'`,;(=>".contains(c);
    let mut pieces =
        code.match_indices("/roz").filter(|(at, it)| is_piece(code, *at + 1, it.len() - 1));
    // Asked of all of the code: once, and only where it counts.
    let from_home = LazyCell::new(|| HOMES.iter().any(|it| code.contains(it)));
    pieces.any(|(at, _)| {
        let head = near(&code[..at]).rsplit(begins).next().unwrap_or_default();
        let Some(from) = head.find('/') else { return false };
        let tail = &head[from..];
        let ends_so = |it: &str| it.strip_suffix(tail).is_some_and(|it| !it.is_empty());
        folders.iter().any(|it| *it == head || ends_so(it) && *from_home)
    })
}

/// Whether code has words in it that change files, but for writes to plain names below where it
/// runs: those are in its reading.
pub(super) fn may_change_elsewhere(code: &str) -> bool {
    may_change(code) && may_change(&without_plain_writes(code))
}

/// Code without what writes to a plain name: `open('c.toml','w').write(`, `copy(x, 'c.toml')`.
fn without_plain_writes(code: &str) -> String {
    const COPIES: &[&str] = &[
        "copy(",
        "copy2(",
        "copyfile(",
        "copyFileSync(",
        "copyFile(",
        "writeFileSync(",
        "appendFileSync(",
    ];
    const WRITES: &[&str] = &[".write(", ".write_text(", ".write_bytes(", ".writelines("];
    // Then a plain name may lie anywhere.
    if code.contains("chdir") || code.len() > 4096 {
        return code.to_owned();
    }
    let mut rest = code.to_owned();
    for name in COPIES {
        let places: Vec<usize> = rest.match_indices(name).map(|it| it.0).collect();
        for at in places.into_iter().rev() {
            let inside = within(&rest[at + name.len()..]);
            let is_copy = !matches!(*name, "writeFileSync(" | "appendFileSync(");
            let target = match arguments(inside).as_deref() {
                Some([target, _]) if !is_copy => *target,
                Some([_, target]) => *target,
                _ => continue,
            };
            // What is read, where it lies apart, has to be known as well.
            let source = arguments(inside).unwrap_or_default();
            let apart = || source.first().is_some_and(|it| is_copy && is_known_path(it));
            if plain_name(target).is_some() || lies_apart(target) && (!is_copy || apart()) {
                rest.replace_range(at..at + name.len(), "(");
            }
        }
    }
    // `json.dump(x, open('out.json', 'w'))`: the file is taken out below.
    let places: Vec<usize> = rest.match_indices("dump(").map(|it| it.0).collect();
    for at in places.into_iter().rev() {
        let end = at + "dump".len();
        let arguments = arguments(within(&rest[end + 1..])).unwrap_or_default();
        if arguments.len() == 2 && opens_plainly(arguments[1]) {
            rest.replace_range(at..end, "");
        }
    }
    for name in ["open(", "Path("] {
        let places: Vec<usize> = rest.match_indices(name).map(|it| it.0).collect();
        for at in places.into_iter().rev() {
            let inside = within(&rest[at + name.len()..]);
            let arguments = arguments(inside).unwrap_or_default();
            let Some((first, others)) = arguments.split_first() else { continue };
            // Code among the others is code that is left.
            let is_plain = plain_name(first).is_some() || lies_apart(first);
            if !is_plain || !others.iter().all(|it| is_literal(it)) {
                continue;
            }
            let mut end = at + name.len() + inside.len() + 1;
            let behind = rest.get(end..).unwrap_or_default();
            end += WRITES.iter().find(|it| behind.starts_with(**it)).map_or(0, |it| it.len() - 1);
            rest.replace_range(at..end.min(rest.len()), "");
        }
    }
    // `open G, ">c.toml"` of Perl.
    let texts = rest.split('"').skip(1).step_by(2);
    let files = texts.filter_map(|it| it.strip_prefix('>'));
    let files = files.filter(|it| plain_name(&format!("'{it}'")).is_some()).map(str::to_owned);
    for file in files.collect::<Vec<String>>() {
        rest = rest.replace(&format!("\">{file}\""), "\"\"");
    }
    rest
}

/// Text up to the parenthesis that closes one before it.
pub(super) fn within(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// The arguments of a call. `None` where that cannot be told without the language: comments,
/// backslashes, parentheses within strings, expressions of text, and lists that are spread out.
pub(super) fn arguments(inside: &str) -> Option<Vec<&str>> {
    const UNSURE: &[&str] = &["#", "//", "/*", "--", "`", "'''", "\"\"\"", "..."];
    // The end of a line hides no quote.
    let is_hidden = |(at, _)| !inside[at + 1..].starts_with('n') || inside[..at].ends_with('\\');
    if UNSURE.iter().any(|it| inside.contains(it)) || inside.match_indices('\\').any(is_hidden) {
        return None;
    }
    let mut found = Vec::new();
    let mut quote = None;
    let mut depth = 0_usize;
    let mut begun = 0;
    let mut last = ' ';
    for (at, c) in inside.char_indices() {
        let divides = || last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '"' | '\'');
        match (quote, c) {
            (None, '/') if !divides() => return None,
            (Some(open), _) if open == c => quote = None,
            (Some(_), '(' | ')') => return None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                found.push(&inside[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
        last = if c.is_whitespace() { last } else { c };
    }
    found.push(&inside[begun..]);
    let is_spread = found.iter().any(|it| it.trim_start().starts_with('*'));
    (quote.is_none() && depth == 0 && !is_spread).then_some(found)
}

/// `'w'`, `encoding="utf-8"`, `1`: what runs nothing.
fn is_literal(argument: &str) -> bool {
    let argument = argument.trim();
    let is_word = |it: &str| it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = match argument.split_once('=') {
        Some((name, value)) if is_word(name.trim()) => value.trim(),
        _ => argument,
    };
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let text = match quote {
        Some(quote) => value[1..].strip_suffix(quote),
        None => Some(value).filter(|it| is_word(it)),
    };
    text.is_some_and(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || "_-+. ".contains(c)))
}

/// `open('out.json', 'w')`, and nothing around it.
fn opens_plainly(argument: &str) -> bool {
    let inside = argument.trim().strip_prefix("open(").and_then(|it| it.strip_suffix(')'));
    let arguments = inside.and_then(arguments).unwrap_or_default();
    let Some((first, others)) = arguments.split_first() else { return false };
    (plain_name(first).is_some() || lies_apart(first)) && others.iter().all(|it| is_literal(it))
}

/// A literal path, or one whose home is put in: `os.path.expanduser('~/x')`.
fn is_known_path(argument: &str) -> bool {
    let argument = argument.trim();
    let inside = ["os.path.expanduser(", "path.expanduser(", "expanduser("]
        .iter()
        .find_map(|it| argument.strip_prefix(it)?.strip_suffix(')'));
    let argument = inside.unwrap_or(argument).trim();
    let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''));
    let text = quote.and_then(|it| argument[1..].strip_suffix(it));
    text.is_some_and(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || "._-/~".contains(c)))
}

/// A literal path elsewhere that is nowhere near what is guarded; where links lead it, the reading
/// of it is asked.
fn lies_apart(argument: &str) -> bool {
    let argument = argument.trim();
    let is_far = !["/.", "..", "roz", "claude"].iter().any(|it| argument.contains(it));
    is_far && is_known_path(argument) && argument[1..].starts_with('/')
}

/// A string that is a name below the folder, and of nothing that is guarded.
fn plain_name(argument: &str) -> Option<&str> {
    let argument = argument.trim();
    let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let name = argument[1..].strip_suffix(quote)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    // Lists of what is left out hold names, and nothing reads anything else out of them.
    let is_list = matches!(name, ".gitignore" | ".dockerignore" | ".npmignore" | ".prettierignore");
    let goes = name.starts_with(['/', '.']) || name.contains("/.") || name.contains("..");
    let goes = goes && !is_list;
    (!name.is_empty() && name.chars().all(fits) && !goes).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_by_what_leads_to_it() {
        for code in [
            "path.join(os.homedir(),'.roz','config.toml')",
            "path.join('..','.roz','config.toml')",
            "P('..').joinpath('.roz','config.toml')",
            "(h \"/.roz/config.toml\")",
            "f\"{h}/.roz/config.toml\"",
            "\"$h/.roz/config.toml\"",
            "truncate \"../.roz/config.toml\",0",
            "glob(\"~/.roz/config.toml\")",
            "P.cwd().parent / '.roz'",
        ] {
            assert!(names_home(code), "{code}");
        }
        for code in [
            "open('.roz/learnings.md','a')",
            "open(cwd + '/.roz/learnings.md','a')",
            "require('../x'); f('.roz/config.toml')",
            "f(...a, '.roz/x')",
            "'../.rozzer/x'",
            "'../x.roz'",
            "",
            ".roz",
        ] {
            assert!(!names_home(code), "{code}");
        }
    }

    #[test]
    fn the_binary_is_named_in_full_or_from_home_on() {
        let names = |code| names_binary_in(code, &["/home/u/bin", "/usr/bin"]);
        for code in [
            "copy2(src='x',dst='/home/u/bin/roz')",
            "pathlib.Path('~/bin/roz').expanduser().unlink()",
            "os.chmod(os.environ['HOME']+'/bin/roz',0)",
            "writeFileSync(process.env.HOME+'/bin/roz','')",
            "unlink glob \"~/bin/roz\"",
            "file delete $env(HOME)/bin/roz",
        ] {
            assert!(names(code), "{code}");
        }
        for code in [
            "open('/home/u/src/roz','w')",
            "open('bin/roz','w')",
            "open('/opt/bin/roz','w')",
            "open('~/src/roz','w')",
            "open('~/bin/roz.log','w')",
            "open('~/bin/rozzer','w')",
            "os.environ['HOME']+'/roz'",
        ] {
            assert!(!names(code), "{code}");
        }
    }

    #[test]
    fn what_is_copied_to_a_plain_name_changes_nothing_else() {
        for code in [
            "shutil.copy(os.path.expanduser('~/.roz/config.toml'),'c.toml')",
            "open('copy.toml','w').write(open(h+'/.roz/config.toml').read())",
            "Path('copy.toml').write_text((Path.home()/'.roz/config.toml').read_text())",
            "fs.copyFileSync(os.homedir()+'/.roz/config.toml','c.toml')",
            "fs.writeFileSync('c.toml',fs.readFileSync(os.homedir()+'/.roz/config.toml'))",
            "open F,\"$ENV{HOME}/.roz/config.toml\"; open G,\">c.toml\"; print G <F>",
            "open('c.toml', mode='w', encoding='utf-8', newline='').write(x)",
            "shutil.copy(os.path.join(h, '.roz', 'config.toml'), 'c.toml')",
            "shutil.copy(Path.home() / '.roz/config.toml', 'c.toml')",
            "shutil.copy('.claude/settings.json','/tmp/x')",
            "shutil.copy(os.path.expanduser('~/.roz/config.toml'), '/tmp/x')",
            "require('fs').copyFileSync('.claude/settings.json','/tmp/s')",
            "s=json.load(open('.claude/settings.json')); json.dump({'n':len(s)},open('out.json','w'))",
            "fs.appendFileSync('.gitignore','.claude/settings.local.json\\n')",
            "open('.gitignore','a').write('.claude/settings.json\\n')",
            "json.dump(json.load(open('.claude/settings.json')),open('/tmp/x.json','w'))",
            "open('/tmp/out.json','w').write(open(os.path.expanduser('~/.roz/config.toml')).read())",
        ] {
            assert!(!may_change_elsewhere(code), "{code}");
        }
        for code in [
            "shutil.copy('c.toml',os.path.expanduser('~/.roz/config.toml'))",
            "shutil.copy(x,'c.toml'); os.remove(x)",
            "open('c.toml','w').write(x); open(h+'/.roz/config.toml','w')",
            "open('../.roz/config.toml','w').write(x)",
            "os.chdir(os.path.expanduser('~/.roz')); open('config.toml','w').write(x)",
            "Path('c.toml').rename(Path.home()/'.roz/config.toml')",
            "fs.writeFileSync(p,'c.toml')",
            "fs.appendFileSync(p,'.gitignore\\n')",
            "fs.appendFileSync('a\\',p,\\'')",
            "fs.appendFileSync('a\\\\n',f('b'),'c')",
            "open('.gitconfig','a').write(x)",
            "open('d/.gitignore/../.roz','a').write(x)",
            "open G,\">$h/.roz/config.toml\"; print G 1",
            "open('a', os.remove(d['k']) or 'w')",
            "open('a', 'w', opener=os.remove(p))",
            "open('a', \"#{File.delete p}\")",
            "copy(x, p #,'a'\n)",
            "copyFileSync(x, p /*,'a'*/)",
            "copyfile(*f(x, p), 'a')",
            "copy(x, p, 'a')",
            "copy(x, '/tmp/a')",
            "copy(os.path.expanduser('~/' + x), '/tmp/a')",
            "copy('a', '/home/u/.roz/config.toml')",
            "copy('a', '/opt/bin/roz')",
            "copy('a', '/tmp/../x')",
            "json.dump({}, open(p,'w'))",
            "json.dump(os.remove(p), open('a','w'))",
            "json.dump({}, open('a', 'w', opener=os.remove(p)))",
            "json.dump({}, f)",
            "copy(*f(\"(\")), 'a')",
            "copyFileSync(/'/ && x, p, \"'\", \" \", \"'\", 'a')",
        ] {
            assert!(may_change_elsewhere(code), "{code}");
        }
    }
}
