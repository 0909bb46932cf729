//! What doctor looks at, a row a check: the one list of them.

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    House,
    Learning,
    Intent,
    Client,
    Fired,
    Shims,
    Canary,
}

/// A check: its name, who makes it, and what it is about.
pub(super) type Row = (&'static str, Looks, &'static str);

pub(super) const CHECKS: &[Row] = {
    use Looks::{Canary, Client, Fired, House, Intent, Learning, Shims};
    &[
        ("binary", House, "this binary lies where it will stay"),
        ("home", House, "roz's home can be written, and only by its user be read"),
        ("sessions", House, "no session had to be put aside because it could not be read"),
        ("crashes", House, "no hook of roz's has crashed"),
        ("tools", House, "roz knows what each tool does that was called"),
        ("configuration", House, "each key of the configuration is understood"),
        ("own files", House, "no call has made roz's own files protect less"),
        ("review gate", House, "the configuration does not switch the review gate off"),
        ("self-protection", House, "the configuration does not let agents reach for roz"),
        ("breaker", House, "stops are held, and not so often that the client lets them pass"),
        ("deadline", House, "hooks have the time that they need"),
        ("write gate", House, "what is learned is looked at before it is kept"),
        ("git", House, "git is there for a project of git's"),
        ("reflection gate", Learning, "whether this project is asked what was learned"),
        ("learnings", Learning, "each learning can be read"),
        ("backends", Learning, "each place of learnings answers"),
        ("stats.log", Learning, "each line of the log of their use can be read"),
        ("merging", Learning, "git joins the learnings of two branches"),
        ("intent gate", Intent, "whether agents are kept to the work that this project declares"),
        ("ledger", Intent, "the record of what was changed is as it was written"),
        ("PATH", Client, "reviewers run this binary when they say `roz`"),
        ("client", Client, "the client knows each event that roz waits for"),
        ("client settings", Client, "the client can read its settings"),
        ("hooks", Client, "the client has roz's hooks"),
        ("plugin folder", Client, "the hooks that the client has run this binary"),
        ("registered once", Client, "no hook runs twice"),
        ("hooks allowed", Client, "no setting switches the client's hooks off"),
        ("reviewer", Client, "no other agent bears the reviewer's name"),
        ("permissions", Client, "a reviewer may decide where nobody can be asked"),
        ("fired", Fired, "the hooks ran in the sessions that the client kept a record of"),
        ("shims", Shims, "a gated program is judged when it starts, whatever starts it"),
        ("canary", Canary, "a session played through real `roz hook` processes goes as it should"),
    ]
};
