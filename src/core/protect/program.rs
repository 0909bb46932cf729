//! The program of a run.

use crate::shell::{self, Run};

/// The base name of a program, however it is called.
pub(super) fn base(run: &Run) -> &str {
    shell::last_part(&run.program)
}
