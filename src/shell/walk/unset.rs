//! `set` and `unset`: parameters, and what is taken away of variables, functions, elements.

use super::super::{HOLE, limit};
use super::Walker;
use super::env::{Positional, Value, Variable, ends};
use super::field::{Field, texts};

/// The options of `set`, by their letters and by their names.
const SET: &str = "abefhkmnoptuvxBCEHPT";
const SET_NAMED: &[&str] = &[
    "allexport",
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "histexpand",
    "history",
    "ignoreeof",
    "interactive-comments",
    "keyword",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "posix",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
];

impl Walker<'_> {
    /// `unset x`: the variable, and where there is none the function of that name.
    pub(super) fn unset(&mut self, words: &[Field]) {
        let is_option = |it: &&Field| it.text.starts_with('-');
        let letters: String = words.iter().filter(is_option).map(|it| it.text.as_str()).collect();
        for name in words.iter().filter(|it| !is_option(it)).map(|it| it.text.as_str()) {
            if letters.contains('f') {
                if self.env.is_fixed(&format!("{name}()")) {
                    // It may have been fixed, and may not.
                    self.env.doubt_function(name);
                } else {
                    self.env.put_function(name, None);
                }
                continue;
            }
            if self.env.is_fixed(name) {
                if self.env.variable(name).is_some() {
                    let values = vec![Value::Text(String::new())];
                    self.env.also(name, Variable { values, exported: false });
                }
                continue;
            }
            if let Some((array, key)) = name.split_once('[') {
                self.unset_element(array, key.trim_end_matches(']'));
                continue;
            }
            let is_known = self.env.variable(name).is_some();
            let is_sure = self.conditional == 0;
            if !letters.contains('n') {
                let meant = self.env.meant(name).to_owned();
                self.env.put(&meant, None);
                if is_sure {
                    self.env.take_attributes(&meant);
                } else {
                    self.env.doubt_attribute(&meant);
                }
            } else if is_sure {
                self.env.refers_no_more(name);
            }
            // Outside the line there may be a variable of that name.
            if !is_known && !letters.contains('v') {
                self.env.doubt_function(name);
            }
        }
    }

    /// Options, and behind them the parameters: those stay where neither they nor `--` are given.
    pub(super) fn set(&mut self, words: &[Field]) {
        let mut words = words;
        let (mut gives, mut may_fail) = (false, false);
        while let [first, rest @ ..] = words {
            let text = first.text.as_str();
            if text == "--" {
                (words, gives) = (rest, true);
                break;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else { break };
            // `-euo pipefail`: each `o` takes a word.
            let named = letters.matches('o').count().min(rest.len());
            let is_named = |it: &Field| it.text == "keyword";
            self.posix |=
                text.starts_with('-') && rest[..named].iter().any(|it| it.text == "posix");
            may_fail |= letters.contains(|it| !SET.contains(it))
                || rest[..named].iter().any(|it| !SET_NAMED.contains(&it.text.as_str()));
            if letters.contains('k') || rest[..named].iter().any(is_named) {
                let takes = text.starts_with('-');
                self.env.doubts_keywords |= self.conditional > 0;
                self.env.takes_keywords = takes || self.env.doubts_keywords;
            }
            words = &rest[named..];
        }
        if gives || !words.is_empty() {
            let texts_given: Vec<Value> =
                words.iter().map(|it| Value::Text(it.text.clone())).collect();
            self.keeps_own("@", &texts_given);
            let mut ways = vec![Some(texts(words))];
            // Of what it does not know it takes nothing; without `--` they stay where its words come
            // to none.
            let may_be_none = !gives && words.iter().all(|it| it.loose && it.is_unknown());
            if may_fail || may_be_none {
                ways.extend(self.env.positional().iter().take(limit::VALUES - 1).cloned());
            }
            self.env.put_positional(ways);
        }
    }

    /// `shift 2`. Where there are not so many, none is taken away.
    pub(super) fn shift(&mut self, words: &[Field]) {
        let count = match words.iter().find(|it| it.text != "--") {
            None => Some(1),
            Some(word) => word.text.trim().parse::<usize>().ok(),
        };
        let is_known = words.iter().all(|it| !it.has_hole());
        // Each is copied.
        let all: usize = self.env.positional().iter().flatten().map(Vec::len).sum();
        if !self.spend(all / 16) {
            return;
        }
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
