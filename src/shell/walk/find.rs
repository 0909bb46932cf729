//! `find` and `fd`: what they run and remove.

use super::xargs::replaced;
use super::{Call, Walker};
use crate::shell::field::Field;
use crate::shell::{Certainty, HOLE, How};

impl Walker<'_> {
    /// `find … -exec command ;`, and `fd … -x command`.
    pub(super) fn find(&mut self, name: &str, call: &Call) {
        let words = &call.words;
        let mut first = 1;
        // `-L` and similar options come before the folders.
        while words.get(first).is_some_and(|word| matches!(&*word.text, "-H" | "-L" | "-P" | "-E"))
        {
            first += 1;
        }
        let is_start = |word: &&Field| !word.text.starts_with(['-', '(', '!']);
        let starts: Vec<&Field> = words.iter().skip(first).take_while(is_start).collect();
        let found = match &starts[..] {
            [start] if start.text != "." && name.ends_with("find") => {
                format!("{}/{HOLE}", start.text.trim_end_matches('/'))
            }
            _ => HOLE.to_string(),
        };
        let found = Field { text: found, resolved: true, ..Field::default() };
        let mut at = 1;
        while at < words.len() {
            match words[at].text.as_str() {
                "-delete" => {
                    for start in &starts {
                        self.record_write(&start.text, How::Remove, Certainty::Opaque);
                    }
                    self.record_write(&found.text, How::Remove, Certainty::Opaque);
                }
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                    if let Some(file) = words.get(at + 1) {
                        self.record_write(&file.text, How::Write, file.certainty());
                    }
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec"
                | "--exec-batch" => {
                    let is_end = |end: &usize| {
                        words[*end].text == ";"
                            || words[*end].text == "+" && words[*end - 1].text == "{}"
                    };
                    let end = (at + 1..words.len()).find(is_end).unwrap_or(words.len());
                    let mut inner: Vec<Field> =
                        words[at + 1..end].iter().map(|w| replaced(w, "{}", &found)).collect();
                    // fd appends the path if the command has no `{}`.
                    if !name.ends_with("find")
                        && !words[at..end].iter().any(|word| word.text.contains('{'))
                    {
                        inner.push(found.clone());
                    }
                    if inner.len() > usize::from(!name.ends_with("find")) {
                        let call = call.with_words(inner);
                        self.conditionally(|walker| walker.inner_call(call));
                    }
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
    }
}
