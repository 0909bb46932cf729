//! The intent gate: an agent says which declared piece of work it is at before
//! it changes anything, and stays inside that work's scope.

pub mod class;
pub mod state;
