use super::*;

fn scheduled(prompt: &str, recurring: bool) -> Scheduled {
    Scheduled { prompt: prompt.into(), recurring }
}

#[test]
fn one_of_a_kind_comes_once_however_often_it_is_told() {
    let mut schedule = Schedule::default();
    schedule.add(&scheduled("look again", false));
    assert!(schedule.takes("look again", Some("p1")));
    assert!(schedule.takes(" look again\n", Some("p1")));
    assert!(!schedule.takes("look again", Some("p2")), "that is the user's");
}

#[test]
fn what_recurs_comes_again_until_it_is_listed_no_more() {
    let mut schedule = Schedule::default();
    schedule.add(&scheduled("look again", true));
    assert!(schedule.takes("look again", Some("p1")) && schedule.takes("look again", Some("p2")));
    schedule.replace(&[]);
    assert!(!schedule.takes("look again", Some("p3")));
}

#[test]
fn a_clipped_prompt_is_known_by_its_beginning() {
    let long = "é".repeat(1500);
    let mut schedule = Schedule::default();
    let listed = format!("{}… [+500 chars]", "é".repeat(1000));
    schedule.replace(&[scheduled(&listed, true)]);
    assert!(schedule.takes(&long, None));
    assert!(!schedule.takes("é", None));
}
