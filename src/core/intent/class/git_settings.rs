//! The settings of git that say what is run, as `git -c core.pager=… log` sets them.

/// Settings that run something, or say where something to run is read from, in lower case; `*` is any
/// name.
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
