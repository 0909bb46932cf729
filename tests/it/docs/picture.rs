//! The picture in README.md is what `roz demo` prints, one event after the other.

use std::{fmt::Write as _, fs};

use super::page::root;
use crate::support::{Roz, writes_docs};

const PATH: &str = "docs/demo.svg";
const COLUMNS: &str = "100";
/// From this line of the demo on, up to the launch of a reviewer.
const FROM: &str = "Review: not done until a reviewer says so";

const CHARACTER: f32 = 8.4;
const LINE: usize = 19;
const MARGIN: usize = 16;
const SECONDS_AN_EVENT: usize = 2;

#[test]
fn the_picture_of_the_demo_is_what_the_demo_prints() {
    let roz = Roz::new().with_var("COLUMNS", COLUMNS);
    let told = roz.run(&["demo"]).succeeds().stdout;
    let from = told.find(FROM).unwrap_or_else(|| panic!("{told}"));
    let end = told[from..].find("Agent: roz:roz").unwrap_or_else(|| panic!("{told}"));
    // The step before the reviewer's launch is the last one.
    let excerpt = &told[from..from + end];
    let excerpt = &excerpt[..excerpt.rfind("PreToolUse").unwrap()];
    let picture = draw(excerpt.trim_end());
    let path = root().join(PATH);
    if writes_docs() {
        fs::write(path, picture).unwrap();
        return;
    }
    let here = fs::read_to_string(path).unwrap();
    assert!(here == picture, "{PATH} is not what `roz demo` prints:\n{excerpt}");
}

/// Lines of a terminal, as an SVG.
fn draw(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few hundred pixels"
    )]
    let width = COLUMNS.parse::<f32>().unwrap().mul_add(CHARACTER, 2.0 * MARGIN as f32) as usize;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>text {{ font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre; }} \
         .head {{ fill: #ffffff; font-weight: bold; }} .event {{ fill: #79c0ff; }} \
         .no {{ fill: #ff7b72; }} .yes {{ fill: #7ee787; }}\n\
         text {{ animation: show .3s backwards; }} @keyframes show {{ from {{ opacity: 0; }} }}\n\
         @media (prefers-reduced-motion: reduce) {{ text {{ animation: none; }} }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    let mut events = 0;
    for (at, line) in lines.iter().enumerate() {
        let y = MARGIN + (at + 1) * LINE - 5;
        events += usize::from(at > 0 && !line.starts_with(' ') && !line.is_empty());
        let delay = events * SECONDS_AN_EVENT;
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" style=\"animation-delay: {delay}s\" xml:space=\"preserve\">{}</text>",
            coloured(line)
        );
    }
    svg + "</svg>\n"
}

/// A heading, an event with what became of it, or what was said.
fn coloured(line: &str) -> String {
    let line = line.trim_end();
    if line.starts_with(' ') || line.is_empty() {
        return escaped(line);
    }
    let Some(at) = line.find("  ") else {
        return format!("<tspan class=\"head\">{}</tspan>", escaped(line));
    };
    let (event, verdict) = line.split_at(at);
    let good = ["passes", "done"].iter().any(|it| verdict.trim_start().starts_with(it));
    let class = if good { "yes" } else { "no" };
    format!(
        "<tspan class=\"event\">{}</tspan><tspan class=\"{class}\">{}</tspan>",
        escaped(event),
        escaped(verdict)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
