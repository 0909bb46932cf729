//! What git's own commands write of git's configuration and hooks: `.git/` is in
//! nobody's scope, and a setting that names a program to run is a way around
//! every gate. Who works (`user.name`), colours and remotes are free.

use std::collections::BTreeSet;

use crate::{
    core::git_config,
    shell::{HOLE, Run},
};

/// Settings that run something, or say where what is run is read from, in lower
/// case; `*` is any name.
const RUN: &[&str] = &[
    "alias.*",
    "browser.*.cmd",
    "browser.*.path",
    "core.alternaterefscommand",
    "core.askpass",
    "core.attributesfile",
    "core.editor",
    "core.excludesfile",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "core.worktree",
    "credential.*.helper",
    "credential.helper",
    "diff.*.command",
    "diff.*.textconv",
    "diff.external",
    "difftool.*.cmd",
    "difftool.*.path",
    "extensions.*",
    "filter.*.clean",
    "filter.*.process",
    "filter.*.smudge",
    "gc.recentobjectshook",
    "gpg.*.program",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "guitool.*.cmd",
    "hook.*.command",
    "imap.tunnel",
    "include.path",
    "includeif.*.path",
    "init.templatedir",
    "interactive.difffilter",
    "man.*.cmd",
    "man.*.path",
    "merge.*.driver",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "pager.*",
    "protocol.*.allow",
    "receive.procreceiverefs",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "remote.*.vcs",
    "sendemail.*cmd",
    "sendemail.smtpserver",
    "sequence.editor",
    "ssh.variant",
    "submodule.*.update",
    "tar.*.command",
    "trailer.*.cmd",
    "trailer.*.command",
    "uploadpack.packobjectshook",
    "web.browser",
];

/// The files that a command writes of git's own, seen from where it runs.
pub fn written(run: &Run) -> Vec<String> {
    let words = run.words();
    match words.as_slice() {
        ["git", "config", rest @ ..] => config(run, rest).into_iter().collect(),
        ["git", "lfs", "install", ..]
        | ["pre-commit" | "lefthook" | "husky", "install", ..]
        | ["husky", "init" | "add" | "set", ..] => vec![here(run, ".git/hooks")],
        _ => Vec::new(),
    }
}

fn config(run: &Run, words: &[&str]) -> Option<String> {
    const VALUED: &[&str] = &["--type", "--default", "--comment", "--value", "--url"];
    const READS: &[&str] = &[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--get-color",
        "--get-colorbool",
        "--list",
        "-l",
    ];
    let mut operands: Vec<&str> = Vec::new();
    let mut file = None;
    let (mut changes, mut edits) = (false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            it if READS.contains(&it) => return None,
            "-f" | "--file" | "--blob" => file = words.next().map(|it| (*it).to_owned()),
            "--global" => file = Some("~/.gitconfig".to_owned()),
            "--system" => file = Some("/etc/gitconfig".to_owned()),
            "-e" | "--edit" => edits = true,
            "--add" | "--replace-all" | "--unset" | "--unset-all" | "--rename-section"
            | "--remove-section" => changes = true,
            it if VALUED.contains(&it) => drop(words.next()),
            it => match it.strip_prefix("--file=") {
                Some(path) => file = Some(path.to_owned()),
                None if it.starts_with('-') => (),
                None => operands.push(it),
            },
        }
    }
    match operands.first().copied() {
        Some("list" | "get") => return None,
        Some("edit") => edits = true,
        Some("set" | "unset" | "rename-section" | "remove-section") if operands.len() > 1 => {
            operands.remove(0);
            changes = true;
        }
        _ => (),
    }
    let is_set = edits || changes && !operands.is_empty() || operands.len() > 1;
    let key = operands.first().copied().unwrap_or_default();
    // Whatever the setting is, a file that is named is written.
    (is_set && (edits || file.is_some() || runs(key)))
        .then(|| file.unwrap_or_else(|| here(run, ".git/config")))
}

/// The settings in the text of a configuration that say what is run, each as
/// `key=value`, the value without its quotes and what is said of it.
pub fn running(text: &str) -> BTreeSet<String> {
    let settings = git_config::settings(text).into_iter();
    let settings = settings.map(|(key, value)| (key.to_lowercase(), value));
    let running = settings.filter(|(key, _)| runs(key));
    running.map(|(key, value)| format!("{key}={value}")).collect()
}

/// Whether a setting, or one of a section, says what is run.
fn runs(key: &str) -> bool {
    let key = key.to_lowercase();
    if key.contains(HOLE) {
        return true;
    }
    let is_below = |pattern: &str| pattern.split('.').next() == key.split('.').next();
    RUN.iter().any(|pattern| match pattern.split_once('*') {
        Some((before, after)) => {
            key.len() >= before.len() + after.len()
                && key.starts_with(before)
                && key.ends_with(after)
        }
        None => *pattern == key,
    }) || !key.contains('.') && RUN.iter().any(|it| is_below(it))
}

/// A path in the repository that a command speaks of: `git -C d config …`.
fn here(run: &Run, path: &str) -> String {
    let mut folder = String::new();
    let mut words = run.argv.iter().skip(1);
    while let Some(word) = words.next() {
        if word == "-C"
            && let Some(to) = words.next()
        {
            folder = if to.starts_with(['/', '~']) { format!("{to}/") } else { folder + to + "/" };
        } else if !word.starts_with('-') {
            break;
        }
    }
    folder + path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn of_a_configuration_what_runs_something_is_told_apart() {
        let text = "[user]\n\tname = x\n[core] hooksPath = a/b\n[alias]\n; co = no\n\tCo = !x \\\n y\n\
                    [remote \"origin\"]\n\turl = u\n\tuploadpack = v\n[filter \"a b\"]\nclean\n[broken\n";
        let told: Vec<String> = running(text).into_iter().collect();
        let all = [
            "alias.co=!x  y",
            "core.hookspath=a/b",
            "filter.a b.clean=",
            "remote.origin.uploadpack=v",
        ];
        assert_eq!(told, all);
        assert!(running("").is_empty());
    }

    #[test]
    fn no_setting_hides_in_the_shape_of_a_configuration() {
        for text in [
            "[core] hooksPath = evil ; ]",
            "[user][core] hooksPath = evil",
            "[user] name = x\n[core]hooksPath=evil",
            "[ user \"]\" ] [core]\n\thooksPath = \"evil\" # as ever",
            "\u{feff}[core]\r\n; a comment ends \\\r\nhooksPath = ev\\\r\nil  \r\n",
            "[user] name = \"x # \\\" y\" # \"\n[core] hooksPath = evil",
            "[broken\n[core] hooksPath=evil",
            "[core] = x\nbare\nhooksPath\t= evil",
        ] {
            let told: Vec<String> = running(text).into_iter().collect();
            assert_eq!(told, ["core.hookspath=evil"], "{text}");
        }
        let told = running("[core] pager = \" a; b \" \n[alias \"x\\\"]\"] y\n[pager] é = \\");
        let told: Vec<String> = told.into_iter().collect();
        assert_eq!(told, ["alias.x\"].y=", "core.pager= a; b ", "pager.é="]);
        for text in [
            "[user] name = [core] hooksPath = x",
            "[core] # hooksPath = x",
            "[core \"x\"] hooksPath = y",
        ] {
            assert!(running(text).is_empty(), "{text}");
        }
    }

    fn writes(line: &str) -> Vec<String> {
        shell::read(line).runs.iter().flat_map(written).collect()
    }

    #[test]
    fn settings_that_run_something_are_writes_of_gits_own_folder() {
        for line in [
            "git config core.hooksPath /tmp/x",
            "git config --local core.hooksPath x",
            "git config set core.hookspath x",
            "git config --add core.fsmonitor ./x",
            "git config core.sshCommand 'ssh -v'",
            "git config alias.st '!touch x'",
            "git config filter.x.clean ./x",
            "git config merge.x.driver ./x",
            "git config include.path ../x",
            "git config includeIf.gitdir:/x/.path y",
            "git config --unset core.hooksPath",
            "git config --remove-section alias",
            "git config unset --all alias.x",
            "git config \"$KEY\" x",
            "git config -e",
            "bash -c 'git config core.pager x'",
        ] {
            assert_eq!(writes(line), [".git/config"], "{line}");
        }
        assert_eq!(writes("git -C d config core.pager x"), ["d/.git/config"]);
        assert_eq!(writes("git config --global core.pager x"), ["~/.gitconfig"]);
        assert_eq!(writes("git config --global user.name x"), ["~/.gitconfig"]);
        assert_eq!(writes("git config -f .git/config a.b c"), [".git/config"]);
        assert_eq!(writes("git config --file=x a.b c"), ["x"]);
        assert_eq!(writes("git lfs install"), [".git/hooks"]);
        assert_eq!(writes("pre-commit install"), [".git/hooks"]);
    }

    #[test]
    fn what_reads_settings_or_says_who_works_writes_none() {
        for line in [
            "git config user.name x",
            "git config --local user.email x@y",
            "git config pull.rebase true",
            "git config color.ui always",
            "git config core.hooksPath",
            "git config --get core.hooksPath",
            "git config get core.hooksPath",
            "git config -l",
            "git config --list --show-origin",
            "git config list",
            "git config --get-regexp alias",
            "git config --type=bool core.bare",
            "git commit -m 'git config core.hooksPath x'",
            "git remote add o https://x/y",
            "git fetch",
            "git branch config",
        ] {
            assert!(writes(line).is_empty(), "{line}");
        }
    }
}
