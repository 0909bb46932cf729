//! Precedence, what a project may do, and what is said of mistakes.

use std::{collections::BTreeMap, os::unix::ffi::OsStringExt as _};

use super::*;
use crate::core::policy::{Mode, Scope};

#[test]
fn without_any_source_the_defaults_apply_and_nothing_is_written() {
    let scene = Scene::new();
    assert_eq!(scene.load(), Loaded::default());
    assert!(!scene.sources.roz_home.join("cache").exists());
}

/// Each row: a layer more, and the value that it makes of the key.
#[test]
fn environment_over_project_over_user_over_default() {
    let scene = Scene::new();
    let mode = |scene: &Scene| scene.policy().review.mode;
    assert_eq!(mode(&scene), Mode::Prompt);
    let scene = scene.user("review.mode = 'never'");
    assert_eq!(mode(&scene), Mode::Never);
    let scene = scene.project("review.mode = 'always'");
    assert_eq!(mode(&scene), Mode::Always);
    let scene = scene.variable("ROZ_REVIEW_MODE", "never");
    assert_eq!(mode(&scene), Mode::Never);
}

#[test]
fn every_variable_beats_the_users_file() {
    for key in KEYS.iter().filter(|key| key.variable.is_some()) {
        let (section, name) = key.path.split_once('.').unwrap();
        let (text, in_file, typed) = match key.kind {
            Kind::Integer { max, .. } => (format!("{}", max - 1), json!(max - 1), json!(max)),
            Kind::Word(words) => (format!("'{}'", words[0]), json!(words[0]), json!(words[1])),
            _ => ("'/in/file'".to_owned(), json!("/in/file"), json!("/typed")),
        };
        let scene = Scene::new().user(format!("[{section}]\n{name} = {text}"));
        assert_eq!(scene.value(key.path), in_file, "{}", key.path);
        let typed_text = typed.as_str().map_or_else(|| typed.to_string(), str::to_owned);
        let scene = scene.variable(key.variable.unwrap(), &typed_text);
        assert_eq!(scene.value(key.path), typed, "{}", key.path);
    }
}

#[test]
fn lists_of_a_project_add_to_the_users() {
    let scene = Scene::new()
        .user("review.gates.tools = ['Bash:git push*', 'Edit']")
        .project("review.gates.tools = ['Edit', 'mcp__tissue__close*']");
    let tools = scene.policy().review.gates.tools;
    assert_eq!(tools, ["Bash:git push*", "Edit", "mcp__tissue__close*"]);
}

#[test]
fn weights_are_laid_over_one_another_and_replace_the_default() {
    let scene = Scene::new()
        .user("templates.weights = { a = 1, b = 2 }")
        .project("templates = { active = 'random', weights = { b = 3 } }");
    let templates = scene.policy().templates;
    assert_eq!(templates.active, "random");
    assert_eq!(templates.weights, BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 3)]));
}

#[test]
fn a_memory_server_is_named_by_the_user_or_by_a_trusted_project() {
    let server = "backends.mcp = { command = 'npx', args = ['-y', 'x'], env = { A = 'b' }, tool_names = \
                  { write = 'w' } }";
    let scene = Scene::new().project(server);
    let (policy, told) = scene.told();
    assert_eq!(policy.backends.mcp, Policy::default().backends.mcp);
    assert_eq!(told.len(), 4, "{told:#?}");
    let trust = format!("trust.projects = ['{}']", scene.root().display());
    let mcp = scene.user(trust).policy().backends.mcp;
    assert_eq!(mcp.command.as_deref(), Some("npx"));
    assert_eq!(
        (&mcp.args[1], &mcp.env["A"], &mcp.tool_names["write"]),
        (&"x".into(), &"b".into(), &"w".into())
    );
}

#[test]
fn a_tool_to_search_with_is_no_mistake_in_an_older_file() {
    let tools = "backends.mcp.tool_names = { write = 'w', search = 's' }";
    let (policy, told) = Scene::new().user(tools).told();
    assert_eq!((policy.backends.mcp.tool_names.len(), told.len()), (1, 0), "{told:?}");
}

#[test]
fn tables_of_switches_are_laid_over_one_another_and_their_typos_named() {
    let scene = Scene::new()
        .user("backends.overrides = { mcp = false, markdwn = true, total-recall = 1 }")
        .project("backends = { overrides = { markdown = true }, use = ['mcp', 'x'] }");
    let (policy, told) = scene.told();
    let overrides = [("markdown".to_owned(), true), ("mcp".to_owned(), false)];
    assert_eq!(policy.backends.overrides, overrides.into());
    assert_eq!(policy.backends.r#use, ["mcp"]);
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[0].contains("did you mean `markdown`?"), "{told:#?}");
}

#[test]
fn a_project_only_makes_the_write_gate_stricter() {
    let mode = |user: &str, project: &str| {
        let set = |text: &str| format!("gate.write_gate.mode = '{text}'");
        Scene::new().user(set(user)).project(set(project)).value("gate.write_gate.mode")
    };
    assert_eq!(mode("strict", "off"), "strict");
    assert_eq!(mode("warn", "off"), "warn");
    assert_eq!(mode("off", "warn"), "warn");
    assert_eq!(mode("warn", "strict"), "strict");
}

/// For each key, what a project might write to weaken it.
#[test]
fn a_project_weakens_nothing() {
    let user = "
        storage.path = '/users'
        review.mode = 'always'
        review.gates = { tools = ['Edit'], approval_scope = 'tool', approval_ttl_seconds = 60 }
        gate.auto_skip.enabled = false
    ";
    let attempts = [
        ("storage.path", "'/theirs'", true),
        ("storage.backend", "'file'", true),
        ("hooks.deadline_ms", "100", true),
        ("review.mode", "'never'", true),
        ("review.reviewer_timeout_seconds", "1", true),
        ("review.max_rounds", "1", true),
        ("review.coverage", "'off'", true),
        ("review.coverage_max_files", "0", true),
        ("review.generated", "['**']", true),
        ("review.parallel", "true", true),
        ("review.gates.tools", "[]", false),
        ("review.gates.approval_scope", "'session'", true),
        ("review.gates.approval_ttl_seconds", "61", true),
        ("review.gates.max_denials", "0", true),
        ("notify", "'quiet'", true),
        ("trial", "true", true),
        ("circuit_breaker.max_blocks", "0", true),
        ("circuit_breaker.cooldown_seconds", "9999", true),
        ("protect.enabled", "false", true),
        ("shims.enabled", "false", true),
        ("external_models.codex", "'/theirs/codex'", true),
        ("external_models.gemini", "'/theirs/gemini'", true),
        ("trace.max_events", "0", true),
        ("cleanup.retention_days", "1", true),
        ("reflection.enabled", "false", true),
        ("ticketing.discovery", "[]", false),
        ("ticketing.overrides", "{ tissue = false }", true),
        ("ticketing.systems", "[]", false),
        ("gate.auto_skip.enabled", "true", true),
        ("gate.auto_skip.line_threshold", "999", true),
        ("gate.auto_skip.decider", "'always'", true),
        ("intent.enabled", "false", true),
        ("intent.lifetime", "'session'", false),
        ("intent.hitl", "'off'", true),
        ("intent.hitl_ttl_seconds", "99999", true),
        ("intent.opaque", "'observe'", false),
        ("intent.require_ledger", "false", false),
        ("intent.format", "{ '*' = 'evil' }", true),
        ("intent.checks", "[]", false),
        ("intent.classes", "{ Write = 'safe' }", true),
        ("commands.proxies", "['git']", true),
        ("commands.writes", "[]", false),
        ("gate.write_gate.mode", "'off'", true),
        ("backends.mcp.command", "'theirs'", true),
        ("backends.mcp.args", "['-c', 'theirs']", true),
        ("backends.mcp.env", "{ PATH = '/theirs' }", true),
        ("backends.mcp.tool_names", "{ write = 'theirs' }", true),
        ("trust.projects", "['/']", true),
    ];
    for key in KEYS.iter().filter(|key| !matches!(key.project, May::Set)) {
        let Some((_, value, is_named)) = attempts.iter().find(|attempt| attempt.0 == key.path)
        else {
            panic!("how might a project weaken `{}`?", key.path);
        };
        let before = Scene::new().user(user).policy();
        let scene = Scene::new().user(user).project(format!("{} = {value}", key.path));
        let (after, told) = scene.told();
        assert_eq!(after, before, "{}", key.path);
        assert_eq!(told.len(), usize::from(*is_named), "{told:?}");
        for line in told {
            assert!(line.starts_with("…/project/.roz/config.toml:1: "), "{line}");
            assert!(line.contains(&format!("`{}`", key.path)), "{line}");
        }
    }
}

#[test]
fn a_project_may_be_stricter() {
    let scene = Scene::new().project(
        "[review]\nmode = 'always'\n\
         [review.gates]\napproval_scope = 'tool'\napproval_ttl_seconds = 60",
    );
    let review = scene.policy().review;
    assert_eq!(review.mode, Mode::Always);
    assert_eq!(review.gates.approval_scope, Scope::Tool);
    assert_eq!(review.gates.approval_ttl_seconds, Some(60));
}

#[test]
fn only_a_trusted_project_names_programs() {
    let codex = "external_models.codex = '/theirs/codex'";
    let scene = Scene::new().project(codex);
    let (policy, told) = scene.told();
    assert_eq!(policy.external_models.codex, None);
    assert!(told[0].contains("`trust.projects` of …/home/.roz/config.toml"), "{told:?}");

    let trust = format!("trust.projects = ['{}/']", scene.root().display());
    let scene = scene.user(trust);
    assert_eq!(scene.policy().external_models.codex, Some("/theirs/codex".into()));
}

#[test]
fn a_variable_from_the_projects_client_settings_is_the_projects() {
    for (name, value, key) in [
        ("ROZ_REVIEW_MODE", "never", "review.mode"),
        ("ROZ_MAX_BLOCKS", "0", "circuit_breaker.max_blocks"),
        ("ROZ_STORAGE_PATH", "/theirs", "storage.path"),
    ] {
        let (policy, told) = Scene::new().projects_variable(name, value).told();
        assert_eq!(policy, Policy::default());
        assert!(told[0].starts_with(&format!("the variable {name}: `{key}`")), "{told:?}");
    }
    let scene = Scene::new().projects_variable("ROZ_REVIEW_MODE", "always");
    assert_eq!(scene.policy().review.mode, Mode::Always);
}

#[test]
fn a_variable_that_moves_the_home_is_named_if_a_project_set_it() {
    let (_, told) = Scene::new().projects_variable("ROZ_HOME", "/theirs").told();
    assert_eq!(
        told,
        ["the variable ROZ_HOME: ignored: the project's client settings set it; the user sets it \
          in the environment, or in the user's settings"]
    );
    assert_eq!(Scene::new().variable("ROZ_HOME", "/mine").policy(), Policy::default());
}

#[test]
fn client_settings_where_the_client_was_started_count_too() {
    let elsewhere = Scene::new().projects_variable("ROZ_MAX_BLOCKS", "0");
    let mut scene = Scene::new().variable("ROZ_MAX_BLOCKS", "0");
    assert_eq!(scene.policy().circuit_breaker.max_blocks, 0);
    scene.sources.launch_dir = Some(elsewhere.root().to_owned());
    assert_eq!(scene.told().0.circuit_breaker.max_blocks, 3);
}

#[test]
fn a_typo_is_named_with_its_line_and_the_rest_applies() {
    let scene = Scene::new().user(
        "# mine\n[review]\nmod = 'always'\nreviewer_timeout_seconds = 60\n\n\
         [review.gates]\ntools = ['Edit', 7, 'Bash:git push[']\napproval_scope = 'promt'\n\
         [circuit_breaker]\nmax_blocks = -1\ncooldown_seconds = '60'\n\
         [circut_breaker]\nmax_blocks = 1\n[colours]\nred = 1\n",
    );
    let (policy, told) = scene.told();
    assert_eq!(policy.review.reviewer_timeout_seconds, 60);
    assert_eq!(policy.review.gates.tools, ["Edit", "Bash:git push["]);
    assert_eq!(policy.circuit_breaker, Policy::default().circuit_breaker);
    assert_eq!(
        told[..7],
        [
            "…/home/.roz/config.toml:3: unknown key `review.mod`; did you mean `review.mode`?",
            "…/home/.roz/config.toml:7: `review.gates.tools[1]` is of type integer; \
             it wants a pattern, such as `Bash:git push*`",
            "…/home/.roz/config.toml:7: `review.gates.tools[2]`: `Bash:git push[` is not a pattern: invalid range pattern; \
             until it is fixed it gates whatever begins with it",
            "…/home/.roz/config.toml:8: `review.gates.approval_scope` is `promt`; \
             did you mean `prompt`?",
            "…/home/.roz/config.toml:10: `circuit_breaker.max_blocks` is `-1`; \
             it wants a whole number from 0 to 1000",
            "…/home/.roz/config.toml:11: `circuit_breaker.cooldown_seconds` is of type string; \
             it wants a whole number from 0 to 31622400",
            "…/home/.roz/config.toml:12: unknown section `circut_breaker`; \
             did you mean `circuit_breaker`?",
        ]
    );
    assert!(told[7].starts_with("…/home/.roz/config.toml:14: unknown section `colours`; there is"));
}

#[test]
fn a_name_of_another_section_is_found_there() {
    let (_, told) = Scene::new().user("tools = []\n\"review.mode\" = 'always'").told();
    assert_eq!(
        told,
        [
            "…/home/.roz/config.toml:1: unknown key `tools`; did you mean `review.gates.tools`?",
            "…/home/.roz/config.toml:2: unknown key `review.mode`; \
             without the quotes `review.mode` is one",
        ]
    );
}

#[test]
fn a_section_is_taken_for_a_section_and_a_key_for_a_key() {
    for (text, meant) in [
        ("[review.gate]\ntools = []", "`review.gates`"),
        ("[review.gatez]\ntools = []", "`review.gates`"),
        ("[reviews.gates]\ntools = []", "`review`"),
        ("[gates]\ntools = []", "`review.gates`"),
        ("[templates.weigths]\ndefault = 1", "`templates.weights`"),
        ("[intent.formt]\n'*.rs' = 'x'", "`intent.format`"),
    ] {
        let (_, told) = Scene::new().user(text).told();
        let end = told[0].rsplit_once("; ").unwrap().1;
        assert_eq!(end, format!("did you mean {meant}?"), "{text}");
    }
    let (_, told) = Scene::new().user("[colours]\nred = 1").told();
    assert_eq!(told[0].matches("`gate`").count(), 1, "{told:?}");
}

#[test]
fn a_section_is_no_value_and_a_value_no_section() {
    let (policy, told) =
        Scene::new().user("review = 1\n[[trace]]\nmax_events = 1\n[storage.path]\na = 1").told();
    assert_eq!(policy, Policy::default());
    assert_eq!(
        told,
        [
            "…/home/.roz/config.toml:1: `review` is of type integer; \
             it is a section: write `[review]`",
            "…/home/.roz/config.toml:2: `trace` is of type array; \
             it is a section: write `[trace]`",
            "…/home/.roz/config.toml:4: `storage.path` is of type table; \
             it wants an absolute path, or one that begins with `~/`",
        ]
    );
}

#[test]
fn numbers_out_of_range_are_named_however_large() {
    for number in ["0x_", "-1", "1001", "99999999999999999999999999999999999999999", "3.0", "1e3"] {
        let scene = Scene::new().user(format!("circuit_breaker.max_blocks = {number}"));
        let (policy, told) = scene.told();
        assert_eq!((policy, told.len()), (Policy::default(), 1), "{number}");
        let scene = Scene::new().variable("ROZ_MAX_BLOCKS", number);
        let (policy, told) = scene.told();
        assert_eq!((policy, told.len()), (Policy::default(), 1), "{number}");
    }
    for number in ["0x10", "1_6", "0b1_0000", "+16"] {
        let scene = Scene::new().user(format!("review.gates.max_denials = {number}"));
        assert_eq!(scene.policy().review.gates.max_denials, 16);
    }
}

#[test]
fn an_empty_variable_is_none_and_a_misspelt_one_is_named() {
    let scene = Scene::new()
        .variable("ROZ_MAX_BLOCKS", "")
        .variable("ROZ_REVIEW_TOKEN", "secret")
        .variable("ROZ_NOTE", "1");
    assert_eq!(scene.policy(), Policy::default());
    for (typed, meant) in [
        ("ROZ_MAX_BLOCK", "ROZ_MAX_BLOCKS"),
        ("ROZ_MODE", "ROZ_REVIEW_MODE"),
        ("ROZ_HOEM", "ROZ_HOME"),
    ] {
        let (_, told) = Scene::new().variable(typed, "5").told();
        let line =
            format!("the variable {typed}: there is no such variable; did you mean {meant}?");
        assert_eq!(told, [line]);
    }
}

#[test]
fn paths_are_absolute_or_begin_at_home() {
    let scene = Scene::new().user("storage.path = '~/sessions'");
    let home = scene.sources.home.clone().unwrap();
    assert_eq!(scene.policy().storage.path, Some(home.join("sessions")));
    for path in ["sessions", "~other/sessions", "", "/a\\u0000b"] {
        let (policy, told) = Scene::new().user(format!("storage.path = \"{path}\"")).told();
        assert_eq!((policy.storage.path, told.len()), (None, 1), "{path}");
    }
}

#[test]
fn a_templates_id_is_never_a_path() {
    for id in ["../../etc/passwd", "", "a.md", "ä"] {
        let text =
            format!("templates.active = '{id}'\ntemplates.weights = {{ '{id}' = 1, b = 1 }}");
        let (policy, told) = Scene::new().user(text).told();
        assert_eq!(policy.templates.active, "default");
        assert_eq!(policy.templates.weights.len(), 1);
        assert_eq!(told.len(), 2, "{told:?}");
    }
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_accepted() {
    let scene = Scene::new().user("\u{feff}[review]\r\nmode = 'always'\r\n");
    assert_eq!(scene.policy().review.mode, Mode::Always);
}

#[test]
fn the_older_folder_serves_where_ours_is_not() {
    let scene = Scene::new();
    let (ours, older) = (scene.root().join(".roz"), scene.root().join(".grove"));
    fs::rename(&ours, &older).unwrap();
    fs::write(older.join("config.toml"), "review.mode = 'always'").unwrap();
    assert_eq!(scene.policy().review.mode, Mode::Always);
    fs::create_dir(&ours).unwrap();
    assert_eq!(scene.policy().review.mode, Mode::Prompt);
}

#[test]
fn in_the_users_home_the_users_file_is_no_projects() {
    let mut scene = Scene::new().user("protect.enabled = false");
    scene.sources.project.clone_from(&scene.sources.home);
    assert!(!scene.policy().protect.enabled);
    let link = Scene::new().user("protect.enabled = false");
    std::os::unix::fs::symlink(&link.sources.user_file, link.project_file()).unwrap();
    assert!(!link.policy().protect.enabled);
}

#[test]
fn a_project_whose_path_is_no_utf_8_is_governed_all_the_same() {
    let mut scene = Scene::new();
    let root = scene.dir.path().join(std::ffi::OsString::from_vec(b"\xff".to_vec()));
    if fs::create_dir_all(root.join(".roz")).is_err() {
        return;
    }
    fs::write(root.join(".roz/config.toml"), "review.mode = 'always'").unwrap();
    scene.sources.project = Some(root);
    assert_eq!(scene.policy().review.mode, Mode::Always);
}

#[test]
fn the_origin_of_each_value_is_known() {
    let scene = Scene::new()
        .user("\nreview.gates.tools = ['Edit']")
        .project("[review.gates]\ntools = ['Write']")
        .variable("ROZ_MAX_EVENTS", "9");
    let full = load_fresh(&scene.sources);
    let origins =
        |path| &full.settings.iter().find(|setting| setting.key.path == path).unwrap().origins;
    let user = Place::file(&scene.sources.user_file, Some(2));
    let project = Place::file(&scene.project_file(), Some(2));
    assert_eq!(
        *origins("review.gates.tools"),
        [Origin { place: user, by_project: false }, Origin { place: project, by_project: true }]
    );
    let variable = Place::variable("ROZ_MAX_EVENTS");
    assert_eq!(*origins("trace.max_events"), [Origin { place: variable, by_project: false }]);
    assert!(origins("review.mode").is_empty());
}

#[test]
fn a_thousand_mistakes_are_not_a_thousand_lines() {
    let keys: Vec<_> = (0..60_000).map(|number| format!("k{number} = 1")).collect();
    let weights: Vec<_> = (0..2_000).map(|number| format!("w{number} = 1")).collect();
    let text = format!(
        "{}\n[review.gates]\ntools = [{}]\n[templates.weights]\n{}",
        keys.join("\n"),
        "'a', ".repeat(2_000),
        weights.join("\n"),
    );
    assert!(text.len() < 1 << 20);
    let (policy, told) = Scene::new().user(text).told();
    assert_eq!(told.len(), 51);
    assert_eq!(told[50], "…/home/.roz/config.toml: 59952 more problems; fix the first ones");
    assert_eq!(policy.review.gates.tools.len(), 256);
    assert_eq!(policy.templates.weights.len(), 100);
}

#[test]
fn words_of_a_file_cannot_play_with_a_terminal() {
    let text = format!(
        "\"\\u001b[2J{}\" = 1\nreview.mode = \"\\n{}\"",
        "x".repeat(9_000),
        "y".repeat(9_000)
    );
    let (_, told) = Scene::new().project(text).told();
    assert_eq!(told.len(), 2);
    for line in told {
        assert!(!line.contains(char::is_control) && line.len() < 400, "{line}");
    }
}

/// A hook that takes too long is given up by the client: a gate switched off.
#[test]
fn a_project_cannot_hold_up_hooks_with_patterns() {
    let list =
        |of: std::ops::Range<usize>| of.map(|count| format!("'*{count}'")).collect::<Vec<_>>();
    let user = format!("review.gates.tools = [{}]", list(0..200).join(","));
    let long = "a".repeat(257);
    let project = format!("review.gates.tools = ['{long}', {}]", list(200..400).join(","));
    let (policy, told) = Scene::new().user(user).project(project).told();
    assert_eq!(policy.review.gates.tools.len(), 400);
    assert_eq!(told.len(), 1, "{told:?}");
}
