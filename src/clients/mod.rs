//! Everything that differs between the agents that roz serves. Pure: bytes become an event of the
//! core, an answer becomes bytes.

pub(crate) mod claude;
