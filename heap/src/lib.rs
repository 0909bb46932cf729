//! The memory of a process that ends soon, and what else of it needs unsafe code.
//!
//! A hook takes some thousand small blocks and is gone a third of a millisecond later. An allocator
//! that keeps memory together over days (looks for the block that fits best, splits it, joins what
//! is given back with its neighbours) spends a fifth of all that a hook does on it. This one cuts
//! blocks off a chunk, one behind the other, and keeps what is given back in a list for each size:
//! to take and to give is a dozen instructions. The first chunk is a part of the program, so that
//! the system is asked for nothing; the next ones, and what is larger than [`LARGEST`], are the
//! system's.
//!
//! The price: a block is taken again for its own size alone, and what is left at the end of a chunk
//! is left. So what lives long (`roz mcp`) holds for each size as much as it ever needed of it at
//! once.
//!
//! A page costs more to come by than most of what is done in it, so a program may ask at once for
//! those that it is sure to use: [`ask_ahead`].
//!
//! This crate is the only one with unsafe code, and is small so that it can be read for that. Each
//! block here belongs to the pool, to a list of it, or to whoever took it, and never to two of them.

mod system;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::UnsafeCell,
    hint,
    mem::MaybeUninit,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
};

pub use system::started_as;

/// What blocks are a multiple of, and where they begin, in bytes.
const GRAIN: usize = 16;
/// Up to this size there is a class for each multiple of [`GRAIN`].
const FINE: usize = 1024;
const FINE_CLASSES: usize = FINE / GRAIN + 1;
/// Larger blocks are the system's, in bytes. Up to here there is a class for each power of two.
pub const LARGEST: usize = 256 * 1024;
const CLASSES: usize = FINE_CLASSES + (LARGEST / FINE).trailing_zeros() as usize;
/// The first chunk, in bytes: ten times what a hook uses. What is not touched is no memory.
const FIRST: usize = 512 * 1024;
/// The others. Below the 2 MiB that a system may hand out as one page, and fill with zeros first.
const CHUNK: usize = 1024 * 1024;

/// An allocator: `#[global_allocator] static HEAP: Heap = Heap;`. There is one heap, whatever its
/// name, and it stays where it is: blocks are known by their address.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heap;

static THE: Shared = Shared {
    is_busy: AtomicBool::new(false),
    pool: UnsafeCell::new(Pool {
        begin: ptr::null_mut(),
        next: ptr::null_mut(),
        left: 0,
        has_begun: false,
        free: [ptr::null_mut(); CLASSES],
    }),
    first: UnsafeCell::new(First(MaybeUninit::uninit())),
};

/// In this order: what is always used lies on the page of the first blocks.
#[repr(C)]
struct Shared {
    /// Held while the pool is looked at.
    is_busy: AtomicBool,
    pool: UnsafeCell<Pool>,
    /// The first chunk. Beside the pool and not in it: who holds a block of it holds it while others
    /// look at the pool.
    first: UnsafeCell<First>,
}

struct Pool {
    /// Where the chunk begins, where the next block is cut off, and how many bytes there are from
    /// there on. Longer blocks than [`FINE`] are cut off their end: buffers, of which little is used
    /// mostly, lie apart from what is used.
    begin: *mut u8,
    next: *mut u8,
    left: usize,
    /// Whether the first chunk is in use.
    has_begun: bool,
    /// By class: what was given back.
    free: [*mut Free; CLASSES],
}

/// A block that nobody has.
struct Free {
    next: *mut Free,
}

/// Aligned as blocks are.
#[repr(align(16))]
struct First(#[expect(dead_code, reason = "it is memory")] MaybeUninit<[u8; FIRST]>);

// SAFETY: the pool is reached through `with` alone, by one thread at a time, and the first chunk
// through the blocks that the pool gives out.
unsafe impl Sync for Shared {}

impl Shared {
    /// Whoever comes second waits. It is a dozen instructions, but for once in a chunk.
    #[inline]
    fn with<T>(&self, act: impl FnOnce(&mut Pool, *mut u8) -> T) -> T {
        while self
            .is_busy
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            hint::spin_loop();
        }
        // SAFETY: the flag was ours to raise, so no other thread is in here; and `act` asks for no
        // memory of this heap, so this thread is not in here twice.
        let done = act(unsafe { &mut *self.pool.get() }, self.first.get().cast());
        self.is_busy.store(false, Ordering::Release);
        done
    }
}

/// Asks the system for pages of the heap and of this thread's stack before they are used, if it is
/// one that takes such a wish: one question in the place of a fault for each. It pays by little, and
/// only where nearly all of them are used. In bytes, and no more than 64 KiB of either. For the main
/// thread: below the stack of another one lies what is somebody else's.
#[inline]
pub fn ask_ahead(heap: usize, stack: usize) {
    const MOST: usize = 64 * 1024;
    let (next, left) = THE.with(Pool::room);
    system::ask_for(next, heap.min(left).min(MOST));
    // The stack grows downward from here, within what the system has set apart for it.
    let here = 0_u8;
    let stack = stack.min(MOST);
    system::ask_for(ptr::from_ref(&here).cast_mut().wrapping_sub(stack), stack);
}

/// The class of a block; none: it is the system's.
#[inline]
fn class(size: usize, align: usize) -> Option<usize> {
    if align > GRAIN || size > LARGEST {
        return None;
    }
    if size <= FINE {
        return Some(size.div_ceil(GRAIN));
    }
    Some(FINE_CLASSES + ((size - 1) / FINE).ilog2() as usize)
}

/// How long the blocks of a class are, in bytes.
#[inline]
fn length(class: usize) -> usize {
    match class.checked_sub(FINE_CLASSES) {
        None => class * GRAIN,
        Some(power) => FINE << (power + 1),
    }
}

impl Pool {
    /// A block of a class; null, where the system has no more.
    #[inline]
    fn take(&mut self, class: usize, first: *mut u8) -> *mut u8 {
        let block = self.free[class];
        if !block.is_null() {
            // SAFETY: what stands in a list is a block that nobody else has, and begins with a `Free`.
            self.free[class] = unsafe { (*block).next };
            return block.cast();
        }
        let length = length(class);
        if self.left < length && !self.refill(first) {
            return ptr::null_mut();
        }
        self.left -= length;
        if class >= FINE_CLASSES {
            // SAFETY: there are so many bytes of the chunk, and behind them a block that is not more
            // than there was.
            return unsafe { self.next.add(self.left) };
        }
        let block = self.next;
        // SAFETY: the chunk has at least these bytes more.
        self.next = unsafe { block.add(length) };
        block
    }

    /// Puts a block into its list.
    ///
    /// # Safety
    ///
    /// The block was taken for this class, and whoever had it is done with it.
    #[inline]
    #[expect(clippy::cast_ptr_alignment, reason = "blocks begin at a multiple of GRAIN")]
    unsafe fn give(&mut self, block: *mut u8, class: usize) {
        let free = block.cast::<Free>();
        // SAFETY: a block is as long as a `Free` at least, lies as it has to, and is ours again.
        unsafe { free.write(Free { next: self.free[class] }) };
        self.free[class] = free;
    }

    /// Whether the last short block that was cut off could be made longer (or shorter) where it lies:
    /// what grows, grows at the end mostly. Not where a block of that length has been given back: who
    /// makes a long block and shortens it, over and over, would never take one again.
    ///
    /// # Safety
    ///
    /// The block was taken for the class `from`.
    #[inline]
    unsafe fn resize(&mut self, block: *mut u8, from: usize, to: usize) -> bool {
        if from >= FINE_CLASSES || to >= FINE_CLASSES {
            return false;
        }
        let (old, new) = (length(from), length(to));
        // SAFETY: the block is as long as that, and a chunk's end is no further than one past it.
        let end = unsafe { block.add(old) };
        // Where nothing has been cut off this chunk, what ends there is another's.
        if end != self.next
            || self.next == self.begin
            || self.left + old < new
            || !self.free[to].is_null()
        {
            return false;
        }
        // SAFETY: there are `left` bytes behind the block, and with it they are enough.
        self.next = unsafe { block.add(new) };
        self.left = self.left + old - new;
        true
    }

    /// Where the next blocks will be, and how much room there is for them.
    fn room(&mut self, first: *mut u8) -> (*mut u8, usize) {
        if !self.has_begun {
            self.refill(first);
        }
        (self.next, self.left)
    }

    /// The next chunk. What is left of the one before was too short, and is left.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, first: *mut u8) -> bool {
        if !self.has_begun {
            self.has_begun = true;
            (self.begin, self.next, self.left) = (first, first, FIRST);
            return true;
        }
        // SAFETY: the layout has a size.
        let chunk = unsafe { System.alloc(CHUNK_LAYOUT) };
        if chunk.is_null() {
            return false;
        }
        (self.begin, self.next, self.left) = (chunk, chunk, CHUNK);
        true
    }
}

const CHUNK_LAYOUT: Layout = match Layout::from_size_align(CHUNK, GRAIN) {
    Ok(layout) => layout,
    Err(_) => panic!("a chunk is no layout"),
};

// SAFETY: a block that is handed out is long enough and begins at a multiple of `GRAIN` (chunks do,
// and all lengths are such multiples); nobody else has it, for it comes out of a list or off a
// chunk; and by its layout it goes back to where it came from.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class(layout.size(), layout.align()) {
            Some(class) => THE.with(|it, first| it.take(class, first)),
            // SAFETY: as the caller says of the layout.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class(layout.size(), layout.align()) {
            // SAFETY: the caller had the block from `alloc` with this layout, so for this class.
            Some(class) => THE.with(|it, _| unsafe { it.give(block, class) }),
            // SAFETY: and else from the system.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class(layout.size(), layout.align()).is_none() {
            // SAFETY: as the caller says of the layout. The system has zeros without writing them.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: as the caller says of the layout.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: it is as long as that.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (from, to) = (class(layout.size(), layout.align()), class(size, layout.align()));
        if from.is_none() && to.is_none() {
            // SAFETY: it is the system's, and stays so.
            return unsafe { System.realloc(block, layout, size) };
        }
        if let (Some(from), Some(to)) = (from, to)
            // SAFETY: the caller had the block with this layout, so for this class.
            && (from == to || THE.with(|it, _| unsafe { it.resize(block, from, to) }))
        {
            return block;
        }
        // SAFETY: the caller says that the size is one for this alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: it is not zero, says the caller.
        let moved = unsafe { self.alloc(new) };
        if !moved.is_null() {
            // SAFETY: both are as long as the shorter of the two, and they are two blocks.
            unsafe { ptr::copy_nonoverlapping(block, moved, layout.size().min(size)) };
            // SAFETY: as the caller says; it was copied, and nobody has it any more.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_the_shortest_that_holds_the_size() {
        for size in 1..=LARGEST {
            let it = class(size, 8).expect("a class");
            assert!(it < CLASSES && length(it) >= size, "{size} in {it}");
            assert!(it == 1 || length(it - 1) < size, "{size} in {it}");
            assert_eq!(length(it) % GRAIN, 0);
        }
        assert_eq!(class(LARGEST, GRAIN), Some(CLASSES - 1));
        assert_eq!(class(LARGEST + 1, 1), None);
        assert_eq!(class(1, 2 * GRAIN), None);
    }
}
