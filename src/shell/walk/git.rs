//! What git runs because of its options and aliases. Git puts its own folder first on PATH for
//! programs that it starts, so a shim does not see these.

use super::known_command::quoted;
use super::{Call, Walker};
use crate::shell::field::Field;
use crate::shell::table::{global_options, grammar::Grammar};

const REBASE: Grammar =
    Grammar { letters: "xsX", long: "exec onto strategy strategy-option whitespace empty" };

impl Walker<'_> {
    /// Walks the code in a call of git.
    pub(super) fn git_code(&mut self, call: &Call) {
        if !self.budget.spend(1) {
            return;
        }
        let Some(row) = global_options::find("git") else { return };
        let (given, at) = row.grammar.leading(&call.words, 1);
        for option in given.iter().filter(|given| given.name == "c") {
            let setting = option.value.as_ref().and_then(|value| value.text.split_once('='));
            if let Some((key, text)) = setting {
                self.git_alias(key, text);
            }
        }
        let Some(verb) = call.words.get(at).map(|word| word.text.clone()) else { return };
        let arguments = &call.words[at + 1..];
        match verb.as_str() {
            "config" => {
                let is_word = |word: &&Field| !word.text.starts_with('-');
                let words: Vec<&Field> = arguments.iter().filter(is_word).collect();
                if let [.., key, value] = &words[..] {
                    self.git_alias(&key.text, &value.text);
                }
            }
            "rebase" => {
                let options = REBASE.take(arguments, 0).options;
                for option in options.iter().filter(|option| option.is("x exec")) {
                    if let Some(code) = &option.value {
                        self.code_from(code, &code.text, &call.io);
                    }
                }
            }
            _ => {}
        }
        // The words after an alias are appended to it.
        if let Some(text) = self.env.git_alias(&verb.to_ascii_lowercase()).cloned()
            && self.calls.count(&verb) == 0
        {
            let line = match text.strip_prefix('!') {
                Some(code) => format!("{code} {}", quoted(arguments)),
                None => format!("git {text} {}", quoted(arguments)),
            };
            self.calls.push(&verb);
            self.nested_code(&line, &call.io);
            self.calls.pop();
        }
    }

    fn git_alias(&mut self, key: &str, text: &str) {
        if let Some(name) = key.to_ascii_lowercase().strip_prefix("alias.") {
            self.env.put_git_alias(name.to_owned(), text.to_owned());
        }
    }
}
