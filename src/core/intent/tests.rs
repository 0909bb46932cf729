use globset::GlobBuilder;
use proptest::prelude::*;

use super::{
    catalogue::{Catalogue, Intent, NotFound, Status},
    glob::{Dialect, Glob},
    ignore::{Ignore, Treatment},
    overlap::overlap,
    scope::{Scope, Verdict},
    target::{Case, Kind, Place, Target, guarded},
};

fn target(path: &str) -> Target {
    let place = Place::Inside(path.to_owned());
    Target {
        written: place.clone(),
        real: place,
        kind: Kind::File,
        case: Case::Keeps,
        links: 1,
        guarded: None,
    }
}

fn intent(id: &str, name: &str, line: usize) -> Intent {
    Intent { id: id.into(), name: name.into(), line, ..Intent::default() }
}

fn catalogue(ids: &[&str]) -> Catalogue {
    let intents = ids.iter().enumerate().map(|(i, id)| intent(id, id, i + 1)).collect();
    Catalogue { intents, problems: Vec::new() }
}

// Status and catalogue

#[test]
fn status_words_are_read_in_any_spelling() {
    for (text, status, is_open) in [
        ("DRAFT", Status::Draft, true),
        ("pending", Status::Pending, true),
        ("ToDo", Status::Todo, true),
        ("IN_PROGRESS", Status::InProgress, true),
        ("in-progress", Status::InProgress, true),
        ("In Progress", Status::InProgress, true),
        ("inprogress", Status::InProgress, true),
        ("to do", Status::Todo, true),
        ("blocked", Status::Blocked, false),
        ("Completed", Status::Completed, false),
        ("DONE", Status::Done, false),
        ("archived", Status::Archived, false),
        ("CANCELLED", Status::Cancelled, false),
        ("canceled", Status::Cancelled, false),
        ("NOT_STARTED", Status::Unknown("NOT_STARTED".into()), false),
        ("", Status::Unknown(String::new()), false),
    ] {
        assert_eq!(Status::read(text), status, "{text}");
        assert_eq!(status.can_be_selected(), is_open, "{text}");
    }
    assert_eq!(Status::read("in progress").word(), "IN_PROGRESS");
}

#[test]
fn an_unknown_id_finds_what_was_meant_and_a_double_one_nothing() {
    let mut catalogue = catalogue(&["INT-001", "INT-002", "REQ-17"]);
    catalogue.intents[2].name = "JWT migration".into();
    let nearest = |id: &str| match catalogue.find(id) {
        Err(NotFound::Unknown { nearest }) => nearest,
        other => panic!("{other:?}"),
    };
    assert_eq!(catalogue.find("INT-002").unwrap().line, 2);
    assert_eq!(nearest("int-001").as_deref(), Some("INT-001"));
    assert_eq!(nearest("INT-01").as_deref(), Some("INT-001"));
    assert_eq!(nearest("jwt migraton").as_deref(), Some("REQ-17"));
    assert_eq!(nearest("something else"), None);
    assert_eq!(nearest(&"x".repeat(1 << 20)), None);
    let mut double = catalogue.clone();
    double.intents.push(intent("INT-001", "", 40));
    assert_eq!(double.find("INT-001"), Err(NotFound::Twice(1, 40)));
}

// Globs

fn matches(pattern: &str, path: &str) -> bool {
    Scope::new(&[pattern]).judge(&target(path)) == Verdict::Inside
}

/// What `globset` says, with the rules of a scope put on top: what a last
/// segment without wildcards names is covered with what is below it.
fn matches_by_globset(pattern: &str, path: &str) -> Option<bool> {
    let build = |text: &str| {
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        Some(glob.ok()?.compile_matcher())
    };
    let last = pattern.rsplit('/').next()?;
    let mut found = build(pattern)?.is_match(path);
    if !last.contains(['*', '?', '[']) {
        found |= build(&format!("{pattern}/**"))?.is_match(path);
    }
    Some(found)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scope_reads_globs_as_globset_does(
        segments in prop::collection::vec("[abc*?]{1,4}|\\*\\*|\\[[ab]c?\\]|\\[!a\\]", 1..5),
        path in prop::collection::vec("[abc]{1,3}", 1..6),
    ) {
        // Within a segment `**` is theirs to read as they like.
        prop_assume!(segments.iter().all(|segment| segment == "**" || !segment.contains("**")));
        let (pattern, path) = (segments.join("/"), path.join("/"));
        let Some(expected) = matches_by_globset(&pattern, &path) else { return Ok(()) };
        prop_assert_eq!(matches(&pattern, &path), expected, "{} {}", pattern, path);
    }

    #[test]
    fn any_text_is_read_as_a_scope_without_a_panic(
        patterns in prop::collection::vec("\\PC{0,12}|[]\\[{},!*?/\\\\.a-]{0,14}", 0..4),
        path in "[]\\[{},!*?/\\\\.a-]{0,14}",
    ) {
        let scope = Scope::new(&patterns);
        for kind in [Kind::File, Kind::Absent, Kind::Folder] {
            let _ = scope.judge(&Target { kind, ..target(&path) });
        }
        let _ = overlap(&scope, &scope, Case::Unknown);
    }
}

#[test]
fn a_pattern_that_a_backtracking_matcher_would_die_of_is_matched() {
    let pattern = format!("{}b", "*a".repeat(200));
    assert!(!matches(&pattern, &"a".repeat(2000)));
    let deep = format!("{}b", "**/a/".repeat(200));
    assert!(!matches(&deep, &"a/".repeat(1000)));
}

#[test]
fn braces_that_stand_for_too_much_are_refused() {
    for pattern in
        ["{a,b}".repeat(20), "{".repeat(2000), format!("{}{}", "{".repeat(2000), "}".repeat(2000))]
    {
        let scope = Scope::new(&[&pattern]);
        assert!(scope.problems().iter().any(|problem| problem.refused), "{}", &pattern[..20]);
    }
}

#[test]
fn patterns_that_bound_nothing_or_mean_something_else_are_told() {
    for (pattern, word) in [
        ("**", "too broad"),
        ("*", "too broad"),
        ("**/*", "too broad"),
        (".", "too broad"),
        ("*/**", "too broad"),
        ("src/auth**", "between slashes"),
        ("app/[id]/page.tsx", r"`\[id\]`"),
        ("app/[...slug]", r"`\[...slug\]`"),
    ] {
        let scope = Scope::new(&[pattern]);
        let told: Vec<String> = scope.problems().iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|text| text.contains(word)), "{pattern}: {told:?}");
        assert!(!scope.problems().iter().any(|problem| problem.refused), "{pattern}");
    }
    for pattern in ["src/**", "src/*/x", "**/*.ts", "[a-z]/x", "src/[ab].ts", ".claude/agents/**"] {
        assert_eq!(Scope::new(&[pattern]).problems(), [], "{pattern}");
    }
    for (pattern, word) in [
        ("/src", "begin at the project's root: `src`"),
        ("../x", "leads out"),
        ("src\\auth", "separated by `/`"),
        ("a\nb", "line break"),
        ("", "empty"),
        ("C:\\x", "separated by `/`"),
        ("a[", "not closed"),
    ] {
        let scope = Scope::new(&[pattern]);
        let told = scope.problems()[0].to_string();
        assert!(told.contains(word) && scope.problems()[0].refused, "{told}");
    }
}

#[test]
fn no_spelling_of_a_place_that_is_nobodys_is_owned() {
    for path in [
        ".git",
        "a/.git/x",
        ".GIT",
        ".orchestration",
        ".claude/Settings.local.json",
        ".ſettings/../.git",
    ] {
        assert!(guarded(path).is_some(), "{path}");
    }
    for path in [".gitignore", "git", "a.git", ".claude/agents/x", "src/settings.json", "x/.roz/y"]
    {
        assert_eq!(guarded(path), None, "{path}");
    }
}

// Overlap

fn witness(a: &[&str], b: &[&str]) -> Option<String> {
    let found = overlap(&Scope::new(a), &Scope::new(b), Case::Keeps)?;
    for scope in [a, b] {
        let verdict = Scope::new(scope).judge(&target(&found));
        assert_eq!(verdict, Verdict::Inside, "{found} in {scope:?}");
    }
    Some(found)
}

#[test]
fn scopes_that_meet_have_a_witness_and_others_have_none() {
    for (a, b, expected) in [
        (&["src/auth/**"][..], &["src/auth/**"][..], Some("src/auth/x")),
        (&["src/auth"], &["src/auth"], Some("src/auth")),
        (&["src/auth/**"], &["src/billing/**"], None),
        (&["src/auth/**"], &["src/**/jwt.ts"], Some("src/auth/jwt.ts")),
        (&["src/*.ts"], &["src/jwt*"], Some("src/jwt.ts")),
        (&["**/*.md"], &["docs"], Some("docs/x.md")),
        (&["src/auth"], &["src/authz"], None),
        (&["src/*/a.ts"], &["src/b.ts"], None),
        (&["src/[ab].ts"], &["src/[bc].ts"], Some("src/b.ts")),
        (&["src/[ab].ts"], &["src/[cd].ts"], None),
        (&["src/[!a].ts"], &["src/[ab].ts"], Some("src/b.ts")),
        (&["src/{a,b}/**"], &["src/{b,c}/**"], Some("src/b/x")),
        (&["src/**", "!src/auth/**"], &["src/auth/**"], None),
        (&["src/**", "!src/auth/**"], &["src/**"], Some("src/x")),
        (&["src/*.ts", "!src/x*"], &["src/?.ts"], Some("src/y.ts")),
        (&["src/[ab].ts", "!src/a.ts"], &["src/*.ts", "!src/b.*"], None),
        (&[".git/**"], &["**"], None),
        (&["**"], &["**"], Some("x")),
        (&["a/**/b/**/c"], &["a/x/b/y/c"], Some("a/x/b/y/c")),
        (&["src/b.ts"], &["src/**/a.md"], None),
        (&["conf.d"], &["conf.d/x"], Some("conf.d/x")),
        (&["**/conf.d"], &["a/conf.d"], Some("a/conf.d")),
        (&[], &["**"], None),
        (&["docs", "src/a"], &["lib", "src/*"], Some("src/a")),
    ] {
        assert_eq!(witness(a, b).as_deref(), expected, "{a:?} {b:?}");
        assert_eq!(witness(b, a).is_some(), expected.is_some(), "{b:?} {a:?}");
    }
    let folds = |case| overlap(&Scope::new(&["SRC/a"]), &Scope::new(&["src/A"]), case);
    assert!(folds(Case::Folds).is_some() && folds(Case::Unknown).is_some());
    assert_eq!(folds(Case::Keeps), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Both ways: a path that both own is never denied to exist, and the
    /// witness is one. With holes only the latter.
    #[test]
    fn an_overlap_is_found_just_where_there_is_one(
        holes in prop::collection::vec("![ab*?]{1,3}(/([ab]{1,2}|\\*\\*)){0,2}", 0..2),
        a in prop::collection::vec("[ab*?]{1,3}(/([ab]{1,2}|\\*\\*|\\*a?|\\[ab\\])){0,3}", 1..3),
        b in prop::collection::vec("[ab*?]{1,3}(/([ab]{1,2}|\\*\\*|\\*a?|\\[ab\\])){0,3}", 1..3),
        paths in prop::collection::vec("[abc]{1,3}(/[abc]{1,2}){0,3}", 20),
    ) {
        let (a, b) = (Scope::new(&[a, holes.clone()].concat()), Scope::new(&b));
        let owns = |scope: &Scope, path: &str| scope.judge(&target(path)) == Verdict::Inside;
        match overlap(&a, &b, Case::Keeps) {
            Some(found) => prop_assert!(owns(&a, &found) && owns(&b, &found), "{}", found),
            None if !holes.is_empty() => (),
            None => for path in &paths {
                prop_assert!(!(owns(&a, path) && owns(&b, path)), "{}", path);
            },
        }
    }
}

// `.intentignore`

fn treats(text: &str, path: &str, kind: Kind, intent: Option<&str>) -> Treatment {
    let ignore = Ignore::parse(text, &catalogue(&["INT-3", "INT-9"]));
    ignore.treats(&Target { kind, ..target(path) }, intent)
}

#[test]
fn each_verb_says_its_own() {
    let text = "# a comment\n\nnode_modules/\nuntracked target/\ndeny secrets/**\nINT-3: deny src/billing/\n\
                ask migrations/\nAUTO docs/**\nINT-9\nINT-3: *.gen\ndeny !secrets/public.txt\n";
    let ignore = Ignore::parse(text, &catalogue(&["INT-3", "INT-9"]));
    assert_eq!(ignore.closes("INT-9"), Some(9));
    assert_eq!(ignore.closes("INT-3"), None);
    assert_eq!(ignore.problems().count(), 0, "{:?}", ignore.problems().collect::<Vec<_>>());
    let of = |path, intent| treats(text, path, Kind::File, intent);
    let none = Treatment::default();
    for (path, intent, expected) in [
        ("node_modules/x/y.js", None, Treatment { untracked: Some(3), ..none }),
        ("a/node_modules/x/y.js", None, Treatment { untracked: Some(3), ..none }),
        ("node_modules", None, none),
        ("target/debug/roz", Some("INT-3"), Treatment { untracked: Some(4), ..none }),
        ("secrets/key", Some("INT-3"), Treatment { deny: Some(5), ..none }),
        ("Secrets/KEY", Some("INT-3"), Treatment { deny: Some(5), ..none }),
        ("secrets/public.txt", Some("INT-3"), none),
        ("src/billing/x", Some("INT-3"), Treatment { deny: Some(6), ..none }),
        ("src/billing/x", Some("INT-9"), none),
        ("src/billing/x", None, none),
        ("migrations/1.sql", None, Treatment { ask: Some(7), ..none }),
        ("docs/a/b.md", None, Treatment { auto: Some(8), ..none }),
        ("a.gen", Some("INT-3"), Treatment { untracked: Some(10), ..none }),
        ("a.gen", Some("INT-9"), none),
    ] {
        assert_eq!(of(path, intent), expected, "{path} {intent:?}");
    }
    let folder = |path| treats(text, path, Kind::Folder, Some("INT-3"));
    assert_eq!(folder("node_modules").untracked, Some(3));
    assert_eq!(folder("src").deny, Some(6), "with a folder goes what is protected in it");
    assert_eq!(folder("lib").deny, None);
}

#[test]
fn what_relaxes_needs_both_spellings_and_what_restricts_one() {
    let ignore = Ignore::parse("generated/\ndeny secrets/\nauto docs/\n", &Catalogue::default());
    let of = |written: &str, real: &str| {
        let place = |text: &str| match text.strip_prefix('/') {
            Some(_) => Place::Outside(text.to_owned()),
            None => Place::Inside(text.to_owned()),
        };
        ignore.treats(&Target { written: place(written), real: place(real), ..target("") }, None)
    };
    assert_eq!(of("generated/x", "src/x").untracked, None);
    assert_eq!(of("generated/x", "generated/y").untracked, Some(1));
    assert_eq!(of("generated/x", "/etc/passwd").untracked, None);
    assert_eq!(of("generated/x", "generated/.git/config").untracked, None);
    assert_eq!(of("docs/x", "src/x").auto, None);
    assert_eq!(of("src/x", "secrets/x").deny, Some(2));
    assert_eq!(of("secrets/x", "src/x").deny, Some(2));
}

#[test]
fn check_says_how_each_line_was_read() {
    let text = "\u{feff}node_modules/\r\ndeny secrets/**\nINT-3: deny !src/x\nINT-9\nINT-77\nINT-78: deny x\n\
                denny secrets/\ndeny\ndeny a[\ndeny: x\n";
    let ignore = Ignore::parse(text, &catalogue(&["INT-3", "INT-9"]));
    let lines: Vec<String> = ignore.lines().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("
"), @r"
    line 1: `node_modules/`: `node_modules/` is not tracked: neither scoped, nor in ledger and map
    line 2: `deny secrets/**`: `secrets/**` is protected, from every intent
    line 3: `INT-3: deny !src/x`: takes `src/x` back: of `deny`, for INT-3 only
    line 4: `INT-9`: INT-9 cannot be selected
    line 5: `INT-77`: INT-77 cannot be selected (no such intent is declared)
    line 6: `INT-78: deny x`: `x` is protected, for INT-78 only (no intent `INT-78` is declared)
    line 7: `denny secrets/`: says nothing (did you mean `deny secrets/`?)
    line 8: `deny`: `deny` is not tracked: neither scoped, nor in ledger and map
    line 9: `deny a[`: says nothing (`[` is not closed; for the character write `\[`)
    line 10: `deny: x`: says nothing (did you mean `deny x`?)
    ");
    let breaks: Vec<usize> =
        ignore.problems().filter(|problem| problem.breaks).map(|problem| problem.line).collect();
    assert_eq!(breaks, [7, 9, 10]);
    assert_eq!(ignore.lines()[8].read, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patterns_are_read_as_git_reads_them(
        lines in prop::collection::vec("!?/?[ab*?]{1,3}(/([ab]{1,2}|\\*\\*|\\*a?|\\[ab\\])){0,3}/?", 1..5),
        path in "[abc]{1,3}(/[abc]{1,2}){0,3}",
        is_folder in any::<bool>(),
    ) {
        let mut theirs = ignore::gitignore::GitignoreBuilder::new("");
        for line in &lines {
            prop_assume!(theirs.add_line(None, line).is_ok());
            // Patterns that exclude everything are not accepted as rules.
            prop_assume!(line.contains(['!', 'a', 'b']));
            // Theirs takes `a**` for `a*` or refuses it, by version.
            prop_assume!(!line.split('/').any(|part| part.len() > 2 && part.contains("**")));
        }
        let theirs = theirs.build().unwrap();
        // Git asks about each folder from the top.
        let mut expected = false;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            if theirs.matched(&path[..end], end < path.len() || is_folder).is_ignore() {
                expected = true;
                break;
            }
        }
        let kind = if is_folder { Kind::Folder } else { Kind::File };
        let found = treats(&lines.join("\n"), &path, kind, None).untracked.is_some();
        prop_assert_eq!(found, expected, "{:?} {}", lines, path);
    }

    #[test]
    fn any_text_is_read_as_an_intentignore_without_a_panic(text in "\\PC{0,40}|([]\\[!*/\\\\ :a\\n-]|deny|INT-3){0,20}", path in "\\PC{0,10}") {
        let _ = treats(&text, &path, Kind::Folder, Some("INT-3"));
    }
}

#[test]
fn a_glob_of_a_gitignore_has_no_braces() {
    let glob = Glob::parse("{a,b}", Dialect::Ignore).unwrap();
    assert!(glob.matches("{a,b}", Kind::File, false));
    assert!(!glob.matches("a", Kind::File, false));
}

#[test]
fn an_odd_line_of_the_ignore_file_relaxes_nothing_and_says_what_to_write() {
    use super::{catalogue::Catalogue, ignore};
    let read = |text: &str| {
        let ignore = ignore::Ignore::parse(text, &Catalogue::default());
        let line = ignore.lines().first().expect(text).clone();
        (line.read.is_none(), line.breaks, line.to_string())
    };
    for (text, breaks, remedy) in [
        ("foo bar baz", false, "`foo\\ bar\\ baz`"),
        ("**", false, "name the folders or files"),
        ("*", false, "name the folders or files"),
        ("untracked **", false, "name the folders or files"),
        ("dney src/", true, "did you mean `deny src/`?"),
        ("as: migrations/", true, "did you mean `ask migrations/`?"),
        ("skip src/", false, "`skip` is not a verb (untracked, deny, ask, auto)"),
    ] {
        let (is_nothing, is_broken, words) = read(text);
        assert!(is_nothing && words.contains(remedy) && words.contains("line 1"), "{words}");
        assert_eq!(is_broken, breaks, "{words}");
    }
    for text in ["target/", "deny **", "ask **", "foo\\ bar", "docs/a b.md", "*.log", "!x"] {
        assert!(!read(text).0, "{text}: {}", read(text).2);
    }
}
