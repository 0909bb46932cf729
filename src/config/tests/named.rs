//! What is named, and is not there.

use super::*;

/// One that is misspelt would switch the right one off.
#[test]
fn ticket_systems_that_there_are_not_are_named() {
    let own = "ticketing.systems = [{ name = 'jira', closes = ['Bash:jira done *'] }]\n";
    let (_, told) = Scene::new()
        .user(format!(
            "{own}ticketing.discovery = ['tisue', 'jira']\nticketing.overrides = {{ x = true }}"
        ))
        .told();
    let at = "…/home/config.toml";
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains(":2: `ticketing.discovery` names `tisue`"), "{at}: {told:?}");
    assert!(told[0].ends_with("did you mean `tissue`?"), "{told:?}");
    assert!(told[1].contains(":3: `ticketing.overrides` names `x`"), "{told:?}");
}

#[test]
fn a_file_that_a_variable_names_and_that_is_not_there_is_told() {
    let mut scene = Scene::new().variable("ROZ_CONFIG", "/nowhere/x.toml");
    scene.sources.user_file = "/nowhere/x.toml".into();
    let (_, told) = scene.told();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("the variable ROZ_CONFIG: there is no file"), "{told:?}");
}

#[test]
fn a_projects_row_is_of_a_system_that_nobody_knows_yet() {
    let row = |name: &str| {
        format!("[[ticketing.systems]]\nname = '{name}'\nmarker = '.x'\ncloses = []\n")
    };
    let jira = "[[ticketing.systems]]\nname = 'jira'\ncloses = ['Bash:jira done *']\n";
    let theirs = format!("{}{}{}", row("own"), row("beads"), row("jira"));
    let (policy, told) = Scene::new().user(jira).project(theirs).told();
    let names: Vec<&str> =
        policy.ticketing.systems.iter().map(|system| system.name.as_str()).collect();
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
