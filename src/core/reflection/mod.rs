//! The reflection gate: no ticket closes before what was learned is written
//! down, and what was learned comes back when it is relevant.

pub mod candidate;
pub mod duplicate;
pub mod judge;
pub mod learning;
pub mod retrieval;
pub mod specificity;
pub mod usage;
