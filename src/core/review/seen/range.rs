//! Lines of a file.

/// Lines from 1, first and last. `(n + 1, n)` is the place between lines `n` and `n + 1`.
pub(super) type Range = (u64, u64);
