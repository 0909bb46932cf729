//! What has to be looked up about an event. Each gate adds its part; `hooks` looks it up and
//! returns [`Facts`](super::facts::Facts), without rules of its own.

use super::{
    event::Source, intent::needs::IntentNeeds, protect::ProtectNeeds,
    reflection::needs::ReflectionNeed, review::needs::ReviewNeed,
};

#[derive(Debug, Default, PartialEq)]
pub struct Needs {
    pub dirty: Option<Source>,
    /// `None` if no self-protection rule could object.
    pub protect: Option<ProtectNeeds>,
    pub intent: IntentNeeds,
    pub review: Vec<ReviewNeed>,
    pub reflection: Vec<ReflectionNeed>,
}
