//! The intent gate: an agent says which declared piece of work it is at before
//! it changes anything, and stays inside that work's scope.
//!
//! [`catalogue`] is what the project declares, [`scope`] decides about a
//! target, [`overlap`] finds what two scopes have in common, [`ignore`] reads
//! `.intentignore`. [`glob`] is the one matcher below them all. [`class`] says
//! what kind of thing a call does, [`state`] is the turn and its arrows.
//! [`selection`] says who may be selected, [`draft`] what may be declared,
//! [`briefing`] tells an agent of it, with the [`lessons`] of those before.

pub mod briefing;
pub mod catalogue;
pub mod class;
pub mod draft;
mod glob;
pub mod ignore;
pub mod lessons;
pub mod overlap;
pub mod scope;
pub mod selection;
pub mod state;
pub mod target;

#[cfg(test)]
mod tests;
