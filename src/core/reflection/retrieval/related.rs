//! What developers call by other words: who reports that a line *vanished* may
//! be helped by what is known of lines that *disappear*.
//!
//! `related.txt` is a thesaurus of such work: a group a line, of stems as
//! [`super::words`] makes them. It was written down by area (symptoms and their
//! causes, networks, storage, interfaces, devices, money, health, games, …) from
//! what that work is about anywhere. A word may be in several groups; it means
//! about the same as the others of each, and nothing follows from one group to
//! the next. A related word is worth a part of the word that was used (see
//! [`super::wishes`]).

/// One text, so that a process that does not search pays nothing for it.
static GROUPS: &str = include_str!("related.txt");

/// The groups that one of `keys` is in. Walks through all of them once.
pub(super) fn groups_of(keys: &[&str]) -> Vec<&'static str> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    // Most words of a group are none of the keys, which this tells quickly.
    let mut may_be = [false; 1024];
    for key in keys {
        may_be[shape(key)] = true;
    }
    let is_key = |it: &str| may_be[shape(it)] && sorted.binary_search(&it).is_ok();
    GROUPS.lines().filter(|it| it.split(' ').any(is_key)).collect()
}

/// For each of `keys` the stems that mean about the same by these groups: the
/// place of the key, and the stem.
pub(super) fn related(keys: &[&str], groups: &[&'static str]) -> Vec<(usize, &'static str)> {
    let mut places: Vec<(&str, usize)> = keys.iter().copied().zip(0..).collect();
    places.sort_unstable();
    let mut found = Vec::new();
    for group in groups {
        for word in group.split(' ') {
            let Ok(at) = places.binary_search_by(|(key, _)| (*key).cmp(word)) else { continue };
            let Some((_, place)) = places.get(at) else { continue };
            let others = group.split(' ').filter(|it| *it != word);
            found.extend(others.map(|it| (*place, it)));
        }
    }
    found
}

/// The first letter, the last, and the length: below 1024.
fn shape(word: &str) -> usize {
    let bytes = word.as_bytes();
    let letter = |it: Option<&u8>| usize::from(it.copied().unwrap_or(0) & 31);
    (letter(bytes.first()) * 32 + letter(bytes.last()) + bytes.len() * 7) % 1024
}

#[cfg(test)]
mod tests {
    use super::{super::lists, *};

    #[test]
    fn a_word_is_related_to_the_others_of_its_groups_and_to_no_more() {
        let found = |key: &str| {
            let keys = ["nothing", key];
            let found = related(&keys, &groups_of(&keys));
            let mut all: Vec<&str> = found.iter().map(|it| it.1).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        assert!(found("vanish").contains(&"disappear"), "{:?}", found("vanish"));
        assert!(found("oom").contains(&"memori"), "{:?}", found("oom"));
        assert!(!found("vanish").contains(&"oom") && !found("vanish").contains(&"vanish"));
        assert_eq!(found("zyzzyva"), Vec::<&str>::new());
    }

    #[test]
    fn the_thesaurus_is_sorted_groups_of_stems() {
        let groups: Vec<&str> = GROUPS.lines().collect();
        assert!(groups.is_sorted_by(|a, b| a < b));
        for group in groups {
            let all: Vec<&str> = group.split(' ').collect();
            assert!(all.len() > 1, "{group}");
            for word in all {
                assert!(word.bytes().all(|it| it.is_ascii_alphanumeric()), "{group}");
                // Neither is ever looked up.
                assert_eq!(lists::canonical(word), None, "{group}");
                assert!(!lists::is_stop(word), "{group}");
            }
        }
    }
}
