//! The reader's bounds and its interface. What lines mean is in the corpora, `tests/it/commands`.

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
fn a_text_that_filters_multiply_is_followed_as_long_as_it_is_short() {
    let ten = format!("s/a/{}/g;", many("a", 20));
    let set = many("!-z", 2000);
    for line in [
        // Multiplied so often, it would fill any memory.
        format!("echo aaaaaaaaaa | sed '{}'", many(&ten, 8)),
        format!("echo aaaaaaaaaa > f; sed -i '{}' f", many(&ten, 8)),
        format!("x={}; y={}; echo ${{x//a/$y}}", many("a", 4000), many("a", 30_000)),
        format!("echo {} | sd a {}", many("a", 30_000), many("a", 30_000)),
        format!("echo {} | cut -d, -f1- --output-delimiter={}", many(",", 9999), many("a", 9999)),
        format!("echo a | tr '{set}' '{set}'"),
    ] {
        assert!(read(&format!("{line}; git push")).may_run("Bash:git push*"), "{line}");
    }
}

#[test]
fn a_text_that_code_doubles_is_followed_as_long_as_it_is_short() {
    for (program, first, again) in [
        ("python3 -c", "a=\"x\"", "a=a+a"),
        ("python3 -c", "a=[\"x\"]", "a=a+a"),
        ("python3 -c", "a=\"x\"", "a+=a"),
        ("python3 -c", "a=\"x\"", "a=a.join([a,a])"),
        ("python3 -c", "a=\"x\"", "a=a/a"),
        ("node -e", "a=\"x\"", "a=[a,a].join(a)"),
        ("perl -e", "$a=\"x\"", "$a.=$a"),
        ("perl -e", "@a=(\"x\")", "@a=(@a,@a)"),
        ("lua -e", "a=\"x\"", "a=a..a"),
        ("awk", "a=\"x\"", "a=a a"),
    ] {
        // Doubled so often, it would fill any memory.
        let line = format!("{program} '{first};{}'; git push", many(&format!("{again};"), 90));
        assert!(read(&line).may_run("Bash:git push*"), "{line}");
    }
    assert!(
        read("python3 -c 'import os;a=\"git\";a+=\" push\";os.system(a)'").may_run("Bash:git push")
    );
}

#[test]
fn deep_nesting_is_refused_and_not_taken_for_empty() {
    assert_eq!(read(&many("(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("$(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("a", 1_000_000)).unreadable, Some(Unreadable::Length));
    assert_eq!(read("git push \"").unreadable, Some(Unreadable::Quote));
}

/// Seed 20261 of the comparison with bash: read once as it is and once with its escapes decoded, it
/// was as deep in itself as the bound, and nothing was left to pay for what stands behind it.
#[test]
fn a_script_that_sources_itself_is_followed_a_few_times_whoever_wrote_it() {
    let line = r#"echo '$(printf "x
"; . ./s)' > s; . ./s; git push"#;
    let reading = read(line);
    assert_eq!(reading.unreadable, None);
    assert!(reading.may_run("Bash:git push*"));
}

/// However much there is to guess at: what was hidden behind the rest is not free.
#[test]
fn padding_hides_nothing_from_suspicion() {
    let hidden = [
        "git push",
        "sudo git push",
        "A=1 git push",
        "\"git\" push",
        "P=push; git $P",
        "if true; then git push; fi",
        "g\\it push",
        "{git,push}",
    ];
    let may = |line: &str| {
        let reading = read(line);
        reading.may_run("Bash:git push*") || reading.unreadable == Some(Unreadable::Work)
    };
    for hidden in hidden {
        let fill: Vec<String> = (0..530).map(|at| format!("echo a{at}")).collect();
        let fill = fill.join("\n");
        assert!(may(&format!("perl -pe 1 <<'E' | sh\n{fill}\n{hidden}\nE")), "{hidden}");
        let fill = "perl -pe 1 <<< 'ls a && ls b && ls c' | sh\n".repeat(100);
        assert!(may(&format!("{fill}perl -pe 1 <<< '{hidden}' | sh")), "{hidden}");
    }
}

#[test]
fn an_editors_commands_are_read_to_a_depth_and_along_all_bars() {
    let deep = |depth: usize| read(&format!("vim -es -c '{}!git push'", many("g/a/", depth)));
    assert!(deep(3).unreadable.is_none() && deep(3).may_run("Bash:git push*"));
    assert_eq!(deep(8).unreadable, Some(Unreadable::Depth));
    let long = |bars: usize| read(&format!("vim -es -c '{}!git push'", many("w|", bars)));
    assert!(long(200).unreadable.is_none() && long(200).may_run("Bash:git push*"));
    assert_eq!(long(20_000).unreadable, Some(Unreadable::Work));
}

#[test]
fn what_is_cut_of_an_input_says_so() {
    let given = |count: usize, to: &str| {
        read(&format!("cat <<E | {to}\n{}git push\nE", many("a b\n", count)))
    };
    for to in ["xargs -I{} sh -c {}", "xargs -L1 -d '\\n' -n1 sh -c", "parallel"] {
        let reading = given(200, to);
        assert!(reading.unreadable.is_none() && reading.may_run("Bash:git push*"), "{to}");
        assert_eq!(given(1000, to).unreadable, Some(Unreadable::Work), "{to}");
    }
    // One call may have many words.
    let one = given(1000, "xargs echo");
    assert!(one.unreadable.is_none() && one.runs.iter().any(|it| it.argv.len() > 2000));
    let fed = |size: usize| {
        let text = many("a\n", size);
        read(&format!("x='{text}'; exec > >(sh); printf '%s\n' \"$x\" \"$x\" 'git push'"))
    };
    assert!(fed(10).unreadable.is_none() && fed(10).may_run("Bash:git push*"));
    assert_eq!(fed(40_000).unreadable, Some(Unreadable::Work));
}

#[test]
fn the_literals_of_long_code_are_all_looked_at_or_it_says_so() {
    let code = |count: usize| {
        let names: Vec<String> = (0..count).map(|it| format!("'ab{it}'")).collect();
        let names = names.join(", ");
        read(&format!("python3 - <<'E'\nx = [{names}, 'git', 'push']\nsubprocess.run(x[n:])\nE"))
    };
    assert!(code(1000).unreadable.is_none() && code(1000).may_run("Bash:git push*"));
    assert_eq!(code(4000).unreadable, Some(Unreadable::Work));
    // The same once more is nothing more to look at.
    let again = |line: &str, count: usize| {
        let lines = many(line, count);
        read(&format!("python3 - <<'E'\n{lines}subprocess.run(x)\ny = ['git', 'push']\nE"))
    };
    for line in ["d['key1'] = 'value'\n", "d += ['one', 'two', 'three']\n"] {
        let reading = again(line, 1200);
        assert!(reading.unreadable.is_none() && reading.may_run("Bash:git push*"), "{line}");
    }
}

#[test]
fn an_array_longer_than_is_looked_at_says_so() {
    let filled =
        |count: usize| read(&format!("x=({}git push); \"${{x[@]:{count}}}\"", many("a ", count)));
    assert_eq!(filled(super::limit::ELEMENTS).unreadable, Some(Unreadable::Work));
    let reading = filled(1000);
    assert!(reading.unreadable.is_none() && reading.may_run("Bash:git push*"));
}

#[test]
fn a_line_whose_work_is_just_spent_says_so() {
    let touching = |count: usize| {
        let names: Vec<String> = (0..count).map(|it| it.to_string()).collect();
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
    let deep = format!("python3 -c '{}system(\"git push\")'", many("a.", 5_000));
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
fn a_gathered_script_is_read_with_its_arguments() {
    let text = "#!/bin/sh\ncase \"$1\" in release) git push;; test) cargo test;; esac\n";
    let options = Options::default();
    let reads = |argument: &str| {
        let arguments = [argument.to_owned()];
        read_script(text, Interpreter::Itself, &arguments, &options)
    };
    assert!(reads("release").may_run("Bash:git push*"));
    assert!(!reads("test").may_run("Bash:git push*"));
    let python = "#!/usr/bin/env python3\nimport os\nos.system('git push')\n";
    assert!(read_script(python, Interpreter::Itself, &[], &options).may_run("Bash:git push*"));
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
    assert_eq!(reads("python3 -c 'open(\"a\").read()'"), ["a"]);
    assert_eq!(reads("echo a"), Vec::<String>::new());
}

#[test]
fn no_name_stands_twice_in_one_table() {
    for row in table::wrappers::WRAPPERS {
        let rows = table::wrappers::WRAPPERS.iter().filter(|other| other.then == row.then);
        for name in row.names {
            let count = rows.clone().filter(|other| other.names.contains(name)).count();
            assert_eq!(count, 1, "{name} {:?}", row.then);
        }
    }
}

#[test]
fn every_name_of_a_table_is_found() {
    for row in table::wrappers::WRAPPERS {
        for name in row.names {
            let words: Vec<_> =
                row.then.iter().map(|word| walk::field::Field::literal(word)).collect();
            assert!(table::wrappers::find(name, &words).is_some(), "{name}");
        }
    }
    for row in table::writers::FILE_PROGRAMS {
        for name in row.names {
            assert!(table::writers::rows(name).any(|found| std::ptr::eq(found, row)), "{name}");
        }
    }
    for row in table::options::PROGRAMS {
        assert!(row.names.iter().all(|name| table::options::find(name).is_some()));
    }
}

#[test]
fn a_long_list_of_arguments_is_one_command() {
    for head in ["git add", "git log", "cargo fmt --", "echo"] {
        let files: Vec<String> = (0..6000).map(|it| format!("src/some/file{it}.rs")).collect();
        let reading = super::read(&format!("{head} {}", files.join(" ")));
        assert_eq!(reading.unreadable, None, "{head}");
        assert_eq!(reading.runs.len(), 1, "{head}");
        assert!(!reading.may_run("Bash:git push*"), "{head}");
    }
}

#[test]
fn a_pattern_of_many_stars_is_not_read_to_its_end() {
    let put_out = |stars: usize| read(&format!("git checkout -- '{}b'", many("a*", stars)));
    assert!(put_out(12).unreadable.is_none());
    assert_eq!(put_out(40).unreadable, Some(Unreadable::Work));
}

#[test]
fn a_case_that_takes_too_long_to_know_runs_each_arm() {
    let (text, pattern) = (many("a", 4000), many("a", 500));
    let reading = read(&format!("case {text} in *{pattern}b) ls;; *) git push;; esac"));
    assert!(reading.may_run("Bash:git push*"));
    let reading = read(&format!("case {text} in *{pattern}b*) git push;; *) ls;; esac"));
    assert!(reading.may_run("Bash:git push*") && reading.may_run("Bash:ls*"));
}
