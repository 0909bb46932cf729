//! What holds for any file.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::core::policy;

/// A line for each key of the user's, none of them the default.
const LINES: &[(&str, &str)] = &[
    ("review.mode", "'always'"),
    ("review.reviewer_timeout_seconds", "60"),
    ("review.gates.tools", "['Edit']"),
    ("review.gates.approval_scope", "'tool'"),
    ("review.gates.approval_ttl_seconds", "60"),
    ("notify", "'quiet'"),
    ("trial", "true"),
    ("circuit_breaker.max_blocks", "2"),
    ("protect.enabled", "false"),
    ("templates.active", "'random'"),
    ("trace.max_events", "5"),
    ("decay.immunity_hit_rate", "0.5"),
    ("trust.projects", "['/a']"),
];

fn text(lines: &[(String, String)]) -> String {
    let lines: Vec<_> = lines.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    lines.join("\n")
}

fn parsed(text: &str) -> Layer {
    layer::parse(text, Path::new("/file"), None).unwrap()
}

fn read(text: &str) -> (Policy, usize) {
    let mut draft = Draft::new(Path::new("/user"));
    match layer::parse(text, Path::new("/user"), None) {
        Ok(layer) => draft.lay(layer, Author::User),
        Err(err) => draft.diagnostics.push(err),
    }
    let (policy, diagnostics, _) = draft.finish();
    (policy, diagnostics.len())
}

proptest! {
    // Each case writes a dozen files.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_bytes_are_too_odd(user: Vec<u8>, project: Vec<u8>) {
        let scene = Scene::new().user(&user).project(&project);
        scene.told();
    }

    /// The cache tells nobody anything else than the files do.
    #[test]
    fn what_is_cached_is_what_is_read(lines in proptest::sample::subsequence(LINES, 0..=LINES.len())) {
        let lines: Vec<_> = lines.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let scene = Scene::new().user(lines.join("\n")).project(lines.join("\n"));
        scene.load();
        scene.age();
        scene.told();
    }
}

proptest! {
    #[test]
    fn no_toml_is_too_odd(
        text in "(\\[{1,2}(review|review.gates|trace|templates.weights|x)\\]{1,2}\n|\
                  (review|mode|tools|weights|a|'b.c')(\\.(gates|tools|x)){0,2} = \
                  (1|-1|'a'|\\[1, 'a', \\[\\]\\]|\\{a=1\\}|true|nan|1979-05-27)\n){0,12}",
    ) {
        read(&text);
    }

    /// A mistake in one line is named, and changes nothing else.
    #[test]
    fn a_typo_never_changes_another_key(
        line in 0..LINES.len(), at in 0_usize..40, letter in "[a-z]", in_value: bool,
    ) {
        let lines = LINES.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let good: Vec<_> = lines.collect();
        let mut without = good.clone();
        without.remove(line);
        let mut typed = good.clone();
        if in_value {
            typed[line].1 = "{ a = 'value of no kind' }".to_owned();
        } else {
            let at = at % (typed[line].0.len() + 1);
            typed[line].0.insert_str(at, &letter);
        }
        prop_assert_eq!(read(&text(&good)).1, 0);
        let (expected, _) = read(&text(&without));
        let (policy, told) = read(&text(&typed));
        prop_assert_eq!(policy, expected);
        prop_assert!(told > 0);
    }

    /// However much a project writes, what the user demands stays demanded.
    #[test]
    fn a_project_never_opens_what_the_user_closed(
        picks in proptest::collection::vec((0..KEYS.len(), 0_u64..2_000), 0..12),
    ) {
        let user = "review = { mode = 'always', gates = { tools = ['Edit'], \
                    approval_scope = 'prompt', approval_ttl_seconds = 60 } }";
        let mut project = String::new();
        for (row, number) in picks {
            let key = &KEYS[row];
            let value = match key.kind {
                Kind::Switch => (number % 2 == 0).to_string(),
                Kind::Integer { .. } => number.to_string(),
                Kind::Share => "0.5".to_owned(),
                Kind::Word(words) => format!("'{}'", words[usize::try_from(number).unwrap() % words.len()]),
                Kind::Path | Kind::Template | Kind::Text | Kind::Pattern | Kind::GatePattern | Kind::Glob => {
                    "'/theirs'".to_owned()
                }
                Kind::List(Kind::Word(words)) => format!("['{}']", words[0]),
                Kind::Switches(Some(names)) => format!("{{ {} = true }}", names[0]),
                Kind::Texts(_) => "{ write = 'a' }".to_owned(),
                Kind::List(_) => "['/theirs']".to_owned(),
                Kind::Weights => "{ a = 1 }".to_owned(),
                Kind::Auto => ["'auto'", "true", "false"][usize::try_from(number % 3).unwrap()].to_owned(),
                Kind::Switches(None) => format!("{{ tissue = {} }}", number % 2 == 0),
                Kind::Rows(_) => "[{ name = 'x', closes = ['Bash:x *'], in_progress = ['x'] }]".to_owned(),
            };
            if !project.contains(key.path) {
                writeln!(project, "{} = {value}", key.path).unwrap();
            }
        }
        let (user, project) = (parsed(user), parsed(&project));
        let mut draft = Draft::new(Path::new("/user"));
        draft.lay(user, Author::User);
        let before = draft.policy().clone();
        draft.lay(project, Author::Project { trusted: false });
        let after = draft.policy().clone();
        prop_assert!(after.review.gates.tools.starts_with(&before.review.gates.tools));
        prop_assert_eq!(after.review.mode, before.review.mode);
        prop_assert!(after.review.gates.approval_ttl_seconds <= Some(60));
        prop_assert_eq!(after.circuit_breaker, before.circuit_breaker);
        prop_assert_eq!(after.protect, before.protect);
        prop_assert_eq!(after.storage, before.storage);
        prop_assert_eq!(after.external_models, before.external_models);
        prop_assert!(after.reflection.enabled != policy::Auto::Off);
        let systems: Vec<&str> = after.ticketing.enabled().collect();
        prop_assert!(before.ticketing.enabled().all(|text| systems.contains(&text)));
        prop_assert!(after.ticketing.systems.iter().all(|system| system.in_progress.is_empty()));
        prop_assert!((0..9).all(|count| !after.gate.auto_skip.covers(count) || before.gate.auto_skip.covers(count)));
    }
}
