//! The name of a run's program.

use crate::shell::{self, Run};

pub(super) fn base(run: &Run) -> &str {
    shell::last_part(&run.program)
}
