//! The reader's bounds and its interface. What lines mean is in the corpora, `tests/it/commands`.

use super::table::grammar::{lists, words_of};
use super::*;

/// `text` repeated.
fn many(text: &str, count: usize) -> String {
    text.repeat(count)
}

#[test]
fn no_nesting_or_length_overflows_the_stack_or_takes_long() {
    let openings = [
        "(",
        "((",
        "$(",
        "$((",
        "${",
        "${x:-",
        "<(",
        "{ ",
        "{",
        "{a,",
        "`",
        "\"$(",
        "[[ ( ",
        "if ",
        "while ",
        "case x in x) ",
        "for x in y; do ",
        "f() { ",
        "f() (",
        "a=(",
        "a[",
        "$[",
        "@(",
        "coproc ",
        "! ",
        "time ",
        "cat <<A ",
        "<<A $(",
        "bash -c \"",
        "eval eval ",
        "sudo ",
        "\"",
        "'",
        "\\",
        "$'",
        "x=$x ",
        "a && ",
        "a | ",
        "a;",
        "a=$a$a; ",
        "[ ",
        "{1..9}",
        "&",
    ];
    for opening in openings {
        for count in [1_000, 100_000] {
            let line = many(opening, count);
            let begun = std::time::Instant::now();
            let _ = read(&line).keys();
            let took = begun.elapsed();
            // A hang takes minutes; how long it takes is measured in `benches/`.
            assert!(took.as_secs() < 20, "{opening:?} × {count}: {took:?}");
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_not_taken_for_empty() {
    assert_eq!(read(&many("(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("$(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("a", 1_000_000)).unreadable, Some(Unreadable::Length));
    assert_eq!(read("git push \"").unreadable, Some(Unreadable::Quote));
}

#[test]
fn what_is_cut_of_an_input_says_so() {
    let given = |count: usize, to: &str| {
        read(&format!("cat <<E | {to}\n{}git push\nE", many("a b\n", count)))
    };
    for to in ["xargs -I{} sh -c {}", "parallel"] {
        let reading = given(200, to);
        assert!(reading.unreadable.is_none() && reading.may_run("Bash:git push*"), "{to}");
        assert_eq!(given(1000, to).unreadable, Some(Unreadable::Work), "{to}");
    }
    // One call may have many words.
    let one = given(1000, "xargs echo");
    assert!(one.unreadable.is_none() && one.runs.iter().any(|run| run.argv.len() > 2000));
}

#[test]
fn a_line_whose_work_is_just_spent_says_so() {
    let touching = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        read(&format!("touch {}", names.join(" ")))
    };
    let is_cut = |count: usize| touching(count).writes.len() < count;
    let (mut whole, mut cut) = (0, super::limit::WORK);
    while cut - whole > 1 {
        let between = usize::midpoint(whole, cut);
        *(if is_cut(between) { &mut cut } else { &mut whole }) = between;
    }
    assert!(whole > 1000, "{whole}");
    for count in cut..cut + 8 {
        assert_eq!(touching(count).unreadable, Some(Unreadable::Work), "{count}");
    }
}

#[test]
fn a_pipeline_is_read_to_its_end_or_says_that_it_is_not() {
    let reading = read(&(many("cat | ", 1_500) + "git push"));
    assert_eq!(reading.unreadable, None);
    assert!(reading.may_run("Bash:git push*") && !reading.may_run("Bash:git tag*"));
    let reading = read(&(many("cat | ", 3_999) + "git push"));
    assert_eq!(reading.unreadable, Some(Unreadable::Work));
}

#[test]
fn a_chain_of_names_as_long_as_the_code_is_read_to_its_end() {
    for (start, link, end) in [
        ("node -e '", "a.", "b'"),
        ("python3 -c '", "a.b().", "c'"),
        ("perl -e '", "$p.", "$b'"),
        ("ruby -e '", "a::B.", "c'"),
        ("php -r '", "$a->", "b;'"),
    ] {
        let reading = read(&format!("{start}{}{end}; git push", many(link, 5_000)));
        assert!(reading.may_run("Bash:git push*"), "{start}{link}");
    }
    let deep = format!("python3 -c 'import os; {}system(\"git push\")'", many("a.", 5_000));
    assert!(read(&deep).may_run("Bash:git push*"));
}

/// Properties found it: after an error, a comment was skipped for ever.
#[test]
fn a_comment_after_an_error_ends() {
    for line in ["a (#", "a ( # b", "f(# )", "if (; #"] {
        assert!(read(line).unreadable.is_some(), "{line}");
    }
}

#[test]
fn what_was_read_before_an_error_stands() {
    let reading = read("git push\necho \"unclosed");
    assert_eq!(reading.unreadable, Some(Unreadable::Quote));
    assert!(reading.may_run("Bash:git push*"));
}

#[test]
fn the_raw_words_of_a_padded_line_hold_the_command() {
    for line in ["x 'a; git push origin", "echo \"$(git push origin", "g''it push origin '"] {
        let words = raw_words(line);
        assert!(words.iter().any(|words| words.starts_with("git push origin")), "{words:?}");
    }
}

#[test]
fn a_proxy_of_the_user_is_taken_off_like_a_wrapper() {
    let options = Options { proxies: vec!["rtk".to_owned()], ..Options::default() };
    assert!(read_with("rtk -v git push", &options).may_run("Bash:git push*"));
    assert!(!read("rtk -v git push").may_run("Bash:git push*"));
}

#[test]
fn variables_that_the_caller_knows_are_followed() {
    let variables = vec![("ROZ_HOME".to_owned(), "/home/u/.roz".to_owned())];
    let options = Options { variables, ..Options::default() };
    let reading = read_with("rm -rf \"$ROZ_HOME/sessions\"", &options);
    assert_eq!(reading.writes[0].path, "/home/u/.roz/sessions");
    assert_eq!(reading.writes[0].certainty, Certainty::Resolved);
}

#[test]
fn scripts_are_named_with_who_runs_them_and_their_arguments() {
    let scripts = |line: &str| {
        let scripts = read(line).scripts.into_iter();
        scripts.map(|s| (s.path, s.interpreter, s.arguments)).collect::<Vec<_>>()
    };
    let one = |path: &str, interpreter, arguments: &[&str]| {
        let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        vec![(path.to_owned(), interpreter, arguments)]
    };
    assert_eq!(scripts("bash f.sh a b"), one("f.sh", Interpreter::Shell, &["a", "b"]));
    assert_eq!(scripts("cd d && ./f.sh x"), one("d/f.sh", Interpreter::Itself, &["x"]));
    assert_eq!(scripts("/tmp/f"), one("/tmp/f", Interpreter::Itself, &[]));
    assert_eq!(scripts("source env"), one("env", Interpreter::Shell, &[]));
    assert_eq!(scripts("sudo python3 -u f.py x"), one("f.py", Interpreter::Python, &["x"]));
    assert_eq!(scripts("node f.js"), one("f.js", Interpreter::JavaScript, &[]));
    assert_eq!(scripts("/usr/bin/git push; cargo test; bash -c x"), vec![]);
}

#[test]
fn what_hangs_on_a_test_is_conditional() {
    let conditional = |line: &str| {
        let runs = read(line).runs;
        runs.iter().find(|run| run.program == "git").is_some_and(|run| run.conditional)
    };
    for line in ["[ -f x ] && git push", "if a; then git push; fi", "a || git push"] {
        assert!(conditional(line), "{line}");
    }
    for line in ["git push", "cd d && git push", "f() { git push; }; f", "a; (git push)"] {
        assert!(!conditional(line), "{line}");
    }
}

#[test]
fn files_that_are_shown_are_reads() {
    let reads = |line: &str| read(line).reads.into_iter().map(|r| r.path).collect::<Vec<_>>();
    assert_eq!(reads("cat a b"), ["a", "b"]);
    assert_eq!(reads("cd d && head -n 5 a"), ["d/a"]);
    assert_eq!(reads("grep -n x a"), ["a"]);
    assert_eq!(reads("sort < a"), ["a"]);
    assert_eq!(reads("echo a"), Vec::<String>::new());
}

#[test]
fn no_name_stands_twice_in_one_table() {
    for row in table::wrappers::WRAPPERS {
        let rows = table::wrappers::WRAPPERS.iter().filter(|other| other.then == row.then);
        for name in words_of(row.names) {
            let count = rows.clone().filter(|other| lists(other.names, name)).count();
            assert_eq!(count, 1, "{name} {:?}", row.then);
        }
    }
}

#[test]
fn every_name_of_a_table_is_found() {
    for row in table::wrappers::WRAPPERS {
        for name in words_of(row.names) {
            let words: Vec<_> =
                table::grammar::words_of(row.then).map(field::Field::literal).collect();
            assert!(table::wrappers::find(name, &words).is_some(), "{name}");
        }
    }
    for row in table::file_programs::FILE_PROGRAMS {
        for name in words_of(row.names) {
            assert!(
                table::file_programs::rows(name).any(|found| std::ptr::eq(found, row)),
                "{name}"
            );
        }
    }
    for row in table::global_options::PROGRAMS {
        assert!(words_of(row.names).all(|name| table::global_options::find(name).is_some()));
    }
}

#[test]
fn a_long_list_of_arguments_is_one_command() {
    for head in ["git add", "git log", "cargo fmt --", "echo"] {
        let files: Vec<String> =
            (0..6000).map(|number| format!("src/some/file{number}.rs")).collect();
        let reading = super::read(&format!("{head} {}", files.join(" ")));
        assert_eq!(reading.unreadable, None, "{head}");
        assert_eq!(reading.runs.len(), 1, "{head}");
        assert!(!reading.may_run("Bash:git push*"), "{head}");
    }
}

#[test]
fn a_case_that_takes_too_long_to_know_runs_each_arm() {
    let (text, pattern) = (many("a", 4000), many("a", 500));
    let reading = read(&format!("case {text} in *{pattern}b) ls;; *) git push;; esac"));
    assert!(reading.may_run("Bash:git push*"));
    let reading = read(&format!("case {text} in *{pattern}b*) git push;; *) ls;; esac"));
    assert!(reading.may_run("Bash:git push*") && reading.may_run("Bash:ls*"));
}

#[test]
fn a_pattern_matches_as_in_a_shell() {
    for (pattern, text) in [
        ("settings.json", "settings.json"),
        ("s*[^x]*", "settings.json"),
        ("[!x]ettings.json", "settings.json"),
        ("[^x]ettings.json", "settings.json"),
        ("[[:lower:]]ettings.json", "settings.json"),
        ("[^[:digit:]]ettings.json", "settings.json"),
        ("[[:alpha:][:digit:]_]ettings*", "settings.json"),
        ("[[=s=]]ett[[.i.]]ngs?json", "settings.json"),
        ("[[:odd:]]ettings.json", "settings.json"),
        ("[^[:odd:]]ettings.json", "settings.json"),
        ("[]s]ettings.json", "settings.json"),
        ("[a-z]*[-n]", "settings.json"),
        ("a[b", "a[b"),
        ("[[:alpha", "[[:alpha"),
        ("[[:alpha:]", "[a"),
        ("[a-]", "-"),
        ("[!]a]", "b"),
        ("[[.].]]", "]"),
        ("[x[a]", "a"),
        ("[[:alpha:]]", "é"),
        ("**", ""),
    ] {
        assert!(pattern_matches(pattern, text), "{pattern} {text}");
    }
    for (pattern, text) in [
        ("[^s]ettings.json", "settings.json"),
        ("settings", "settings.json"),
        ("a[b", "ab"),
        ("?", ""),
    ] {
        assert!(!pattern_matches(pattern, text), "{pattern} {text}");
    }
}

#[test]
fn what_would_take_too_long_may_match() {
    let (pattern, text) = (format!("*{}b", "a".repeat(5000)), "a".repeat(10_000));
    assert!(pattern_matches(&pattern, &text));
}

#[test]
fn brackets_that_nothing_closes_are_text() {
    for pattern in ["[".repeat(50_000), "[:".repeat(25_000), "[.[=".repeat(12_000)] {
        assert_eq!(glob::tokens(&pattern).len(), pattern.len());
    }
}

#[test]
fn the_last_part_stands_behind_the_last_slash() {
    for (path, part) in
        [("git", "git"), ("/usr/bin/git", "git"), ("a/", ""), ("", ""), ("ä/ö", "ö")]
    {
        assert_eq!(last_part(path), part, "{path}");
    }
}

#[test]
fn a_literal_in_a_call_is_a_command() {
    use Interpreter::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
    use walk::subprocess_calls::Started;
    let shell = |text: &str| Started::Shell(text.to_owned());
    let program =
        |words: &[&str]| Started::Program(words.iter().map(|word| (*word).to_owned()).collect());
    for (language, code, expected) in [
        (Python, "import os; os.system('git push')", shell("git push")),
        (Python, "subprocess.run(['git', 'push'], check=True)", program(&["git", "push"])),
        (Python, "subprocess.run(f'git push {x}', shell=True)", shell("git push \u{FFFC}")),
        (Python, "subprocess.run(['git', x])", program(&["git", "\u{FFFC}"])),
        (Python, "os.execvp('git', ['git', 'push'])", program(&["git", "push"])),
        (Python, "os.execlp('git', 'git', 'push')", program(&["git", "push"])),
        (JavaScript, "require('child_process').execSync(`git push`)", shell("git push")),
        (JavaScript, "child_process.spawn('git', ['push'])", program(&["git", "push"])),
        (Perl, "system 'git', 'push'", program(&["git", "push"])),
        (Perl, "print `git push`", shell("git push")),
        (Ruby, "%x(git push)", shell("git push")),
        (Ruby, "system \"git push\"", shell("git push")),
        (Php, "shell_exec('git push');", shell("git push")),
        (Lua, "os.execute('git push')", shell("git push")),
        (Awk, "BEGIN{system(\"git push\")}", shell("git push")),
    ] {
        assert_eq!(walk::subprocess_calls::find(code, language), [expected], "{code}");
    }
}

#[test]
fn what_code_says_is_no_command() {
    for (language, code) in [
        (Interpreter::Python, "import os\nprint('os.system(\"git push\")')"),
        (Interpreter::Python, "import os # os.system('git push')"),
        (Interpreter::Python, "print(subprocess.__doc__, 'git push')"),
        (Interpreter::JavaScript, "/push/.exec('git push')"),
        (Interpreter::Ruby, "puts 'git push'"),
    ] {
        assert_eq!(walk::subprocess_calls::find(code, language), [], "{code}");
    }
}
