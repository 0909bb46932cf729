//! What git is told to keep no longer, with the files left where they are:
//! a commit after that has them no more.

use super::super::table::grammar::Grammar;
use super::super::{Certainty, HOLE, How, Write};
use super::field::Field;
use super::pathspec::pathspec;
use super::{Walker, expand};

const UPDATE: Grammar = Grammar { letters: "", long: &["chmod", "cacheinfo", "index-version"] };

const VERBS: &[&str] = &["rm", "update-index", "read-tree"];

impl Walker<'_> {
    pub(super) fn untracked(&mut self, words: &[Field]) {
        // Most of what git is told is none of these.
        if !words.iter().any(|it| VERBS.contains(&it.text.as_str())) {
            return;
        }
        let at = Self::subcommand("git", words);
        let (taken, takes_lists) = match words.get(at).map(|word| word.text.as_str()) {
            Some("rm") => {
                let taken = Grammar::NONE.take(words, at + 1);
                if !taken.has(&["cached"]) || taken.has(&["n", "dry-run"]) {
                    return;
                }
                (taken, false)
            }
            Some("update-index") => {
                let taken = UPDATE.take(words, at + 1);
                let is_info = taken.has(&["index-info"]);
                if !is_info && !taken.has(&["force-remove", "remove"]) {
                    return;
                }
                let is_list = is_info || taken.has(&["stdin"]);
                (taken, is_list)
            }
            Some("read-tree") => {
                let taken = Grammar::NONE.take(words, at + 1);
                if taken.has(&["empty"]) {
                    self.no_longer_kept(".", false);
                }
                return;
            }
            _ => return,
        };
        // Such a list is not read.
        if takes_lists {
            self.no_longer_kept(".", false);
        }
        for place in taken.operands {
            let word = &words[place];
            let path = pathspec(word, str::to_owned).unwrap_or_else(|| ".".to_owned());
            self.no_longer_kept(&path, !word.glob);
        }
    }

    /// A pattern that git reads finds slashes and names that begin with a dot, as the
    /// shell's do not: any text stands where it has a star.
    fn no_longer_kept(&mut self, path: &str, is_gits: bool) {
        if self.muted > 0 || path.is_empty() {
            return;
        }
        let path = match path.find('[').filter(|_| is_gits) {
            Some(at) => format!("{}{HOLE}", &path[..at]),
            None => path.to_owned(),
        };
        let any = HOLE.to_string();
        let path =
            if is_gits && expand::has_glob(&path) { path.replace(['*', '?'], &any) } else { path };
        let conditional = self.conditional > 0;
        for path in self.located(&path) {
            if !self.spend(1 + path.len() / 512) {
                return;
            }
            let (how, certainty) = (How::Remove, Certainty::Opaque);
            self.reading.untracked.push(Write {
                path,
                how,
                certainty,
                conditional,
                puts_back: false,
                is_found: false,
            });
        }
    }
}
