//! What several backends' tests need.

use std::time::Duration;

/// Enough for a machine that does other things too.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
