//! The pages for people are true because they are run: every block of
//! README.md and `docs/` is played, compared or read here, in a project and a
//! home of its own. How a page says what to play: [`stage`].
//!
//! `ROZ_WRITE_DOCS=1 cargo test --test it docs` writes what is shown anew where
//! it differs; read what it wrote.

#![expect(clippy::disallowed_methods, reason = "tests read PATH")]

mod configuration;
mod contributors;
mod links;
mod page;
mod picture;
mod shown;
mod stage;
mod troubles;

use std::{fmt::Write as _, fs, io::Write as _};

use self::{
    page::{Block, Mark, Page},
    stage::Stage,
};
use crate::support::{Roz, writes_docs};

/// Pages that a program writes and holds to what it sees.
const WRITTEN: &[(&str, &str)] = &[("docs/first-session.md", "tests/client/first_session.py")];

#[test]
fn what_the_pages_show_is_what_happens() {
    let writes = writes_docs();
    let mut wrong = String::new();
    for page in held() {
        let mut stage = Stage::new();
        let mut text = page.text.clone();
        for block in &page.blocks {
            let Some(shown) = play(block, &mut stage, &page) else { continue };
            if shown::is_same(&block.text, &shown) {
                continue;
            }
            let _ = writeln!(
                wrong,
                "{}:{} shows\n{}\nbut what happens is\n{shown}",
                page.path, block.line, block.text
            );
            text = text.replacen(&block.whole(&block.text), &block.whole(&shown), 1);
        }
        if writes {
            fs::write(page::root().join(&page.path), text).unwrap();
        }
    }
    assert!(wrong.is_empty() || writes, "{wrong}");
}

/// Plays a block: what it should show, where it shows anything.
fn play(block: &Block, stage: &mut Stage, page: &Page) -> Option<String> {
    if let Some(Mark::NotRun(_)) = block.mark {
        return None;
    }
    let place = format!("{}:{}", page.path, block.line);
    let consumed = stage.perform(block, &place);
    match block.language.as_str() {
        "sh" => {
            stage.run_all(&block.text, &place);
            None
        }
        "console" => Some(stage.console(&block.text)),
        "text" if consumed => None,
        "text" => {
            assert!(block.mark.is_some(), "{place}: nothing says where this text comes from");
            Some(stage.said())
        }
        "toml" => {
            let roz = Roz::with_config(&block.text);
            // The page has it written before it is named.
            let templates = roz.home().join("templates");
            std::fs::create_dir(&templates).unwrap();
            std::fs::write(templates.join("block-mine.md"), "Hold on.\n").unwrap();
            let told = roz.run(&["config", "check"]);
            assert!(told.code == Some(0), "{place}: {told:?}");
            None
        }
        "json" => {
            let read = serde_json::from_str::<serde_json::Value>(&block.text);
            assert!(read.is_ok(), "{place}: {read:?}");
            None
        }
        "yaml" => {
            let roz = Roz::new().in_git().declares(&block.text);
            let told = roz.run(&["intent", "check"]);
            assert!(told.code == Some(0), "{place}: {told:?}");
            None
        }
        other => panic!("{place}: what is to become of `{other}`?"),
    }
}

/// They are few, each says why, and whoever reads the test's output sees them.
#[test]
fn what_is_not_run_says_why() {
    let mut told = String::new();
    let mut count = 0;
    for page in held() {
        for block in &page.blocks {
            let Some(Mark::NotRun(why)) = &block.mark else { continue };
            let place = format!("{}:{}", page.path, block.line);
            assert!(why.split_whitespace().count() > 2, "{place}: why is it not run?");
            let _ = writeln!(told, "  {place}: {why}");
            count += 1;
        }
    }
    let all: usize = held().iter().map(|it| it.blocks.len()).sum();
    let told = format!("\n{count} of {all} blocks of the pages are not run:\n{told}");
    let _ = std::io::stderr().write_all(told.as_bytes());
    assert!(count * 4 < all, "{told}");
}

#[test]
fn a_page_that_a_program_writes_is_held_by_the_tests_that_run_it() {
    let tests = fs::read_to_string(page::root().join("test.sh")).unwrap();
    for (path, program) in WRITTEN {
        assert!(page::root().join(path).exists(), "{path}");
        assert!(tests.contains(&format!("{program} --check")), "{program}");
    }
}

/// The pages that are held here.
fn held() -> Vec<Page> {
    let mut pages = page::all();
    pages.retain(|page| !WRITTEN.iter().any(|(path, _)| *path == page.path));
    pages
}
