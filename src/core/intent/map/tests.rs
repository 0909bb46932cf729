use proptest::prelude::*;

use super::*;
use crate::core::intent::catalogue::Intent;

fn of(file: &str, node: &str, intent: &str) -> Map {
    let nodes = BTreeSet::from([node.to_owned()]);
    let row = Row { nodes, modified: "2026-01-02 03:04:05Z".to_owned() };
    Map(BTreeMap::from([(intent.to_owned(), BTreeMap::from([(file.to_owned(), row)]))]))
}

fn named(name: &str) -> Catalogue {
    let intent = Intent { id: "I".to_owned(), name: name.to_owned(), ..Intent::default() };
    Catalogue { intents: vec![intent], ..Catalogue::default() }
}

#[test]
fn a_mark_is_a_line_of_its_own_and_each_is_there_once_or_nobody_knows() {
    for (text, expected) in [
        ("", Ok(None)),
        ("a {BEGIN}\n {BEGIN}\n  {END}\n", Ok(None)),
        ("{BEGIN}\n", Err(Unclear)),
        ("x\n{END} \r\n", Err(Unclear)),
        ("{END}\n{BEGIN}\n", Err(Unclear)),
        ("{BEGIN}\n{END}\n{BEGIN}\n{END}\n", Err(Unclear)),
        ("```\n{BEGIN}\n```\n{BEGIN}\n{END}", Err(Unclear)),
        ("{BEGIN}\n{END}\n{END}\n", Err(Unclear)),
    ] {
        let text = text.replace("{BEGIN}", BEGIN).replace("{END}", END);
        assert_eq!(block(&text), expected, "{text}");
    }
    let text = format!("\u{feff}{BEGIN}\r\nx\r\n{END}\r\nmine");
    let found = block(&text).unwrap().unwrap();
    assert_eq!(&text[found], format!("{BEGIN}\r\nx\r\n{END}"));
}

proptest! {
    #[test]
    fn what_stands_outside_the_marks_stays_whatever_things_are_called(
        before in "(\\PC|\n){0,40}",
        after in "(\\PC|\n){0,40}",
        name in "(<!-- roz:map end -->|-->|<!--|`|\\||\n|\r|\\PC){0,9}",
    ) {
        let catalogue = named(&name);
        let text = format!("{before}\n{BEGIN}\nold\n{END}\n{after}");
        let map = of(&name, &name, "I");
        let once = map.written_into(&text, &catalogue).unwrap();
        prop_assert!(once.starts_with(&format!("{before}\n{BEGIN}")), "{once}");
        prop_assert!(once.ends_with(&format!("{END}\n{after}")), "{once}");
        prop_assert_eq!(map.written_into(&once, &catalogue).unwrap(), once);
        let appended = of(&name, &name, &name).written_into(&before, &catalogue).unwrap();
        prop_assert!(before.trim().is_empty() || appended.starts_with(&before));
        prop_assert!(block(&appended).unwrap().is_some());
    }
}
