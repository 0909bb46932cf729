//! Finds the rows for a name without searching the table. The index is built at compile time, so it
//! costs nothing at start.

/// Buckets; a power of two, and more than any table has names: most chains have one entry.
pub(in crate::shell) const BUCKETS: usize = 1024;

/// The end of a chain.
pub(in crate::shell) const END: u16 = u16::MAX;

/// For each bucket the first of its entries, and for each entry its row and the next entry.
#[derive(Debug)]
pub(in crate::shell) struct Index<const N: usize> {
    pub(in crate::shell) heads: [u16; BUCKETS],
    pub(in crate::shell) entries: [(u16, u16); N],
}

/// The bucket of the name in `names[from..to]`.
pub(in crate::shell) const fn bucket(names: &[u8], from: usize, to: usize) -> usize {
    let mut hash = to - from;
    let mut at = 0;
    // The first and last few letters distinguish names well enough.
    while at < to - from && at < 4 {
        hash = hash.wrapping_mul(31) ^ names[from + at] as usize;
        hash = hash.wrapping_mul(31) ^ names[to - 1 - at] as usize;
        at += 1;
    }
    (hash ^ (hash >> 8)) % BUCKETS
}

/// Where the next word from `from` on begins.
pub(in crate::shell) const fn word(names: &[u8], mut from: usize) -> usize {
    while from < names.len() && names[from] == b' ' {
        from += 1;
    }
    from
}

pub(in crate::shell) const fn end(names: &[u8], mut from: usize) -> usize {
    while from < names.len() && names[from] != b' ' {
        from += 1;
    }
    from
}

impl<const N: usize> Index<N> {
    /// The positions of the rows that may have this name, in order and without duplicates.
    pub(in crate::shell) fn rows(&self, name: &str) -> impl Iterator<Item = usize> {
        let first = self.heads[bucket(name.as_bytes(), 0, name.len())];
        let next = |entry: &u16| {
            let next = self.entries[usize::from(*entry)].1;
            (next != END).then_some(next)
        };
        let chain = std::iter::successors((first != END).then_some(first), next);
        let mut last = usize::MAX;
        chain.filter_map(move |entry| {
            let row = usize::from(self.entries[usize::from(entry)].0);
            (std::mem::replace(&mut last, row) != row).then_some(row)
        })
    }
}

/// The index of a table whose rows have `names`, separated by blanks.
macro_rules! index {
    ($table:ident) => {{
        use $crate::shell::table::index::{BUCKETS, END, Index, bucket, end, word};
        const COUNT: usize = {
            let (mut count, mut row) = (0, 0);
            while row < $table.len() {
                let names = $table[row].names.as_bytes();
                let mut at = word(names, 0);
                while at < names.len() {
                    count += 1;
                    at = word(names, end(names, at));
                }
                row += 1;
            }
            count
        };
        #[expect(clippy::cast_possible_truncation, reason = "tables are far shorter than 65,535")]
        const BUILT: Index<COUNT> = {
            let mut heads = [END; BUCKETS];
            let mut entries = [(0_u16, END); COUNT];
            // Backwards, so that each chain begins with the first row.
            let (mut row, mut entry) = ($table.len(), 0);
            while row > 0 {
                row -= 1;
                let names = $table[row].names.as_bytes();
                let mut at = word(names, 0);
                while at < names.len() {
                    let place = bucket(names, at, end(names, at));
                    entries[entry] = (row as u16, heads[place]);
                    heads[place] = entry as u16;
                    entry += 1;
                    at = word(names, end(names, at));
                }
            }
            Index { heads, entries }
        };
        static INDEX: Index<COUNT> = BUILT;
        &INDEX
    }};
}

pub(in crate::shell) use index;
