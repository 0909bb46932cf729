//! The strings that stand in JSON, YAML and the like: what code reads from there, it may run.

/// Whether code reads such texts.
pub(in super::super) fn is_read_by(code: &str) -> bool {
    ["json", "JSON", "yaml", "YAML", "toml"].iter().any(|it| code.contains(it))
}

/// The strings in double quotes, each by itself, and those of a list one behind the other.
pub(in super::super) fn strings(text: &str) -> Vec<String> {
    const MOST: usize = 1024;
    let mut found: Vec<String> = Vec::new();
    let mut list: Vec<String> = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                let mut own = String::new();
                while let Some(next) = characters.next().filter(|it| *it != '"') {
                    match next {
                        '\\' => match characters.next() {
                            Some('n') => own.push('\n'),
                            Some('t') => own.push('\t'),
                            other => own.extend(other),
                        },
                        next => own.push(next),
                    }
                }
                list.push(own.clone());
                found.push(own);
            }
            '[' => list.clear(),
            ']' if list.len() > 1 => found.push(std::mem::take(&mut list).join(" ")),
            _ => {}
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stand_by_themselves_and_in_lists() {
        let found = strings(r#"{"a": ["ls", "-l"], "b": "say \"x\""}"#);
        assert_eq!(found, ["a", "ls", "-l", "ls -l", "b", "say \"x\""]);
        assert!(strings("none \\").is_empty());
    }
}
