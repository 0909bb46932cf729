//! Records gated calls: denied, permitted, ended.

use chrono::{DateTime, Utc};

use super::{Approval, MAX_IDS, Reach, Review, keep_newest};
use crate::core::{
    event::STARTED,
    policy::{self, Policy, Scope},
    review::{
        decision::Decision,
        messages,
        phase::Phase,
        trigger::{Allow, GateTrigger, Opener},
        work::Work,
    },
};

impl Review {
    pub(in crate::core::review) fn triggered(&mut self, trigger: GateTrigger) {
        // Keeps the opener, so that a later call cannot change it.
        self.opener = Some(self.opener());
        self.gate_trigger = Some(trigger);
    }

    pub(in crate::core::review) fn was_denied(&self, call: Option<&str>) -> bool {
        call.is_some_and(|id| self.denied.iter().any(|denied| denied == id))
    }

    pub(in crate::core::review) fn denied(&mut self, call: Option<&str>) {
        self.denials = self.denials.saturating_add(1);
        self.denied.extend(call.map(str::to_owned));
        keep_newest(&mut self.denied, MAX_IDS);
    }

    pub(in crate::core::review) fn reach(
        &self,
        call: Option<&str>,
        work: &Work,
        policy: &Policy,
        now: DateTime<Utc>,
    ) -> Reach {
        const NOTHING: &str = "no reviewer has approved this work";
        let gates = &policy.review.gates;
        let is_new = |over: &str| Reach::Over(over.to_owned());
        if gates.approval_scope == Scope::Work {
            // An older document, without rows in a table.
            let is_without_tree =
                |approval: &Approval| approval.tree.is_none() && approval.rows.is_empty();
            match work {
                Work::Known(known) if known.approval.is_some() => return Reach::InScope,
                Work::Known(known) if !self.approval.as_ref().is_some_and(is_without_tree) => {
                    return Reach::Over(messages::why_new(known));
                }
                Work::Unknown(why) => return Reach::Unknown(why.clone()),
                // Covered until the next prompt, as without a repository.
                Work::Known(_) | Work::NoRepository | Work::NotAsked => (),
            }
        }
        let (Some(approval), Some(approved_at)) = (&self.approval, self.gate_approved_at) else {
            return is_new(NOTHING);
        };
        let call = self.belongs_to(call, approval.used_by.as_deref());
        // The same hook may be registered twice.
        let is_same_call = call.is_some() && approval.used_by.as_deref() == call;
        if approval.used && !is_same_call {
            return is_new("the approval was for one call, and that call has been made");
        }
        if approval.used_by.is_some() && !is_same_call {
            return is_new("the approval is for one call, and that call is being made");
        }
        if gates.approval_ttl_seconds.is_some_and(|ttl| policy::later(approved_at, ttl) < now) {
            return is_new("the approval has expired");
        }
        let same_prompt = match (&approval.prompt_id, &self.last_prompt_id) {
            (Some(then), Some(now)) => then == now,
            _ => self.last_prompt_at.is_none_or(|at| at <= approved_at),
        };
        match gates.approval_scope {
            Scope::Work | Scope::Prompt if !same_prompt && !approval.survives_prompt => {
                is_new("the user has sent another prompt since the approval")
            }
            Scope::Work | Scope::Prompt | Scope::Session | Scope::Tool => Reach::InScope,
        }
    }

    /// A gated call uses an approval. With scope `work` it may come from another session; then this
    /// session's work counts as approved, too.
    pub(in crate::core::review) fn served(
        &mut self,
        call: Option<&str>,
        scope: Scope,
        work: &Work,
    ) {
        self.running.extend(call.map(str::to_owned));
        keep_newest(&mut self.running, MAX_IDS);
        if scope == Scope::Tool
            && let Some(approval) = &mut self.approval
        {
            match call {
                // The program belongs to the call that uses the approval.
                Some(STARTED) if approval.used_by.is_some() => (),
                Some(call) => approval.used_by = Some(call.to_owned()),
                None => approval.used = true,
            }
        }
        if scope == Scope::Work
            && self.phase() == Phase::Idle
            && let Some(serving) = work.known().and_then(|known| known.approval.as_ref())
        {
            self.enabled = true;
            self.opener = Some(Opener::Gate);
            self.breaker.reset();
            self.decision =
                Decision::Complete { summary: serving.summary.clone(), second_opinions: None };
        }
    }

    pub(in crate::core::review) fn allowed(&mut self, call: Option<&str>) {
        self.running.extend(call.map(str::to_owned));
        keep_newest(&mut self.running, MAX_IDS);
        match (call, &mut self.allow) {
            (Some(STARTED), Some(allow)) if allow.call.is_some() => (),
            (Some(call), Some(allow)) => allow.call = Some(call.to_owned()),
            (None, _) => self.allow = None,
            (Some(_), None) => (),
        }
    }

    pub(in crate::core::review) fn is_running(&self, call: Option<&str>) -> bool {
        call.is_some_and(|call| self.running.iter().any(|running| running == call))
    }

    pub(in crate::core::review) fn is_allowed(
        &self,
        pattern: &str,
        call: Option<&str>,
        now: DateTime<Utc>,
    ) -> bool {
        self.allow.as_ref().is_some_and(|allow| {
            allow.covers(pattern, self.belongs_to(call, allow.call.as_deref()), now)
        })
    }

    /// A program that starts while a call uses the approval is taken to belong to that call.
    fn belongs_to<'a>(&self, call: Option<&'a str>, used_by: Option<&'a str>) -> Option<&'a str> {
        used_by.filter(|_| call == Some(STARTED)).filter(|id| self.is_running(Some(id))).or(call)
    }

    /// Permits one gated call, with the pattern of the waiting call if there is one.
    pub(in crate::core::review) fn allow_once(&mut self, now: DateTime<Utc>) -> Option<&str> {
        let waits = self.phase().is_open();
        let pattern = self.gate_trigger.as_ref().filter(|_| waits);
        let pattern = pattern.map(|trigger| trigger.pattern_matched.clone());
        let allow = self.allow.insert(Allow { pattern, at: now, prompts: 0, call: None });
        allow.pattern.as_deref()
    }

    /// Returns whether the call was known.
    pub(in crate::core::review) fn ended(&mut self, call: &str, succeeded: bool) -> bool {
        let before = self.running.len();
        self.running.retain(|running| running != call);
        let is_calls = |used_by: &Option<String>| used_by.as_deref() == Some(call);
        if let Some(approval) =
            self.approval.as_mut().filter(|approval| is_calls(&approval.used_by))
        {
            approval.used = succeeded;
            // Later programs belong to other calls.
            if call == STARTED {
                approval.used_by = None;
            }
            if succeeded {
                self.enabled = false;
                self.decision = Decision::Pending;
                self.gate_trigger = None;
            } else {
                approval.used_by = None;
            }
        }
        if let Some(allow) = self.allow.as_mut().filter(|allow| is_calls(&allow.call)) {
            allow.call = None;
            if succeeded {
                self.allow = None;
            }
        }
        self.running.len() < before
    }
}
