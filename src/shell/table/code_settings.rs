//! Git settings and variables whose value is shell code. Git puts its own folder first on PATH for
//! what it starts, so that a shim does not see it.

use super::grammar::words_of;

/// Settings of git whose value is shell code: how their names begin and end.
const GIT_CODE: &str = "core.*pager core.*editor core.*sshcommand core.*fsmonitor core.*askpass \
    pager.* sequence.*editor diff.*external diff.*.command difftool.*.cmd mergetool.*.cmd \
    filter.*.clean filter.*.smudge filter.*.process diff.*.textconv merge.*.driver man.*.cmd \
    browser.*.cmd trailer.*.cmd trailer.*.command interactive.*difffilter core.*gitproxy \
    core.*alternaterefscommand remote.*.uploadpack remote.*.receivepack gpg.*.program \
    credential.*helper gpg.*program uploadpack.*packobjectshook tar.*.command \
    gc.*recentobjectshook gpg.*defaultkeycommand sendemail.*cmd sendemail.*command web.*browser \
    instaweb.*httpd";

/// Whether the value of a setting of git is shell code.
pub(in crate::shell) fn is_git_code(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    words_of(GIT_CODE)
        .filter_map(|setting| setting.split_once('*'))
        .any(|(begin, end)| key.starts_with(begin) && key.ends_with(end))
}

/// Variables whose value is shell code that some program will run.
pub(in crate::shell) const CODE_VARIABLES: &str = "GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR \
    GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_SSH GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS \
    SUDO_EDITOR GH_PAGER GH_EDITOR GH_BROWSER AWS_PAGER SYSTEMD_PAGER SYSTEMD_EDITOR PSQL_PAGER \
    PSQL_EDITOR BROWSER LESSCLOSE RSYNC_RSH SVN_SSH FCEDIT PROMPT_COMMAND PAGER MANPAGER LESSOPEN \
    EDITOR VISUAL";
