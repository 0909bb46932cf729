//! Files that git has an editor change: the list of a rebase, of which git runs lines, and its own
//! settings.

use super::super::HOLE;
use super::call::Call;
use super::env::{Made, Value};
use super::field::Field;
use super::own::SETTING;
use super::{Io, Walker, limit};

/// Where a rebase keeps what it is about to do.
const LIST: &str = ".git/rebase-merge/git-rebase-todo";
/// What says which editor git starts: the variable, or the setting.
const EDITORS: &[&str] = &["GIT_EDITOR", "core.editor", "VISUAL", "EDITOR"];
const LIST_EDITORS: &[&str] = &["GIT_SEQUENCE_EDITOR", "sequence.editor"];

impl Walker<'_> {
    /// `git rebase -i`, `git config --edit`: with an editor that the line says.
    pub(super) fn edited_by_git(&mut self, verb: &str, arguments: &[Field], call: &Call) {
        let has = |long: &str, letter: char| {
            arguments.iter().any(|word| match word.text.strip_prefix("--") {
                Some(name) => name.len() > 1 && long.starts_with(name),
                None => word.text.starts_with('-') && word.text.contains(letter),
            })
        };
        match verb {
            "rebase" if has("interactive", 'i') || has("edit-todo", 'i') => {
                for code in self.editors(LIST_EDITORS.iter().chain(EDITORS)) {
                    self.edited_list(&code, call);
                }
            }
            "config"
                if has("edit", 'e') || arguments.first().is_some_and(|it| it.text == "edit") =>
            {
                let path = if has("global", 'G') { "~/.gitconfig" } else { ".git/config" };
                for code in self.editors(EDITORS.iter()) {
                    let code = format!("{code} {path}");
                    self.perhaps(|walker| walker.nested_code(&code, &Io::default()));
                }
            }
            _ => {}
        }
    }

    /// The editors that the line has named. One that the caller has in its environment is for people.
    fn editors<'a>(&self, names: impl Iterator<Item = &'a &'static str>) -> Vec<String> {
        let mut editors: Vec<String> = Vec::new();
        for name in names {
            let setting = self.env.alias(&format!("{SETTING}{name}")).into_iter().cloned();
            let values = self.env.variable(name).map_or(&[][..], |it| &it.values);
            let is_own =
                |text: &str| self.options.variables.iter().any(|it| it.0 == *name && it.1 == text);
            let values = values.iter().map(Value::scalar).filter(|it| !is_own(it));
            editors.extend(values.map(str::to_owned).chain(setting));
        }
        editors.retain(|it| !it.is_empty() && !it.chars().eq([HOLE]));
        editors.truncate(limit::VALUES);
        editors
    }

    /// What an editor makes of the list of a rebase: `exec code` is a line of it.
    fn edited_list(&mut self, code: &str, call: &Call) {
        let list = format!("pick {HOLE} {HOLE}\n");
        let before = self.env.files.insert(LIST.to_owned(), Made::Text(list));
        let writes = self.reading.writes.len();
        let code = format!("{code} {LIST}");
        self.perhaps(|walker| walker.nested_code(&code, &call.io));
        // It is git's own file.
        let kept = self.reading.writes.split_off(writes.min(self.reading.writes.len()));
        self.reading.writes.extend(kept.into_iter().filter(|it| it.path != LIST));
        let after = match before {
            Some(before) => self.env.files.insert(LIST.to_owned(), before),
            None => self.env.files.remove(LIST),
        };
        let Some(Made::Text(list)) = after else { return };
        for line in list.lines().map(str::trim_start) {
            let code = line.split_once(char::is_whitespace);
            let code = code.filter(|it| matches!(it.0, "exec" | "x")).map(|it| it.1);
            if let Some(code) = code.filter(|_| self.spend(1)) {
                self.perhaps(|walker| walker.nested_code(code, &Io::default()));
            }
        }
    }
}
