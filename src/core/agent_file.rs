//! Whether an agent file of the client bears the reviewer's name.

use super::tool::REVIEWER;

/// Whether the front matter of an agent file may name its agent `roz:roz`.
///
/// Not a YAML reader: whatever quotes, escapes, block scalars, tags or flow
/// style spell the name, it is found, and a description that mentions the
/// reviewer is none.
pub fn names_reviewer(text: &str) -> bool {
    let Some(front) = text.trim_start_matches('\u{feff}').trim_start().strip_prefix("---") else {
        return false;
    };
    let front = front.split("\n---").next().unwrap_or_default();
    let front = unescaped(front).to_lowercase();
    // An anchor, an alias, a tag, a key that is put together: what stands for what is YAML's to
    // say, so a mention is enough.
    let is_roundabout = || {
        front.lines().any(|line| {
            let line = line.trim_start_matches([' ', '\t', '-', '{', '"', '\'']);
            let value = line.split_once(':').map_or("", |it| it.1.trim_start());
            line.starts_with(['&', '*', '!', '?']) && !line.starts_with("**")
                || value.starts_with(['*', '&', '!'])
                || line.starts_with("<<")
                || line.contains([',', '{', '['])
                    && [": *", ":*", "<<"].iter().any(|it| line.contains(it))
        })
    };
    if squashed(front.lines()).contains(REVIEWER) && is_roundabout() {
        return true;
    }
    let mut rest = front.as_str();
    while let Some(at) = rest.find("name") {
        let before = rest[..at].trim_end_matches(['"', '\'', ' ', '\t']);
        let is_key = before.is_empty() || before.ends_with(['\n', '{', ',', '?']);
        rest = &rest[at + "name".len()..];
        let after = rest.trim_start_matches(['"', '\'', ' ', '\t', '\n', '\r']);
        if is_key && after.strip_prefix(':').is_some_and(is_reviewer) {
            return true;
        }
    }
    false
}

/// What follows `name:`. Text of the same value is on the same line or on
/// lines that are indented.
fn is_reviewer(after: &str) -> bool {
    let value = after.lines().enumerate().take_while(|(at, line)| {
        *at == 0 || line.trim().is_empty() || line.starts_with([' ', '\t'])
    });
    let squashed = squashed(value.map(|it| it.1));
    let value = squashed.trim_start_matches("!!str");
    let value = match value.strip_prefix('&') {
        // An anchor's name ends where the value begins; here the blank is gone.
        Some(_) => return value.contains(REVIEWER),
        None => value,
    };
    value
        .strip_prefix(REVIEWER)
        .is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_'))
}

/// Lines without comments, and without what may stand around a text.
fn squashed<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines
        .flat_map(|line| line.split(" #").next().unwrap_or_default().chars())
        .filter(|c| !c.is_whitespace() && !"\"'\\>|-+".contains(*c))
        .collect()
}

/// `\xNN`, `\uNNNN` and `\UNNNNNNNN` as the characters that they stand for.
fn unescaped(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        res.push_str(before);
        let digits = match after.chars().next() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => 0,
        };
        let code = after.get(1..=digits).and_then(|it| u32::from_str_radix(it, 16).ok());
        if let Some(c) = code.and_then(char::from_u32).filter(|_| digits > 0) {
            res.push(c);
            rest = &after[1 + digits..];
        } else {
            res.push('\\');
            rest = after;
        }
    }
    res.push_str(rest);
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_the_name_is_spelt_it_is_found() {
        for front in [
            "name: roz:roz",
            "name: \"roz:roz\"",
            "name: \"roz:roz\" # mine",
            "\"name\": 'roz:roz'",
            "description: x\nname:   Roz:Roz  ",
            "name: \"roz\\x3aroz\"",
            "name: \"\\u0072oz:roz\"",
            "\"n\\x61me\": roz:roz",
            "name: >-\n  roz:roz",
            "name: |\n  roz:roz\nmodel: haiku",
            "name: \"roz\\\n  :roz\"",
            "name: !!str roz:roz",
            "name: &a roz:roz",
            "x: &a roz:roz\nname: *a",
            "x: &a\n  roz:roz\nname: *a",
            "x: &a {name: roz:roz}\n<<: *a",
            "<<: {name: roz:roz}",
            "!!str name: roz:roz",
            "&k name: roz:roz",
            "k: &k name\n*k : roz:roz",
            "? >-\n  name\n: roz:roz",
            "name: !!binary x\ny: roz:roz",
            "name: helper\nname: roz:roz",
            "name:\troz:roz\r",
            "{description: x, a: &a roz:roz, name: *a}",
            "? name\n: roz:roz",
        ] {
            assert!(names_reviewer(&format!("---\n{front}\n---\nBe kind.")), "{front}");
        }
        assert!(names_reviewer("---\n{name: \"roz:roz\", description: x}\n---\n"));
    }

    #[test]
    fn a_mention_is_no_name() {
        for front in [
            "name: helper\ndescription: calls roz:roz",
            "name: roz",
            "name: roz:rozzer",
            "filename: roz:roz",
            "name: helper # not roz:roz",
            "name: helper\ndescription: R&D, *not* roz:roz!",
            "name: helper\ndescription: |\n  **Never** acts as roz:roz\n  - look & see",
            "name: helper\ntools: [Read, Bash]\ndescription: see roz:roz",
            "description: |\n  The name: roz:roz is taken",
        ] {
            assert!(!names_reviewer(&format!("---\n{front}\n---\n")), "{front}");
        }
        assert!(!names_reviewer("name: roz:roz"), "no front matter");
    }
}
