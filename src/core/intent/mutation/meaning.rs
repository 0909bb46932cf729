//! The class of one file's change, with its evidence.

use super::evidence::{Evidence, Step};
use crate::{core::intent::ledger::MutationClass, outline::Unread};

/// `None`: there is no such file.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub path: &'a str,
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub class: MutationClass,
    pub evidence: Evidence,
}

impl Meaning {
    pub(super) fn of(step: Step) -> Self {
        let evidence = Evidence::default();
        let mut meaning = Self { class: MutationClass::AstRefactor, evidence };
        meaning.decide(step);
        meaning
    }

    pub(super) fn unread(why: Unread) -> Self {
        let mut meaning = Self::of(match why {
            Unread::NoGrammar => Step::NoGrammar,
            Unread::Binary => Step::Binary,
            Unread::TooLarge => Step::TooLarge,
            Unread::TooTangled => Step::TooTangled,
            Unread::Syntax => Step::SyntaxError,
        });
        meaning.evidence.why = Some(why.to_string());
        meaning
    }

    /// Sets the step and the class that follows from it.
    pub(super) fn decide(&mut self, step: Step) {
        let evidence = &mut self.evidence;
        evidence.step = step;
        evidence.proved = step.is_proof();
        let is_refactoring = match step {
            Step::SameSurface => true,
            Step::DeletedFile => evidence.net.public_names == 0,
            _ => evidence.proved,
        };
        self.class = if is_refactoring {
            MutationClass::AstRefactor
        } else {
            MutationClass::IntentEvolution
        };
    }
}
