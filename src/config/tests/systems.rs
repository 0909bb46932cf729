//! Ticket systems of a project's file: what it may add, and what that does not switch off.

use super::*;

#[test]
fn a_projects_row_is_of_a_system_that_nobody_knows_yet() {
    let row = |name: &str| {
        format!("[[ticketing.systems]]\nname = '{name}'\nmarker = '.x'\ncloses = []\n")
    };
    let jira = "[[ticketing.systems]]\nname = 'jira'\ncloses = ['Bash:jira done *']\n";
    let theirs = format!("{}{}{}", row("own"), row("beads"), row("jira"));
    let (policy, told) = Scene::new().user(jira).project(theirs).told();
    let names: Vec<&str> = policy.ticketing.systems.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((names, told.len()), (vec!["jira", "own"], 2), "{told:?}");
    assert_eq!(policy.ticketing.systems[0].marker, None);
    assert_eq!(
        told[0],
        "…/project/.roz/config.toml:5: `ticketing.systems`: the row `beads` is ignored: roz has a \
         system of that name, and a project may only add others; the user sets it in \
         …/home/.roz/config.toml"
    );
    assert!(told[1].contains(":9: `ticketing.systems`: the row `jira` is ignored"), "{told:?}");
    // What the user says, a project may say again.
    let scene = Scene::new().user(jira).project(jira);
    assert_eq!(scene.policy().ticketing.systems.len(), 1);
}

#[test]
fn what_only_a_project_switches_on_stands_in_for_no_session() {
    let row = "[[ticketing.systems]]\nname = 'own'\nmarker = '.git'\ncloses = []\n";
    let project =
        format!("ticketing.discovery = ['beads']\nticketing.overrides.tissue = true\n{row}");
    let user = "ticketing.discovery = ['tasks', 'session']\nticketing.overrides.tissue = false\n";
    let theirs = Scene::new().user(user).project(&project).policy().ticketing;
    for system in ["own", "beads", "tissue"] {
        assert!(theirs.has(system) && !theirs.stands_for_sessions(system), "{system}");
    }
    assert!(theirs.stands_for_sessions("tasks"));
    let users = Scene::new().user(format!("ticketing.discovery = ['beads']\n{row}")).project(row);
    let users = users.policy().ticketing;
    assert!(users.stands_for_sessions("own") && users.stands_for_sessions("beads"));
}
