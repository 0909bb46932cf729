//! What has to be looked up about an event. Each gate says so in a part of its own; `hooks` looks it
//! up and hands it over as [`Facts`](super::facts::Facts), without a rule of its own.

use super::{
    event::Source, intent::needs::IntentNeeds, protect::ProtectNeeds,
    reflection::needs::ReflectionNeed, review::needs::ReviewNeed,
};

#[derive(Debug, Default, PartialEq)]
pub struct Needs {
    /// The files that are dirty as a session begins, and how it does.
    pub dirty: Option<Source>,
    /// None where no rule of self-protection could object.
    pub protect: Option<ProtectNeeds>,
    pub intent: IntentNeeds,
    pub review: Vec<ReviewNeed>,
    pub reflection: Vec<ReflectionNeed>,
}
