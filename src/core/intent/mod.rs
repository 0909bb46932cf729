//! The intent gate: an agent says which declared piece of work it is at before
//! it changes anything, and stays inside that work's scope.
//!
//! [`catalogue`] is what the project declares, [`scope`] decides about a
//! target, [`overlap`] finds what two scopes have in common, [`ignore`] reads
//! `.intentignore`. [`glob`] is the one matcher below them all. [`class`] says
//! what kind of thing a call does, [`state`] is the turn and its arrows.

pub mod catalogue;
pub mod class;
mod glob;
pub mod ignore;
pub mod overlap;
pub mod scope;
pub mod state;
pub mod target;

#[cfg(test)]
mod tests;
