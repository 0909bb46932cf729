//! The keys of the review gate.

use super::*;
use crate::core::policy::Scope;

#[test]
fn a_project_only_demands_that_the_reviewer_sees_more() {
    let coverage = |user: &str, project: &str| {
        let set = |word: &str| format!("review.coverage = '{word}'");
        Scene::new().user(set(user)).project(set(project)).value("review.coverage")
    };
    assert_eq!(coverage("off", "tell"), "tell");
    assert_eq!(coverage("tell", "require"), "require");
    assert_eq!(coverage("require", "tell"), "require");
    assert_eq!(coverage("tell", "off"), "tell");
}

#[test]
fn a_project_binds_approvals_to_the_work_or_to_one_call_and_to_nothing_else() {
    let scope = |user: &str, project: &str| {
        let set = |word: &str| format!("[review.gates]\napproval_scope = '{word}'");
        let scene = Scene::new().user(set(user)).project(set(project) + "\ntools = ['Edit']");
        let (policy, told) = scene.told();
        assert_eq!(policy.review.gates.tools, ["Edit"], "the rest of the file applies");
        (policy.review.gates.approval_scope, told)
    };
    for user in ["work", "session", "prompt", "tool"] {
        assert_eq!(scope(user, "work"), (Scope::Work, Vec::new()), "{user}");
        assert_eq!(scope(user, "tool"), (Scope::Tool, Vec::new()), "{user}");
    }
    for project in ["session", "prompt"] {
        let (scope, told) = scope("work", project);
        assert_eq!(scope, Scope::Work);
        assert_eq!(
            told,
            [format!(
                "…/project/.roz/config.toml:2: `review.gates.approval_scope` stays \"work\", not \
                 \"{project}\": a project may only set \"work\" or \"tool\"; the user sets it in \
                 …/home/.roz/config.toml"
            )]
        );
    }
}

#[test]
fn a_glob_that_is_none_is_named_and_the_others_apply() {
    let (policy, told) = Scene::new().user("review.generated = ['*.lock', 'a[', 7]").told();
    assert_eq!(policy.review.generated, ["*.lock"]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("`a[` is not a glob"), "{told:?}");
}

#[test]
fn a_projects_patterns_are_known_as_its_own_and_said_again_after_an_exclusion() {
    let user = "review.gates.tools = ['Bash:git push*', '!Bash:git push origin wip/*']";
    let scene = Scene::new().user(user).project("review.gates.tools = ['Bash:git push*']");
    let gates = scene.policy().review.gates;
    let users = ["Bash:git push*", "!Bash:git push origin wip/*"];
    assert_eq!(gates.files().collect::<Vec<_>>(), [&users[..], &["Bash:git push*"]]);
    let gates = Scene::new().user(user).policy().review.gates;
    assert_eq!(gates.files().collect::<Vec<_>>(), [&users[..]]);
}

#[test]
fn an_exclusion_is_checked_as_a_pattern_is_and_only_gates_have_them() {
    let (_, told) = Scene::new()
        .user(
            "review.gates.tools = ['!Bash:git push origin wip/*', '!Bash(git)']\n\
             intent.checks = ['!Bash:x']",
        )
        .told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("`!Bash(git)` is not a pattern: it names no tool"), "{told:?}");
    assert!(told[0].ends_with("until it is fixed it excludes nothing"), "{told:?}");
    assert!(told[1].contains("only `review.gates.tools` has exclusions"), "{told:?}");
}
