//! What git and gh run by their own options, settings and aliases. Git puts its own folder first on
//! PATH for what it starts, so that a shim sees none of this.

use super::call::quoted;
use super::{Call, Io, Walker};
use crate::shell::HOLE;
use crate::shell::field::Field;
use crate::shell::table::{code_settings, global_options};

impl Walker<'_> {
    /// Walks the code that a call of git or gh holds.
    pub(super) fn git_code(&mut self, name: &str, call: &Call) {
        if !matches!(name, "git" | "gh") || !self.budget.spend(1) {
            return;
        }
        let Some(row) = global_options::find(name) else { return };
        let (given, at) = row.grammar.leading(&call.words, 1);
        for option in given.iter().filter(|given| given.name == "c" || given.name == "config-env") {
            let setting = option.value.as_ref().and_then(|value| value.text.split_once('='));
            let Some((key, text)) = setting else { continue };
            // `--config-env` names the variable that holds the value.
            let held = match self.env.variable(text) {
                _ if option.name == "c" => text.to_owned(),
                Some(variable) => variable.values[0].scalar().to_owned(),
                None => HOLE.to_string(),
            };
            self.git_setting(key, &held);
        }
        let Some(verb) = call.words.get(at).map(|word| word.text.clone()) else { return };
        let arguments = &call.words[at + 1..];
        match verb.as_str() {
            "alias" if name == "gh" => self.gh_alias(arguments),
            "config" if name == "git" => {
                let is_word = |word: &&Field| !word.text.starts_with('-');
                let words: Vec<&Field> = arguments.iter().filter(is_word).collect();
                if let [.., key, value] = &words[..] {
                    self.git_setting(&key.text, &value.text);
                }
            }
            "rebase" | "filter-branch" | "difftool" | "mergetool" | "fetch" | "pull" | "push"
                if name == "git" =>
            {
                for code in code_of_options(&verb, arguments) {
                    self.nested_code(&code, &call.io);
                }
            }
            _ => {}
        }
        // The words behind an alias are appended to it.
        let key = format!("{name} {verb}");
        let alias = |key: &str| self.env.program_alias(key).cloned();
        let alias = alias(&key).or_else(|| alias(&key.to_ascii_lowercase()));
        if let Some(text) = alias
            && self.calls.count(&verb) == 0
        {
            let line = match text.strip_prefix('!') {
                Some(code) => format!("{code} {}", quoted(arguments)),
                None => format!("{name} {text} {}", quoted(arguments)),
            };
            self.calls.push(&verb);
            self.nested_code(&line, &call.io);
            self.calls.pop();
        }
    }

    /// `gh alias set name 'pr merge'`
    fn gh_alias(&mut self, arguments: &[Field]) {
        let words: Vec<&Field> =
            arguments.iter().filter(|word| !word.text.starts_with('-')).collect();
        if let [verb, alias, text] = words[..]
            && verb.text == "set"
        {
            let is_shell = arguments.iter().any(|word| matches!(&*word.text, "-s" | "--shell"));
            let sign = if is_shell && !text.text.starts_with('!') { "!" } else { "" };
            let (name, text) = (format!("gh {}", alias.text), format!("{sign}{}", text.text));
            self.env.put_program_alias(name, text);
        }
    }

    fn git_setting(&mut self, key: &str, text: &str) {
        let key = key.to_ascii_lowercase();
        if let Some(name) = key.strip_prefix("alias.") {
            self.env.put_program_alias(format!("git {name}"), text.to_owned());
        } else if code_settings::is_git_code(&key) {
            let text = text.trim_start_matches('!');
            self.conditionally(|walker| walker.nested_code(text, &Io::default()));
        }
    }
}

/// The values of options that hold shell code: `rebase -x code`, `filter-branch --tree-filter code`.
fn code_of_options(verb: &str, arguments: &[Field]) -> Vec<String> {
    const LONG: &[&str] = &["--exec", "--extcmd", "--upload-pack", "--receive-pack"];
    let mut values = Vec::new();
    for (index, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let joined = text.split_once('=').filter(|(option, _)| LONG.contains(option));
        let takes_x = matches!(verb, "rebase" | "difftool") && !text.starts_with("--");
        let is_cluster = takes_x && text.starts_with('-') && text.ends_with('x');
        let glued = text.strip_prefix("-x").filter(|rest| takes_x && !rest.is_empty());
        if let Some(value) = joined.map(|(_, value)| value).or(glued) {
            values.push(value.to_owned());
        } else if LONG.contains(&text)
            || is_cluster
            || text.starts_with("--") && text.ends_with("-filter")
        {
            values.extend(arguments.get(index + 1).map(|word| word.text.clone()));
        }
    }
    values
}
