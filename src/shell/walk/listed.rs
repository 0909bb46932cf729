//! Words of git that stand in a file: `git restore --pathspec-from-file=list`.

use super::super::HOLE;
use super::Walker;
use super::call::Call;
use super::field::Field;

/// Git takes the option by its beginning, as far as no other one begins so.
const OPTION: &str = "--pathspec-from-file";
const SHORTEST: &str = "--pathspec-fr";
/// All that there is, from the top of the work tree and from here.
const ANYTHING: [&str; 2] = [":/", "."];
/// A longer list may name anything.
const LONGEST: usize = 1 << 16;

impl Walker<'_> {
    /// The words of a git that takes paths out of a list, with the list's lines in its place;
    /// `None` where there is no list. What nobody can read may name anything.
    pub(super) fn with_listed(&mut self, call: &Call) -> Option<Vec<Field>> {
        let words = &call.words;
        if !words.iter().any(|it| it.text.starts_with(SHORTEST)) {
            return None;
        }
        let verb = Self::subcommand("git", words);
        let takes = ["checkout", "restore", "rm", "stash"];
        if !takes.contains(&words.get(verb)?.text.as_str()) {
            return None;
        }
        let end = words.iter().position(|it| it.text == "--").unwrap_or(words.len());
        let is_list = |it: &Field| {
            let name = it.text.split_once('=').map_or(it.text.as_str(), |it| it.0);
            name.starts_with(SHORTEST) && OPTION.starts_with(name)
        };
        let at = (verb + 1..end).find(|at| is_list(&words[*at]))?;
        let (list, rest) = match words[at].text.split_once('=') {
            Some((_, list)) => (list, at + 1),
            None => (words.get(at + 1).map_or("", |it| it.text.as_str()), at + 2),
        };
        let is_nul = words[..end].iter().any(|it| it.text.starts_with("--pathspec-fi"));
        // The last one counts, or none.
        let lists = (verb + 1..end).filter(|at| is_list(&words[*at])).count();
        let is_one =
            lists == 1 && !words[..end].iter().any(|it| it.text.starts_with("--no-pathspec"));
        let text = match list {
            "-" | "/dev/stdin" | "/dev/fd/0" => call.io.stdin.as_deref().map(str::to_owned),
            // With `-C` it lies elsewhere.
            list if verb == 1 => self.content(list),
            _ => None,
        };
        let named = text.filter(|_| is_one).and_then(|text| lines(&text, is_nul));
        let named = named.unwrap_or_else(|| ANYTHING.map(str::to_owned).into());
        let mut found = words[..at].to_vec();
        found.extend_from_slice(words.get(rest..).unwrap_or_default());
        if end == words.len() {
            found.push(Field::literal("--"));
        }
        found.extend(named.iter().map(|it| Field { resolved: true, ..Field::literal(it) }));
        Some(found)
    }
}

/// `None` where not all of it is known: git takes quotes off that it reads like C.
fn lines(text: &str, is_nul: bool) -> Option<Vec<String>> {
    let is_known =
        text.len() <= LONGEST && !text.contains(HOLE) && (is_nul || !text.contains('\0'));
    let lines = text.split(if is_nul { '\0' } else { '\n' });
    let lines = lines.map(|it| if is_nul { it } else { it.trim_end_matches('\r') });
    let lines: Vec<String> = lines.filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let is_plain = is_nul || !lines.iter().any(|it| it.starts_with('"'));
    (is_known && is_plain && !lines.is_empty()).then_some(lines)
}
