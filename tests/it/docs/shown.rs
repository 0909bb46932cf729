//! Whether what a page shows is what was printed. Where lines break does not
//! matter, nor do ids that the dice make; `…` stands for whatever it stands
//! for.

pub(super) fn is_same(page: &str, printed: &str) -> bool {
    let (page, printed) = (settled(page), settled(printed));
    let mut pieces = page.split('…').map(str::trim);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

/// The words, with one value for each id.
fn settled(text: &str) -> String {
    text.split_whitespace().map(settled_word).collect::<Vec<_>>().join(" ")
}

fn settled_word(word: &str) -> String {
    let mut res = String::new();
    for part in word.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let name = part.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let settled = match name {
            _ if name.starts_with("cl_") && name.len() == "cl_20260102_abc123".len() => "cl_ID",
            _ if res.ends_with('^') && name.len() == 6 => "ID",
            _ => name,
        };
        res += settled;
        res += &part[name.len()..];
    }
    res
}

#[test]
fn an_ellipsis_stands_for_whatever_it_stands_for() {
    assert!(is_same("a … c", "a b b\n c"));
    assert!(is_same("a b\n…", "a b\nc\nd"));
    assert!(is_same("… d", "a d b d"));
    assert!(is_same("a cut l…", "a cut line"));
    assert!(!is_same("a … c", "a b c d"));
    assert!(!is_same("a … x … c", "a b c"));
    assert!(!is_same("a", "a b"));
}

#[test]
fn ids_are_the_same_and_words_are_not() {
    assert!(is_same("cl_20260102_abc123 (x)", "cl_20260103_zzz999 (x)"));
    assert!(is_same("**A:** b ^64i55p", "**A:** b ^aaaaaa"));
    assert!(!is_same("64i55p", "aaaaaa"));
    assert!(!is_same("cl_20260102", "cl_20260103"));
}
