//! Finds which lines of a file a program printed.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::core::review::diff::without_colours;

/// Places in the file where a line of the output is looked for, if the file has it several times.
const MOST_PLACES: usize = 32;

struct Line<'a> {
    text: &'a str,
    /// (number, rest) of `  12\ttext`, `12:text`, `12→text`.
    numbered: Option<(usize, &'a str)>,
}

/// The ranges of `content` whose lines are consecutive lines of `output`. A run that has only blank
/// lines and brackets does not count, since any file has such lines.
///
/// The search begins with the rarest lines, which have the fewest places to try. A line of the
/// output belongs to one run only, so the time grows with the size of the texts and no faster.
pub(super) fn shown(content: &str, output: &str) -> Vec<(u64, u64)> {
    let is_all = !content.trim().is_empty() && content.trim() == output.trim();
    if is_all {
        return vec![(1, content.lines().count() as u64)];
    }
    let content: Vec<_> = content.lines().map(without_colours).collect();
    let content: Vec<&str> = content.iter().map(|line| line.trim_end()).collect();
    let output: Vec<_> = output.lines().map(without_colours).collect();
    let output: Vec<Line> = output.iter().map(|line| Line::of(line)).collect();

    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in content.iter().enumerate().filter(|(_, line)| !is_trivial(line)) {
        let places = places.entry(line).or_default();
        if places.len() < MOST_PLACES {
            places.push(at);
        }
    }
    let starts = output.iter().map(|line| line.places(&content, &places));
    let mut starts: Vec<(usize, Vec<usize>)> = starts.enumerate().collect();
    starts.sort_by_key(|(_, places)| places.len());

    let mut is_taken = vec![false; output.len()];
    let mut ranges = Vec::new();
    for (at, places) in starts {
        if is_taken[at] {
            continue;
        }
        let run = |place: usize| {
            let is_same =
                |(line, at): (usize, usize)| !is_taken[line] && output[line].is(content[at]);
            let before = (0..at).rev().zip((0..place).rev()).take_while(|&pair| is_same(pair));
            let after = (at..output.len()).zip(place..content.len());
            let after = after.take_while(|&pair| is_same(pair)).count();
            (before.count(), after, place)
        };
        // The first of equal runs.
        let longest = places.into_iter().map(run).rev().max_by_key(|run| run.0 + run.1);
        let Some((before, after, place)) = longest else { continue };
        is_taken[at - before..at + after].fill(true);
        let (mut from, mut to) = (place - before, place + after);
        // The client trims blank lines at both ends.
        let is_blank = |at: usize| content.get(at).is_some_and(|line| line.is_empty());
        while at == before && from > 0 && is_blank(from - 1) {
            from -= 1;
        }
        while at + after == output.len() && is_blank(to) {
            to += 1;
        }
        ranges.push((from as u64 + 1, to as u64));
    }
    ranges
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Self {
        let numbered = || {
            let rest = text.trim_start();
            let (number, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
            let rest = rest.strip_prefix(['\t', ':', '-', '→', ' '])?;
            Some((number.parse().ok()?, rest.trim_end()))
        };
        Self { text: text.trim_end(), numbered: numbered() }
    }

    fn is(&self, line: &str) -> bool {
        self.text == line || self.numbered.is_some_and(|(_, text)| text == line)
    }

    /// Possible positions in the file: only one if the line is numbered.
    fn places(&self, content: &[&str], places: &HashMap<&str, Vec<usize>>) -> Vec<usize> {
        if let Some((number, text)) = self.numbered
            && !is_trivial(text)
            && number > 0
            && content.get(number - 1) == Some(&text)
        {
            return vec![number - 1];
        }
        let numbered = self.numbered.and_then(|(_, text)| places.get(text));
        numbered.into_iter().chain(places.get(self.text)).flatten().copied().collect()
    }
}

fn is_trivial(line: &str) -> bool {
    line.chars().filter(|c| !c.is_whitespace()).nth(2).is_none()
}
