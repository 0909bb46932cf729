//! What a configuration of git has git run, as far as its own text says:
//! editors, pagers, filters, an `fsmonitor`. Files that it includes are not read:
//! git itself is asked about those.

use crate::{core::git_config, shell};

/// The code in a file of git's configuration.
pub(super) fn code(text: &str) -> Vec<String> {
    let settings = git_config::settings(text).into_iter();
    let code = settings.filter(|(key, _)| shell::is_git_code(key));
    code.filter_map(|(_, value)| worth(&value)).collect()
}

/// A value that git would run. `None` where it says nothing.
pub(super) fn worth(value: &str) -> Option<String> {
    let text = value.trim().trim_start_matches('!');
    (!text.is_empty() && !matches!(text, "true" | "false")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_would_run_is_found() {
        let text = "[core]\n\tfsmonitor = \"git push;:\" # x\n\teditor=vim\n\tbare = false\n\
            [diff \"z\"] textconv = a \\\n b\n[alias]\n\tp = push\n[core] fsmonitor = true\n\
            [credential]\n\thelper = !f() { x; }; f\n[filter \"l\"]\n\tclean = \"a; b\"\n";
        let want = ["git push;:", "vim", "a  b", "f() { x", "a; b"];
        assert_eq!(code(text), want);
        assert!(code("").is_empty());
        assert!(code("[core\neditor").is_empty());
    }

    #[test]
    fn nothing_that_git_takes_otherwise_hides_a_setting() {
        for text in [
            "[core]\n# \\\neditor = x",
            "[core]\na = b ; \\\neditor = x",
            "[a] [core] editor = x",
            "[a][core]editor=x",
            "[diff \"a]b\"]\ntextconv = x",
            "[diff \"a\\\"]\\\\\"]\ntextconv = x",
            "\u{FEFF}[core]\r\nedi\r\n[core]\r\neditor = \\\r\nx\r\n",
            &format!("{}[core]\neditor = x", "\n".repeat(8192)),
        ] {
            assert_eq!(code(text), ["x"], "{text:?}");
        }
        assert!(code("# [core] editor = x\n[a] editor = y\n").is_empty());
    }
}
