//! Exchanges records between machines: pushes the notes of this one, and fetches those of the
//! others.

use std::{ffi::OsStr, path::Path, time::Instant};

use super::{
    Ledger,
    notes::{ATTEMPTS, Error, FETCHED, OWN, Result, lock, tip},
};
use crate::{
    core::bounded,
    world::{git, git::git_with},
};

impl Ledger {
    /// Pushes this machine's notes. Returns where to, or `None` if there are no notes yet.
    pub fn push(
        &self,
        remote: Option<&str>,
        env: &[(&str, &OsStr)],
        until: Instant,
    ) -> Result<Option<String>> {
        let root = self.work_tree().ok_or(Error::NoRepository)?;
        let remote = remote_or_default(&root, remote, until)?;
        let name = self.own_ref(until)?;
        if tip(&root, &name, until)?.is_none() {
            return Ok(None);
        }
        let (_, common) = git::git_dirs(&root).ok_or(Error::NoRepository)?;
        let (both, theirs) = (format!("{name}:{name}"), name.replacen("/roz/", "/roz-theirs/", 1));
        for _ in 0..ATTEMPTS {
            let pushed = git_with(&root, &["push", "--quiet", &remote, &both], env, until);
            let said = match pushed {
                Ok(_) => return Ok(Some(remote)),
                Err(git::Error::Git { said, .. })
                    if said.contains("(fetch first)") || said.contains("(non-fast-forward)") =>
                {
                    said
                }
                Err(err) => return Err(err.into()),
            };
            // Another clone on this machine has pushed its notes.
            let spec = format!("+{name}:{theirs}");
            let args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &remote, &spec];
            git_with(&root, &args, env, until)
                .map_err(|_| git::Error::Git { verb: "push".to_owned(), said })?;
            let _lock = lock(&common, until)?;
            let identity = ["-c", "user.name=roz", "-c", "user.email=roz@localhost"];
            let merge = ["merge", "--quiet", "-s", "cat_sort_uniq", &theirs];
            let args = [&identity[..], &["notes", "--ref", &name], &merge].concat();
            git_with(&root, &args, &[], until)?;
            git_with(&root, &["update-ref", "-d", &theirs], &[], until)?;
        }
        Err(Error::Overtaken)
    }

    /// Fetches the notes of all machines. Returns where from.
    pub fn pull(
        &self,
        remote: Option<&str>,
        env: &[(&str, &OsStr)],
        until: Instant,
    ) -> Result<String> {
        let root = self.work_tree().ok_or(Error::NoRepository)?;
        let remote = remote_or_default(&root, remote, until)?;
        // A URL cannot be part of a ref.
        let is_name = remotes(&root, until)?.contains(&remote);
        let folder = if is_name { &remote } else { &bounded::sha256(remote.as_bytes())[..16] };
        let spec = format!("+{OWN}*:{FETCHED}{folder}/*");
        let args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &remote, &spec];
        git_with(&root, &args, env, until)?;
        Ok(remote)
    }
}

fn remotes(root: &Path, until: Instant) -> Result<Vec<String>> {
    let all = git_with(root, &["remote"], &[], until)?;
    Ok(all.lines().map(str::to_owned).collect())
}

/// The named remote, else the default.
fn remote_or_default(root: &Path, named: Option<&str>, until: Instant) -> Result<String> {
    let found = named.map_or_else(|| default(root, until), |named| Ok(named.to_owned()))?;
    // A name that begins with a dash would be an option.
    if found.starts_with('-') { Err(Error::IsOption) } else { Ok(found) }
}

/// The remote of the branch, else `origin`, else the only one.
fn default(root: &Path, until: Instant) -> Result<String> {
    let all = remotes(root, until)?;
    let key = format!("branch.{}.remote", git::branch(root).unwrap_or_default());
    let of_branch = git_with(root, &["config", "--get", &key], &[], until).unwrap_or_default();
    let is_known = |name: &&str| all.iter().any(|remote| remote == name);
    let only = all.first().filter(|_| all.len() == 1).map(String::as_str);
    let found = [of_branch.trim(), "origin"].into_iter().find(is_known).or(only);
    found.map(str::to_owned).ok_or(Error::NoRemote)
}
