//! Whether code of other languages has words in it that change files.

use super::code::{arguments, is_of_name, is_piece, within};

/// Whether code has words in it that change files.
pub(super) fn may_change(code: &str) -> bool {
    const CHANGES: &[&str] = &[
        "write",
        "r+",
        "dump(",
        "unlink",
        "remove",
        "rmtree",
        "rename",
        "chmod",
        "symlink",
        "link(",
        "truncate",
        "flock",
        "lockf",
        "move(",
        "Write",
        "Append",
        "appendFile",
        ".delete",
        "delete(",
        "Delete(",
        "file delete",
        "put_contents",
        ".rm",
        "rmSync",
        "rmdir",
        "rm_",
        "rm(\"",
        "rm('",
        "mv(\"",
        "cp(\"",
        "delete-",
        "\"rm\"",
        "'rm'",
        "touch(",
        "puts $",
        "inplace",
        "shelve",
        "mkstemp",
        "mkdtemp",
        "utime",
        "make_archive",
        "ZipFile(",
        "basicConfig",
        "openSync",
        "urlretrieve",
        "hardlink",
        "linkSync",
        "extractall",
        "unpack_archive",
        "spew",
        "savetxt",
        "emptyDir",
        "FileHandler",
        "PStore",
        "Storable",
        "sysopen",
        "TRUNC",
        "O_CREAT",
    ];
    // What a program shows is no file.
    const SHOWS: &[&str] = &["stdout.write", "stderr.write"];
    let shown: usize = SHOWS.iter().map(|it| code.matches(it).count()).sum();
    let is_said = |word: &str| match word {
        "write" => code.matches(word).count() > shown,
        word => code.contains(word),
    };
    CHANGES.iter().any(|word| is_said(word))
        || says_a_mode(code)
        || replaces_a_file(code)
        || copies(code)
        || prints_to_a_file(code)
        || opens_to_write(code)
}

/// `'w'`, `"b+a"`, `'a:utf-8'`: how a file is opened to be written. `"ask"` and `"all"` are not.
fn says_a_mode(code: &str) -> bool {
    const LONGEST: usize = 4;
    code.match_indices(['"', '\'']).any(|(at, _)| {
        let text = &code[at + 1..];
        let length = text.bytes().take_while(|it| b"rwaxbtU+s".contains(it)).count();
        let (mode, rest) = text.split_at(length);
        let is_said = |it: char| mode.contains(it);
        let writes = is_said('w') || is_said('a') || is_said('x') || is_said('+');
        let is_mode = length <= LONGEST && writes && !(is_said('b') && is_said('t'));
        // Behind a text that ends with a quote of its own nothing can be told.
        let ends = rest.starts_with(['\'', '"', ':', '|', ',', '<', '>', '\\']) || rest.is_empty();
        is_mode && ends
    })
}

/// `os.replace(a, b)`, `path.replace(b)`: of two arguments that a text is asked for, nothing is a
/// file, as long as `os` has no other name.
fn replaces_a_file(code: &str) -> bool {
    code.match_indices("replace(").any(|(at, it)| {
        let Some(object) = code[..at].strip_suffix('.') else { return true };
        let is_texts = arguments(within(&code[at + it.len()..])).is_some_and(|it| it.len() >= 2);
        !is_texts || goes_by_os(code, object)
    })
}

/// Whether that object is, or may be, the module.
fn goes_by_os(code: &str, object: &str) -> bool {
    let name = object.rsplit(|c| !is_of_name(c)).next();
    // `t._os` is that of another module.
    let is_named = object.ends_with(']') || name.is_some_and(|it| it.ends_with("os"));
    // `Path.replace(a, b)`: the method of a class is handed its object.
    let is_named = is_named || name.is_some_and(|it| it.ends_with("Path"));
    let others = code.match_indices("os").filter(|(at, it)| is_piece(code, *at, it.len()));
    let is_plain = |at: usize| {
        code[at + 2..].starts_with('.')
            || code[..at].ends_with("import ")
            || code[..at].ends_with(", ")
    };
    const HIDDEN: &[&str] =
        &["os as ", "__import__", "import_module", "getattr", "pathlib.", "posix"];
    is_named
        || others.map(|it| it.0).any(|at| !is_plain(at))
        || HIDDEN.iter().any(|it| code.contains(it))
}

/// Whether files are copied. `deepcopy`, `import copy`, `x.copy()` are about values.
fn copies(code: &str) -> bool {
    let is_module = |before: &str| !before.ends_with(is_of_name);
    code.match_indices("copy").any(|(at, it)| {
        let (before, rest) = (&code[..at], &code[at + it.len()..]);
        let is_imported = rest.trim_start_matches(' ').starts_with([',', ';', '\n']);
        let is_value = before.ends_with("deep")
            || before.ends_with('.') && rest.starts_with("()")
            || before.strip_suffix("copy.").is_some_and(is_module) && rest.starts_with('(')
            || before.ends_with("import ") && is_imported
            || is_module(before) && [".deepcopy(", ".copy("].iter().any(|it| rest.starts_with(it));
        !is_value || code.contains("shutil")
    })
}

/// `print … > f` of awk: a sign within parentheses compares. Of more than can
/// be looked at, one may.
fn prints_to_a_file(code: &str) -> bool {
    const MOST: usize = 256;
    const LONGEST: usize = 4096;
    let mut prints = code.match_indices("print");
    prints.by_ref().take(MOST).any(|(at, it)| {
        let mut depth = 0_usize;
        let mut quoted = false;
        // `print <$f>` shows a file.
        let mut reads = false;
        let mut last = ' ';
        for c in code[at + it.len()..].chars().take(LONGEST) {
            match c {
                '"' if last != '\\' => quoted = !quoted,
                _ if quoted => {}
                '(' => depth += 1,
                // Of `printf`, and of a call that all of it is within.
                ')' => depth = depth.saturating_sub(1),
                ';' | '\n' | '}' => return false,
                '<' => reads = true,
                '>' if reads => reads = false,
                '>' if depth == 0 && !matches!(last, '=' | '-') => return true,
                _ => {}
            }
            last = c;
        }
        false
    }) || prints.next().is_some()
}

/// `open(F, ">", …)` of Perl, `open(F, ">…")`, `"+<"`.
fn opens_to_write(code: &str) -> bool {
    const MODES: &[&str] = &["\">", "'>", "\"+<", "'+<", "(>", "{>", "[>"];
    // `[open f w]` of Tcl.
    const OF_TCL: &[&str] = &[" w]", " w+]", " a]", " a+]", " r+]"];
    if code.contains("[open ") && OF_TCL.iter().any(|it| code.contains(it)) {
        return true;
    }
    code.contains("open") && MODES.iter().any(|it| code.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_that_compares_changes_nothing() {
        for code in [
            "BEGIN{print \"\" > f}",
            "{printf(\"%s\", \"a;b\") >> f}",
            "open F,\">\",glob(1)",
            "file delete x",
            "[IO.File]::WriteAllText(x)",
            "set f [open x w]",
            "urllib.request.urlretrieve(x, y)",
            "open(p, 'wb+')",
            "open(p,'a:utf-8')",
            "open(p,'bw'); open(q,'+w')",
            "Path(p).open('b+r')",
            "Path.replace(Path('x'), p)",
            "Path('l').hardlink_to(p)",
            "sys.stdout.write(open(p).read()); f.write(x)",
            "sys.modules['os'].replace(a, b)",
            "os.replace(a, b)",
            "import os as o; o.replace(a, b)",
            "x = os; x.replace(a, b)",
            "Path(a).replace(b)",
            "from os import replace; replace(a, b)",
            "import shutil as copy; copy.copy(a, b)",
            "Path(a).copy(b)",
            "a_copy.copy(b)",
            "import posix; posix.replace(a, b)",
            "import tempfile as t; t._os.replace(a, b)",
        ] {
            assert!(may_change(code), "{code}");
        }
        for code in [
            "print(open(f).read())",
            "print(size(f) > 3)",
            "$1 > 3 {print}",
            "x.map(a => print(a))",
            "while(<>){print if /a/} ",
            "print $x->y",
            "print <$f>",
            "print(json.load(open(p))['permissions'].get('ask'))",
            "print(d[\"allow\"], d['additionalDirectories'], 'agents' in d, m.get('matcher', 'any'))",
            "print(s.replace('Bash', 'sh'))",
            "print(open(s).read().replace('Bash', 'sh'), d['all'], d['web'])",
            "sys.stdout.write(json.dumps(d)); process.stdout.write(s)",
            "import os; print(s.replace('Bash', 'sh'), os.environ['Y'])",
            "import copy, json; d = copy.deepcopy(c); e = c.copy()",
        ] {
            assert!(!may_change(code), "{code}");
        }
    }
}
