//! The settings of git's configuration that say what is run: a way around every gate. Who works
//! (`user.name`), colours and remotes are not among them.

use std::collections::BTreeSet;

/// Settings that run something, or say where what is run is read from, in lower
/// case; `*` is any name.
const RUN: &str = "\
    alias.* browser.*.cmd browser.*.path core.alternaterefscommand core.askpass \
    core.attributesfile core.editor core.excludesfile core.fsmonitor core.gitproxy \
    core.hookspath core.pager core.sshcommand core.worktree credential.*.helper \
    credential.helper diff.*.command diff.*.textconv diff.external difftool.*.cmd \
    difftool.*.path extensions.* filter.*.clean filter.*.process filter.*.smudge \
    gc.recentobjectshook gpg.*.program gpg.program gpg.ssh.defaultkeycommand guitool.*.cmd \
    hook.*.command imap.tunnel include.path includeif.*.path init.templatedir \
    interactive.difffilter man.*.cmd man.*.path merge.*.driver mergetool.*.cmd \
    mergetool.*.path pager.* protocol.*.allow receive.procreceiverefs remote.*.receivepack \
    remote.*.uploadpack remote.*.vcs sendemail.*cmd sendemail.smtpserver sequence.editor \
    ssh.variant submodule.*.update tar.*.command trailer.*.cmd trailer.*.command \
    uploadpack.packobjectshook web.browser";

/// The settings in the text of a configuration that say what is run, each as
/// `key=value`. Files that it includes are not followed.
pub fn running(text: &str) -> BTreeSet<String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace("\\\n", "");
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let mut line = line.trim();
        // A setting may stand behind the section, in the same line.
        while let Some((name, rest)) = line.strip_prefix('[').and_then(|it| it.split_once(']')) {
            section = name.replace(['"', ' ', '\t'], ".").replace("..", ".");
            section = section.trim_matches('.').to_lowercase();
            line = rest.trim();
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let key = format!("{section}.{}", name.trim().to_lowercase());
        if !line.is_empty() && !line.starts_with(['#', ';']) && runs(&key) {
            // `"a b" # why`
            let (value, end) = match value.trim().strip_prefix('"') {
                Some(quoted) => (quoted, "\""),
                None => (value.trim(), " #"),
            };
            found.insert(format!("{key}={}", value.split(end).next().unwrap_or_default()));
        }
    }
    found
}

/// Whether a setting says what is run.
pub(super) fn runs(key: &str) -> bool {
    let key = key.to_lowercase();
    RUN.split_whitespace().any(|pattern| match pattern.split_once('*') {
        Some((before, after)) => {
            key.len() >= before.len() + after.len()
                && key.starts_with(before)
                && key.ends_with(after)
        }
        None => pattern == key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_configuration_what_runs_something_is_told_apart() {
        let text = "\u{feff}[user]\n\tname = x\n[core] hooksPath = a/b\n[alias]\n; co = no\n\tCo = !x \\\n y\r\n\
                    [remote \"origin\"]\n\turl = u\n\tuploadpack = v\n[filter \"lfs\"]\nclean\n\
                    [user][core] fsMonitor = \"e\" # f\n";
        let told: Vec<String> = running(text).into_iter().collect();
        let all = [
            "alias.co=!x  y",
            "core.fsmonitor=e",
            "core.hookspath=a/b",
            "filter.lfs.clean=",
            "remote.origin.uploadpack=v",
        ];
        assert_eq!(told, all);
        assert!(running("").is_empty() && running("[core\n").is_empty());
    }
}
