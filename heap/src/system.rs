//! What is asked of the system by hand.

use std::ffi::CStr;

/// Whole pages, from the one that an address lies in: what is not there yet is brought in now.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for(from: *mut u8, length: usize) {
    use rustix::mm::{Advice, madvise};
    const PAGE: usize = 6;
    let page = value(PAGE);
    if page == 0 || length == 0 {
        return;
    }
    let inside = from.addr() % page;
    let (begin, length) = (from.wrapping_sub(inside), (inside + length).next_multiple_of(page));
    // SAFETY: no byte of any memory becomes another one by it. What is not there yet is there as if
    // somebody had come to it, and where there is nothing at all it is an error, which is no matter.
    let _ = unsafe { madvise(begin.cast(), length, Advice::LinuxPopulateWrite) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for(_: *mut u8, _: usize) {}

/// The name that this program was started with, if the system tells: a path, as whoever started it
/// had it. Of a script that names this program in its first line it is the script's.
#[must_use]
pub fn started_as() -> Option<&'static CStr> {
    const NAME: usize = 31;
    let name = value(NAME);
    // SAFETY: the system has put a text there, which ends with a zero and stays for as long as the
    // process does.
    (name != 0).then(|| unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(name)) })
}

/// One of the values that the system hands a program at its start; 0 for what it does not tell.
#[cfg(target_os = "linux")]
fn value(of: usize) -> usize {
    unsafe extern "C" {
        // A `long` is as wide as a pointer in each of the C libraries there.
        safe fn getauxval(of: usize) -> usize;
    }
    getauxval(of)
}

#[cfg(not(target_os = "linux"))]
fn value(_: usize) -> usize {
    0
}
