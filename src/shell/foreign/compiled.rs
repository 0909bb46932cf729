//! What of a program in Perl runs while it is only looked at for errors (`perl -c`): its `BEGIN`
//! blocks and what it uses.

/// Modules whose loading runs nothing of the text that loads them.
const PLAIN: &[&str] = &[
    "strict", "warnings", "utf8", "feature", "integer", "bytes", "vars", "constant", "POSIX",
    "File", "Getopt", "Data", "List", "Scalar", "Cwd", "Time", "IO", "Carp", "Encode", "Text",
    "Storable", "Test",
];

/// Whether something of a text may run while it is read. A word in a comment counts as well: where
/// one begins nobody asks here.
pub(in super::super) fn runs_while_read(code: &str) -> bool {
    const BLOCKS: &[&str] = &["BEGIN", "UNITCHECK", "CHECK", "import", "unimport"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if code.split(|c| !is_word(c)).any(|it| BLOCKS.contains(&it)) {
        return true;
    }
    let uses = ["use", "no"].iter().flat_map(|verb| code.match_indices(verb));
    let mut uses = uses.filter_map(|(at, verb)| {
        let behind = &code[at + verb.len()..];
        let is_whole = !code[..at].ends_with(is_word) && !behind.starts_with(is_word);
        is_whole.then_some(behind)
    });
    uses.any(|it| !is_plain(it))
}

/// `strict;`, `File::Basename;`, `List::Util qw(first sum);`, `5.010;`: nothing in it is worked out.
fn is_plain(text: &str) -> bool {
    let Some((used, _)) = text.split_once(';') else { return false };
    let used = used.trim();
    let end = used.find(char::is_whitespace).unwrap_or(used.len());
    let (module, list) = used.split_at(end);
    let is_version = |it: &str| {
        !it.is_empty() && it.trim_start_matches('v').chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let first = module.split("::").next().unwrap_or_default();
    let list = list.trim();
    let list = list.strip_prefix("FATAL").map_or(list, |it| it.trim_start());
    let list = list.strip_prefix("=>").map_or(list, str::trim_start);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
    let quoted = |it: &str| {
        let inner = it.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
        inner
            .or(it.strip_prefix('"').and_then(|it| it.strip_suffix('"')))
            .is_some_and(|it| it.chars().all(is_name))
    };
    let words = list.strip_prefix("qw").map(str::trim_start);
    let words = words.and_then(|it| it.strip_prefix('(')?.strip_suffix(')'));
    let is_list = match words {
        Some(words) => words.chars().all(|c| is_name(c) || c.is_whitespace()),
        None => list.is_empty() || is_version(list) || list.split(',').all(|it| quoted(it.trim())),
    };
    is_list && (is_version(module) || PLAIN.contains(&first) && module.chars().all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_used_runs_nothing_of_the_text() {
        for code in [
            "system('git push');",
            "use strict;\nuse warnings FATAL => 'all';\nuse 5.010;\nuse v5.36;\nno strict 'refs';\n",
            "use List::Util qw(first sum);\nuse File::Basename;\nuse feature 'say', 'state';\n",
            "print 'used, because';",
        ] {
            assert!(!runs_while_read(code), "{code}");
        }
    }

    #[test]
    fn what_runs_while_it_is_read_is_found() {
        for code in [
            "BEGIN { system('git push') }",
            "CHECK{ system('git push') }",
            "use constant X => system('git push');",
            "use constant X => `git push`;",
            "use constant X => \"@{[system 'git push']}\";",
            "sub f { system('git push') } use strict f();",
            "sub f { system('git push') } use strict f;",
            "use lib '.'; use Foo;",
            "use Foo;",
            "no Foo 'x';",
            "use POSIX do { system('git push') };",
            "use if 1, 'Foo';",
            "use strict",
        ] {
            assert!(runs_while_read(code), "{code}");
        }
    }
}
