//! The intent gate: which declared piece of work an agent is at, and what of
//! the project is that work's.
//!
//! [`catalogue`] is what the project declares, [`scope`] decides about a
//! target, [`overlap`] finds what two scopes have in common, [`ignore`] reads
//! `.intentignore`. [`glob`] is the one matcher below them all.

pub mod catalogue;
mod glob;
pub mod ignore;
pub mod overlap;
pub mod scope;
pub mod target;

#[cfg(test)]
mod tests;
