//! The reflection gate: no ticket closes before what was learned is written
//! down, and what was learned comes back when it is relevant.

pub mod decay;
pub mod insight;
pub mod learning;
pub mod retrieval;
pub mod usage;
