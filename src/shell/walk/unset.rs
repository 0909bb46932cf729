//! What is taken away: variables, functions, elements, parameters.

use super::super::{HOLE, limit};
use super::Walker;
use super::env::{Positional, ends};
use super::field::Field;

impl Walker<'_> {
    /// `unset x`: the variable, and where there is none the function of that name.
    pub(super) fn unset(&mut self, words: &[Field]) {
        let is_option = |it: &&Field| it.text.starts_with('-');
        let letters: String = words.iter().filter(is_option).map(|it| it.text.as_str()).collect();
        for name in words.iter().filter(|it| !is_option(it)).map(|it| it.text.as_str()) {
            if letters.contains('f') {
                if !self.env.is_fixed(&format!("{name}()")) {
                    self.env.put_function(name, None);
                }
                continue;
            }
            if self.env.is_fixed(name) {
                continue;
            }
            if let Some((array, key)) = name.split_once('[') {
                self.unset_element(array, key.trim_end_matches(']'));
                continue;
            }
            let is_known = self.env.variable(name).is_some();
            if !letters.contains('n') {
                let meant = self.env.meant(name).to_owned();
                self.env.put(&meant, None);
            }
            // Outside the line there may be a variable of that name.
            if !is_known && !letters.contains('v') {
                self.env.doubt_function(name);
            }
        }
    }

    /// `shift 2`. Where there are not so many, none is taken away.
    pub(super) fn shift(&mut self, words: &[Field]) {
        let count = match words.iter().find(|it| it.text != "--") {
            None => Some(1),
            Some(word) => word.text.trim().parse::<usize>().ok(),
        };
        let is_known = words.iter().all(|it| !it.has_hole());
        let ways = self.env.positional().to_vec();
        let is_hole = |it: &String| it.chars().all(|c| c == HOLE);
        let rest = ways.into_iter().flat_map(|way| match (way, count) {
            (Some(words), None) if is_known => vec![Some(words)],
            (Some(words), Some(0)) => vec![Some(words)],
            // An argument that is unknown may be several, or none.
            (Some(words), Some(count)) if words.iter().take(count).any(is_hole) => {
                let mut ways = vec![Some(words.iter().skip(count).cloned().collect())];
                let known = words.iter().filter(|it| !is_hole(it)).cloned();
                ways.push(Some(known.skip(count).collect()));
                let behind = words.iter().rposition(is_hole).unwrap_or(0);
                ways.push(Some(words[behind..].to_vec()));
                ways.push(None);
                ways
            }
            (Some(words), Some(count)) if count <= words.len() => {
                vec![Some(words[count..].to_vec())]
            }
            (Some(words), Some(_)) => vec![Some(words)],
            // So many as nobody knows.
            (Some(words), None) => {
                let mut ways = ends(&words);
                ways.push(None);
                ways
            }
            (None, _) => vec![None],
        });
        let mut rest: Vec<Positional> = rest.take(limit::VALUES + 1).collect();
        rest.dedup();
        self.env.put_positional(rest);
    }
}
