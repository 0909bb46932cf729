//! Where a path leads through links that the same call makes: nobody finds
//! those on the disk yet.

use std::collections::BTreeMap;

use super::Reading;

/// Links may lead to links.
const ROUNDS: usize = 4;
/// So many ways of one path are followed.
const MOST: usize = 64;

/// The links that a call makes, by where they stand.
#[derive(Debug, Default)]
pub struct Made<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Made<'a> {
    pub fn by(readings: &'a [Reading]) -> Self {
        let mut made = Self::default();
        for link in readings.iter().flat_map(|it| &it.links) {
            made.0.entry(&link.path).or_default().push(&link.target);
        }
        made
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where `path` may lead; `follows`: also if it is a link itself.
    pub fn through(&self, path: &str, follows: bool) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if self.is_empty() {
            return found;
        }
        let mut from = vec![path.strip_prefix("./").unwrap_or(path).to_owned()];
        for _ in 0..ROUNDS {
            let mut more = Vec::new();
            for path in &from {
                let below = path.match_indices('/').map(|(at, _)| path.split_at(at));
                let whole = follows.then_some((path.as_str(), ""));
                for (link, rest) in below.chain(whole) {
                    let targets = self.0.get(link).into_iter().flatten();
                    more.extend(targets.map(|it| format!("{it}{rest}")));
                }
            }
            more.retain(|it| it.len() < super::limit::NAME && !found.contains(it));
            more.truncate(MOST.saturating_sub(found.len()));
            found.extend_from_slice(&more);
            from = more;
        }
        found
    }
}
