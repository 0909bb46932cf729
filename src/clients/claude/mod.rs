//! Claude Code: its events, its tools and the JSON in and out.

pub(crate) mod held_calls;
pub(crate) mod input;
mod tool_shapes;
pub(crate) mod wire;
