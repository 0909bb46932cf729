//! Records between machines: this one's notes are sent, those of the others fetched.

use std::{ffi::OsStr, path::Path, time::Instant};

use super::{
    Ledger,
    notes::{ATTEMPTS, Error, FETCHED, OWN, Result, lock, tip},
};
use crate::{
    core::bounded,
    world::{World, git, git::git_with},
};

impl Ledger {
    /// Sends this machine's notes. Answers where to.
    pub fn push(&self, remote: Option<&str>, vars: &Vars, until: Instant) -> Result<String> {
        let root = self.work_tree().ok_or(Error::NoRepository)?;
        let remote = remote_or_default(&root, remote, until)?;
        let name = self.own_ref(until)?;
        tip(&root, &name, until)?.ok_or(Error::Nothing)?;
        let (_, common) = git::git_dirs(&root).ok_or(Error::NoRepository)?;
        let (both, theirs) = (format!("{name}:{name}"), name.replacen("/roz/", "/roz-theirs/", 1));
        for _ in 0..ATTEMPTS {
            let pushed = git_with(&root, &["push", "--quiet", &remote, &both], &vars.env(), until);
            let said = match pushed {
                Ok(_) => return Ok(remote),
                Err(git::Error::Git { said, .. })
                    if said.contains("(fetch first)") || said.contains("(non-fast-forward)") =>
                {
                    said
                }
                Err(err) => return Err(err.into()),
            };
            // Another clone of this machine has sent its own.
            let spec = format!("+{name}:{theirs}");
            let args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &remote, &spec];
            git_with(&root, &args, &vars.env(), until)
                .map_err(|_| git::Error::Git { verb: "push".to_owned(), said })?;
            let _lock = lock(&common, until)?;
            let strategy = ["merge", "--quiet", "-s", "cat_sort_uniq", &theirs];
            let mut args = vec!["-c", "user.name=roz", "-c", "user.email=roz@localhost", "notes"];
            args.extend(["--ref", &name]);
            args.extend(strategy);
            git_with(&root, &args, &[], until)?;
            git_with(&root, &["update-ref", "-d", &theirs], &[], until)?;
        }
        Err(Error::Overtaken)
    }

    /// Fetches the notes of all machines. Answers where from.
    pub fn pull(&self, remote: Option<&str>, vars: &Vars, until: Instant) -> Result<String> {
        let root = self.work_tree().ok_or(Error::NoRepository)?;
        let remote = remote_or_default(&root, remote, until)?;
        let is_named = remotes(&root, until)?.contains(&remote);
        let folder = if is_named {
            remote.clone()
        } else {
            bounded::sha256(remote.as_bytes())[..16].to_owned()
        };
        let spec = format!("+{OWN}*:{FETCHED}{folder}/*");
        let args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &remote, &spec];
        git_with(&root, &args, &vars.env(), until)?;
        Ok(remote)
    }
}

/// The user's variables that say how git reaches a remote.
#[derive(Debug, Default)]
pub struct Vars(Vec<(&'static str, String)>);

impl Vars {
    pub fn of(world: &World) -> Self {
        let names = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS"];
        Self(
            names
                .into_iter()
                .filter_map(|name| Some((name, world.var(name)?.to_owned())))
                .collect(),
        )
    }

    fn env(&self) -> Vec<(&str, &OsStr)> {
        self.0.iter().map(|(name, value)| (*name, value.as_ref())).collect()
    }
}

fn remotes(root: &Path, until: Instant) -> Result<Vec<String>> {
    let all = git_with(root, &["remote"], &[], until)?;
    Ok(all.lines().map(str::to_owned).collect())
}

/// The one that is named, else that of the branch, else `origin`, else the only one.
fn remote_or_default(root: &Path, named: Option<&str>, until: Instant) -> Result<String> {
    if let Some(named) = named {
        // What begins with a dash would be an option.
        return Some(named)
            .filter(|remote| !remote.starts_with('-'))
            .map(str::to_owned)
            .ok_or(Error::NoRemote);
    }
    let all = remotes(root, until)?;
    let branch = git::branch(root).unwrap_or_default();
    let key = format!("branch.{branch}.remote");
    let of_branch = git_with(root, &["config", "--get", &key], &[], until).unwrap_or_default();
    let of_branch = of_branch.trim();
    let wanted = all.iter().find(|name| *name == of_branch);
    let wanted = wanted.or_else(|| all.iter().find(|name| *name == "origin"));
    let only = || all.first().filter(|_| all.len() == 1);
    wanted.or_else(only).cloned().ok_or(Error::NoRemote)
}
