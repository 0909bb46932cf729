//! The states of a review.

/// Computed from the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase<'a> {
    Idle,
    Pending,
    Reviewing,
    Issues { summary: &'a str, message: &'a str },
    Approved,
}

impl Phase<'_> {
    /// For tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Idle => "idle",
            Phase::Pending => "pending",
            Phase::Reviewing => "reviewing",
            Phase::Issues { .. } => "issues",
            Phase::Approved => "approved",
        }
    }

    pub fn is_open(self) -> bool {
        !matches!(self, Phase::Idle | Phase::Approved)
    }
}
