//! A page in the repository: its fenced blocks, and the comments above them that say how they are
//! played.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub(super) struct Page {
    /// From the root of the repository.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) text: String,
    /// Of its first line in the page, from 1.
    pub(super) line: usize,
    pub(super) mark: Option<Mark>,
}

/// The comment right above a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `<!-- not run: why -->`
    NotRun(String),
    /// `<!-- play: act; … -->`, or on lines of their own, an act each.
    Play(Vec<String>),
}

impl Block {
    /// The block with its fences and another text.
    pub(super) fn whole(&self, text: &str) -> String {
        format!("```{}\n{}\n```\n", self.language, text.trim_end())
    }
}

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md, CONTRIBUTING.md and the files in `docs/`.
pub(super) fn all() -> Vec<Page> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).unwrap().map(|it| it.unwrap().path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "md"));
    paths.sort();
    paths.splice(0..0, ["README.md", "CONTRIBUTING.md"].map(|it| root().join(it)));
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        Page { blocks: blocks(&text), path, text }
    };
    paths.iter().map(read).collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut above = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if line.starts_with("<!--") || is_open(&above) {
                above = if is_open(&above) { above + "\n" + line } else { line.to_owned() };
            } else {
                above.clear();
            }
            continue;
        };
        let inside: Vec<&str> =
            lines.by_ref().map(|(_, it)| it).take_while(|it| *it != "```").collect();
        found.push(Block {
            language: language.to_owned(),
            text: inside.join("\n"),
            line: at + 1,
            mark: mark(&std::mem::take(&mut above)),
        });
    }
    found
}

fn is_open(comment: &str) -> bool {
    !comment.is_empty() && !comment.contains("-->")
}

fn mark(comment: &str) -> Option<Mark> {
    let inside = comment.strip_prefix("<!--")?.split("-->").next()?.trim();
    if let Some(why) = inside.strip_prefix("not run:") {
        return Some(Mark::NotRun(why.trim().to_owned()));
    }
    let acts = inside.strip_prefix("play:")?;
    let separator = if acts.contains('\n') { '\n' } else { ';' };
    let acts = acts.split(separator).map(str::trim).filter(|it| !it.is_empty());
    Some(Mark::Play(acts.map(str::to_owned).collect()))
}

#[test]
fn a_block_is_found_with_the_comment_right_above_it() {
    let text = "a\n<!-- not run: it needs a network -->\n```sh\none\ntwo\n```\n\n<!-- play:\nstop\nstart\n-->\n```text\n```\n<!-- x -->\n\n```json\n{}\n```\n";
    let found = blocks(text);
    assert_eq!(found[0].mark, Some(Mark::NotRun("it needs a network".to_owned())));
    assert_eq!((found[0].text.as_str(), found[0].line), ("one\ntwo", 3));
    assert_eq!(found[1].mark, Some(Mark::Play(vec!["stop".to_owned(), "start".to_owned()])));
    assert_eq!((found[2].language.as_str(), &found[2].mark), ("json", &None));
}
