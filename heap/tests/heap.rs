//! What a heap promises: blocks are as long and lie as they were asked for, keep what is written to
//! them whatever else is done, and are taken again.

use std::{
    alloc::{GlobalAlloc as _, Layout},
    collections::BTreeSet,
    ptr, slice, thread,
};

use proptest::prelude::*;
use roz_heap::{Heap, LARGEST, ask_ahead, started_as};

/// A block, with the byte that all of it is filled with.
struct Block {
    at: *mut u8,
    layout: Layout,
    filled: u8,
}

impl Block {
    fn take(heap: Heap, layout: Layout, filled: u8, is_zeroed: bool) -> Self {
        let take = if is_zeroed { Heap::alloc_zeroed } else { Heap::alloc };
        // SAFETY: no layout here is of size zero.
        let at = unsafe { take(&heap, layout) };
        assert!(!at.is_null() && at.addr().is_multiple_of(layout.align()));
        let mut it = Self { at, layout, filled: 0 };
        assert!(!is_zeroed || it.bytes().iter().all(|it| *it == 0));
        it.fill(filled);
        it
    }

    fn fill(&mut self, byte: u8) {
        // SAFETY: the block is as long as that.
        unsafe { ptr::write_bytes(self.at, byte, self.layout.size()) };
        self.filled = byte;
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the block is as long as that, and was written to.
        unsafe { slice::from_raw_parts(self.at, self.layout.size()) }
    }

    fn resize(&mut self, heap: Heap, size: usize) {
        let kept = self.layout.size().min(size);
        // SAFETY: the block is this heap's, by this layout.
        self.at = unsafe { heap.realloc(self.at, self.layout, size) };
        assert!(!self.at.is_null() && self.at.addr().is_multiple_of(self.layout.align()));
        self.layout = layout(size, self.layout.align());
        // SAFETY: so many bytes were written before.
        let before = unsafe { slice::from_raw_parts(self.at, kept) };
        assert!(before.iter().all(|it| *it == self.filled));
        self.fill(self.filled);
    }

    fn give(self, heap: Heap) {
        assert!(
            self.bytes().iter().all(|it| *it == self.filled),
            "somebody else has written to it"
        );
        // SAFETY: the block is this heap's, by this layout, and is not used any more.
        unsafe { heap.dealloc(self.at, self.layout) };
    }
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a layout")
}

#[derive(Debug, Clone)]
enum Act {
    Take { size: usize, align: usize, is_zeroed: bool },
    Resize { which: usize, size: usize },
    Give { which: usize },
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![
        8 => 1..200_usize,
        3 => 200..3000_usize,
        1 => prop::sample::select(vec![1008, 1009, 1023, 1024, 1025, 2048, 2049, LARGEST, LARGEST + 1, 70_000]),
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    let aligns = prop::sample::select(vec![1, 2, 8, 16, 32, 4096]);
    prop_oneof![
        4 => (sizes(), aligns, any::<bool>())
            .prop_map(|(size, align, is_zeroed)| Act::Take { size, align, is_zeroed }),
        3 => (any::<usize>(), sizes()).prop_map(|(which, size)| Act::Resize { which, size }),
        3 => any::<usize>().prop_map(|which| Act::Give { which }),
    ]
}

fn play(heap: Heap, acts: Vec<Act>) {
    let mut all: Vec<Block> = Vec::new();
    for (number, act) in acts.into_iter().enumerate() {
        let filled = u8::try_from(number % 255).expect("a byte") + 1;
        match act {
            Act::Take { size, align, is_zeroed } => {
                all.push(Block::take(heap, layout(size, align), filled, is_zeroed));
            }
            Act::Resize { which, size } if !all.is_empty() => {
                let at = which % all.len();
                all[at].resize(heap, size);
            }
            Act::Give { which } if !all.is_empty() => {
                let at = which % all.len();
                all.swap_remove(at).give(heap);
            }
            Act::Resize { .. } | Act::Give { .. } => (),
        }
    }
    for it in all {
        it.give(heap);
    }
}

fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 4 } else { 200 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

const MOST_ACTS: usize = if cfg!(miri) { 60 } else { 600 };

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_block_keeps_what_is_written_to_it(acts in prop::collection::vec(acts(), 1..MOST_ACTS)) {
        play(Heap, acts);
    }
}

#[test]
fn threads_do_not_get_the_same_block() {
    let rounds = if cfg!(miri) { 20 } else { 5_000 };
    thread::scope(|scope| {
        for number in 1..=4_u8 {
            scope.spawn(move || {
                for round in 0..rounds {
                    let size = 1 + (round * 37) % 900;
                    let mut one = Block::take(Heap, layout(size, 8), number, false);
                    let other = Block::take(Heap, layout(size, 8), number, false);
                    one.resize(Heap, size * 2);
                    other.give(Heap);
                    one.give(Heap);
                }
            });
        }
    });
}

#[test]
fn what_is_given_back_is_taken_again() {
    let rounds = if cfg!(miri) { 100 } else { 100_000 };
    let mut seen = BTreeSet::new();
    for round in 0..rounds {
        // Grown and shrunk on its way, as a text that is put together and then kept.
        let mut it = Block::take(Heap, layout(16, 1), 1, false);
        let beside = Block::take(Heap, layout(48, 8), 2, false);
        it.resize(Heap, 4000);
        it.resize(Heap, 1 + round % 60);
        seen.extend([it.at.addr(), beside.at.addr()]);
        beside.give(Heap);
        it.give(Heap);
    }
    // Others take and give beside this one.
    assert!(seen.len() < 1000, "{} places for two blocks", seen.len());
}

#[test]
fn there_is_more_than_the_first_chunk() {
    let count = if cfg!(miri) { 18 } else { 400 };
    let all: Vec<Block> =
        (0..count).map(|_| Block::take(Heap, layout(LARGEST, 16), 7, false)).collect();
    for it in all {
        it.give(Heap);
    }
}

#[test]
#[cfg_attr(miri, ignore = "it asks the system")]
fn what_was_asked_for_ahead_is_as_any_other() {
    let before = Block::take(Heap, layout(100, 8), 3, false);
    ask_ahead(32 * 1024, 32 * 1024);
    // More than there is.
    ask_ahead(usize::MAX / 4, 1 << 40);
    let after = Block::take(Heap, layout(100, 8), 4, true);
    before.give(Heap);
    after.give(Heap);
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "it asks the system")]
fn the_system_tells_what_the_program_was_started_as() {
    let name = started_as().and_then(|it| it.to_str().ok()).expect("a name");
    let file = std::path::Path::new(name).canonicalize().expect("a file");
    assert_eq!(Some(file), std::env::current_exe().ok());
}
