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
