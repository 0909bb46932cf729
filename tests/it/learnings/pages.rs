//! The page for people says what the tables say.

use std::{fs, path::Path};

use roz::core::{
    policy::TicketingPolicy,
    reflection::{
        tickets::{SYSTEMS, what_closes},
        usage_insights,
    },
};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reflection-reference.md");
    fs::read_to_string(path).unwrap()
}

/// The rows of the table under a heading, cell by cell, code marks taken off.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let from = page.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let section = page[from + 4..].split("\n## ").next().unwrap();
    let lines = section.lines().filter(|it| it.starts_with('|')).skip(2);
    let cells = |line: &str| {
        // A bar within a cell is written `\|`.
        let line = line.replace("\\|", "\u{0}");
        let cells = line.trim_matches('|').split('|');
        cells.map(|it| it.replace('\u{0}', "|").replace('`', "").trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}

#[test]
fn every_insight_stands_in_the_page_with_its_trigger_and_its_setting() {
    let rows = rows(&page(), "Insights");
    let told: Vec<&str> = rows.iter().map(|it| it[0].as_str()).collect();
    let known: Vec<&str> = usage_insights::TABLE.iter().map(|it| it.kind).collect();
    assert_eq!(told, known);
    for (row, it) in rows.iter().zip(usage_insights::TABLE) {
        assert_eq!(row[1], it.trigger, "{:?}", it.kind);
        for setting in it.recommendation.split('`').skip(1).step_by(2) {
            let key = setting.split(' ').next().unwrap();
            assert!(setting.starts_with("roz ") || row[2].contains(key), "{:?}: {key}", it.kind);
        }
    }
}

#[test]
fn every_ticket_system_stands_in_the_page_with_what_closes() {
    let rows = rows(&page(), "Ticket systems");
    let told: Vec<&str> = rows.iter().map(|it| it[0].as_str()).collect();
    assert_eq!(told, SYSTEMS.iter().map(|it| it.name).collect::<Vec<_>>());
    for (row, it) in rows.iter().zip(SYSTEMS) {
        assert_eq!(row[1].trim_end_matches('/'), it.marker.unwrap_or("none"), "{}", it.name);
        let closes = what_closes(&TicketingPolicy::default(), it.name).join("; ");
        assert_eq!(row[2], closes, "{}", it.name);
    }
}
