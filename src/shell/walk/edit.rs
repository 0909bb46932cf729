//! What a program that edits text may have made of it, where that is not modelled: the words of the
//! text with words of the program's own code in their places (`sed s/p.ll/push/ f`).

use std::collections::BTreeSet;

/// Words of the code that are tried, and places of a line that they are put in.
const WORDS: usize = 8;
const PLACES: usize = 6;

/// Whether a program edits what comes through it by code among its words.
pub(super) fn edits(program: &str) -> bool {
    matches!(
        program,
        "sed" | "gsed" | "ssed" | "perl" | "awk" | "gawk" | "mawk" | "nawk" | "ruby" | "ed" | "ex"
    )
}

/// Lines of code: each line of `text` with one of its words replaced by one of the code's. What
/// would close or open more than a line is left out of them.
pub(super) fn guesses<'a>(code: impl Iterator<Item = &'a str>, text: &str) -> String {
    let signs = |c: char| !c.is_alphanumeric() && !"-_. ".contains(c);
    let words = code.flat_map(|word| word.split(signs)).map(str::trim);
    let words: BTreeSet<&str> = words.filter(|it| it.chars().nth(1).is_some()).collect();
    let mut guesses = BTreeSet::new();
    for line in text.lines() {
        let line: String = line.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        let own: Vec<&str> = line.split_whitespace().collect();
        for place in 0..own.len().min(PLACES) {
            for word in words.iter().take(WORDS) {
                let (before, after) = (&own[..place], &own[place + 1..]);
                guesses.insert([before, &[*word], after].concat().join(" "));
            }
        }
    }
    guesses.into_iter().collect::<Vec<_>>().join("\n")
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./~:=@+".contains(c)
}

#[cfg(test)]
mod tests {
    use super::guesses;

    #[test]
    fn a_word_of_the_code_may_stand_in_the_place_of_any_word() {
        let found = guesses(["s/p.ll/push/"].into_iter(), "git pull origin\n");
        assert!(found.lines().any(|it| it == "git push origin"), "{found}");
        assert_eq!(guesses(["-i"].into_iter(), "\u{fffc}é'\"$(\n"), "-i");
        assert_eq!(guesses(["s/a/b/"].into_iter(), ""), "");
    }
}
