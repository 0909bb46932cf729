//! The settings of git's configuration that say what is run: a way around every gate. Who works
//! (`user.name`), colours and remotes are not among them.

use std::collections::BTreeSet;

use crate::core::git_config;

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

/// The settings in the text of a configuration that say what is run, each as
/// `key=value`, the value without its quotes and what is said of it.
pub fn running(text: &str) -> BTreeSet<String> {
    let settings = git_config::settings(text).into_iter();
    let settings = settings.map(|(key, value)| (key.to_lowercase(), value));
    let running = settings.filter(|(key, _)| runs(key));
    running.map(|(key, value)| format!("{key}={value}")).collect()
}

/// Whether a setting says what is run.
fn runs(key: &str) -> bool {
    let key = key.to_lowercase();
    RUN.iter().any(|pattern| match pattern.split_once('*') {
        Some((before, after)) => {
            key.len() >= before.len() + after.len()
                && key.starts_with(before)
                && key.ends_with(after)
        }
        None => *pattern == key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
