//! Sets of words that the compiler lays out, so that a word is found without
//! going through a list: every run of every line is looked up in several.

/// Slots of a set: several times the words of the longest list.
const SLOTS: usize = 512;
/// An empty slot.
const NONE: u16 = u16::MAX;

/// The words of a text, blanks between them.
#[derive(Debug)]
pub(super) struct Words {
    list: &'static str,
    /// Where the word of a slot begins in the list.
    slots: [u16; SLOTS],
    longest: usize,
}

impl Words {
    /// Fails to compile where the list is too long for its slots.
    pub(super) const fn new(list: &'static str) -> Self {
        let bytes = list.as_bytes();
        let mut words = Self { list, slots: [NONE; SLOTS], longest: 0 };
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            let mut end = at;
            while end < bytes.len() && bytes[end] != b' ' {
                end += 1;
            }
            if end > at {
                let mut slot = slot(bytes, at, end);
                while words.slots[slot] != NONE {
                    slot = (slot + 1) % SLOTS;
                }
                assert!(at < NONE as usize, "the list is too long");
                #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                let begin = at as u16;
                words.slots[slot] = begin;
                words.longest = if end - at > words.longest { end - at } else { words.longest };
                count += 1;
                assert!(count * 2 <= SLOTS, "too many words");
            }
            at = end + 1;
        }
        words
    }

    pub(super) fn has(&self, word: &str) -> bool {
        if word.is_empty() || word.len() > self.longest {
            return false;
        }
        let list = self.list.as_bytes();
        let mut slot = slot(word.as_bytes(), 0, word.len());
        while self.slots[slot] != NONE {
            let rest = &list[usize::from(self.slots[slot])..];
            if rest.starts_with(word.as_bytes())
                && rest.get(word.len()).is_none_or(|it| *it == b' ')
            {
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        false
    }
}

const fn slot(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = from;
    while at < to {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_list_is_found_and_no_other() {
        const LIST: &str = "cat git [ [[ . :  Get-Content xz zx";
        static WORDS: Words = Words::new(LIST);
        for word in LIST.split(' ').filter(|it| !it.is_empty()) {
            assert!(WORDS.has(word), "{word}");
        }
        for word in ["", " ", "ca", "cat git", "at", "gi", "Get-Content ", "z", "Get-Contents"] {
            assert!(!WORDS.has(word), "{word}");
        }
        assert!(!Words::new("").has("a"));
    }
}
