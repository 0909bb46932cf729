//! Functions of Python that nobody calls: what stands in them may not run.

/// What code holds outside of the functions at its top level that it names nowhere else. `None` where
/// there are none, or where names may be made up.
pub(in super::super) fn called(code: &str) -> Option<String> {
    const MAKES_NAMES: &[&str] = &["globals(", "locals(", "getattr(", "eval(", "exec(", "vars("];
    if !code.contains("def ") || MAKES_NAMES.iter().any(|it| code.contains(it)) {
        return None;
    }
    let (mut blocks, mut is_decorated): (Vec<(Option<&str>, String)>, _) = (Vec::new(), false);
    // Texts that go over several lines may look like anything.
    if code.contains("\"\"\"") || code.contains("'''") || code.contains("\\\n") {
        return None;
    }
    for line in code.lines() {
        let begins = line.starts_with(|c: char| !c.is_whitespace() && !")]}#".contains(c));
        if begins || blocks.is_empty() {
            let head = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ");
            let name = head.and_then(|it| it.split(['(', ':', ' ']).next());
            blocks.push((name.filter(|_| !is_decorated), String::new()));
            is_decorated = line.starts_with('@');
        }
        if let Some((_, text)) = blocks.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    // A name that is used by what is used.
    let mut used: Vec<bool> = blocks.iter().map(|it| it.0.is_none()).collect();
    const ROUNDS: usize = 8;
    for _ in 0..ROUNDS {
        let text: String =
            blocks.iter().zip(&used).filter(|it| *it.1).map(|it| it.0.1.as_str()).collect();
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        let words: std::collections::BTreeSet<&str> = text.split(|c| !joins(c)).collect();
        let before = used.clone();
        for ((name, _), used) in blocks.iter().zip(&mut used) {
            *used |= name.is_some_and(|it| words.contains(it));
        }
        if before == used {
            return used.contains(&false).then_some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_names_stands_apart() {
        let code = "import os\ndef a():\n    b()\ndef b():\n    pass\ndef c():\n    a()\nb()\n";
        assert_eq!(called(code).unwrap(), "import os\ndef b():\n    pass\nb()\n");
        for code in [
            "def a():\n    pass\na()\n",
            "def a():\n    pass\nglobals()['a']()\n",
            "@app.command\ndef a():\n    pass\n",
            "x = '''\ndef a():\n'''\n",
            "",
        ] {
            assert_eq!(called(code), None, "{code}");
        }
    }
}
