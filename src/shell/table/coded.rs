//! What holds code for a shell: options and words of programs, settings of git, variables.

use super::super::Interpreter;
use super::grammar::Grammar;
use super::index::index;

#[derive(Debug)]
pub(in super::super) struct Coded {
    pub(in super::super) names: &'static [&'static str],
    pub(in super::super) grammar: Grammar,
    /// Their names without dashes; an empty one stands for the operands.
    pub(in super::super) options: &'static [&'static str],
    /// What stands before the code, whatever its case; without any, all of it is code.
    after: &'static [&'static str],
}

impl Coded {
    /// The code in a value. `None` where the value is something else.
    pub(in super::super) fn code<'a>(&self, value: &'a str) -> Option<&'a str> {
        if self.after.is_empty() {
            return Some(value);
        }
        self.after.iter().find_map(|before| {
            let head = value.get(..before.len())?;
            head.eq_ignore_ascii_case(before).then(|| &value[before.len()..])
        })
    }
}

const fn row(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    options: &'static [&'static str],
    after: &'static [&'static str],
) -> Coded {
    Coded { names, grammar: Grammar { letters, long }, options, after }
}

/// The values of these options are code.
const fn plain(
    names: &'static [&'static str],
    letters: &'static str,
    options: &'static [&'static str],
) -> Coded {
    row(names, letters, options, options, &[])
}

const TAR: &[&str] = &["tar", "gtar", "bsdtar"];
const TAR_LONG: &[&str] = &["checkpoint-action", "to-command", "use-compress-program"];
const SSH: &str = "BbcDEeFIiJLlmOopQRSWwPX";

pub(in super::super) static CODED: &[Coded] = &[
    row(TAR, "fICXFT", TAR_LONG, &["checkpoint-action"], &["exec="]),
    row(
        TAR,
        "fICXFT",
        TAR_LONG,
        &["to-command", "use-compress-program", "I", "rsh-command", "info-script", "F"],
        &[],
    ),
    row(&["rsync"], "efTBM", &["rsh", "rsync-path"], &["e", "rsh", "rsync-path"], &[]),
    row(
        &["ssh", "autossh", "slogin", "scp", "sftp", "ssh-copy-id"],
        SSH,
        &[],
        &["o"],
        &[
            "ProxyCommand=",
            "ProxyCommand ",
            "LocalCommand=",
            "LocalCommand ",
            "KnownHostsCommand=",
            "KnownHostsCommand ",
        ],
    ),
    row(&["scp", "sftp"], SSH, &[], &["S", "D"], &[]),
    row(&["sort", "gsort"], "kSTto", &["compress-program"], &["compress-program"], &[]),
    row(&["man"], "PCLMRSeEp", &["pager"], &["P", "pager"], &[]),
    row(&["less", "more", "most"], "", &[], &[""], &["+!", "+|$", "+|^", "+|."]),
    row(&["split", "gsplit", "csplit"], "abClnt", &["filter"], &["filter"], &[]),
    // `-TT code`, `-TTcode`, `-TTT code`
    row(
        &["zip"],
        "",
        &["-TT", "-TTT", "-qTT", "-rTT", "-TqTT", "unzip-command"],
        &["-TT", "-TTT", "-qTT", "-rTT", "-TqTT", "unzip-command"],
        &[],
    ),
    row(&["zip"], "T", &["-TT", "-TTT"], &["T"], &["T"]),
    row(&["sqlite3"], "", &["-cmd"], &["", "-cmd"], &[".shell ", ".system "]),
    row(&["prove"], "eIM", &["exec"], &["e", "exec"], &[]),
    row(&["psql"], "chpUdf", &["command"], &["c", "command"], &["\\! ", "\\!"]),
    row(&["mysql", "mariadb"], "ehPuD", &["execute"], &["e", "execute"], &["\\! ", "system "]),
    row(
        &["gdb"],
        "x",
        &["-ex", "-iex", "-eval-command", "eval-command"],
        &["-ex", "-iex", "-eval-command", "eval-command"],
        &["shell ", "!"],
    ),
    row(&["lldb"], "oOsS", &["one-line"], &["o", "O", "one-line"], &["platform shell ", "shell "]),
    row(
        &["apt", "apt-get", "aptitude"],
        "oct",
        &["option"],
        &["o", "option"],
        &[
            "APT::Update::Pre-Invoke::=",
            "APT::Update::Post-Invoke::=",
            "DPkg::Pre-Invoke::=",
            "DPkg::Post-Invoke::=",
            "DPkg::Pre-Install-Pkgs::=",
            "APT::Update::Pre-Invoke=",
            "APT::Update::Post-Invoke=",
            "APT::Update::Post-Invoke-Success::=",
            "DPkg::Pre-Invoke=",
            "DPkg::Post-Invoke=",
            "DPkg::Pre-Install-Pkgs=",
            "Dir::Bin::dpkg=",
        ],
    ),
    row(&["dpkg"], "", &[], &["pre-invoke", "post-invoke"], &[]),
    row(&["rg"], "", &["pre"], &["pre"], &[]),
    plain(&["fzf", "sk"], "", &["preview"]),
    row(
        &["fzf", "sk"],
        "",
        &["bind"],
        &["bind"],
        &["enter:become(", "enter:execute(", "start:become(", "start:execute(", "start:reload("],
    ),
    plain(&["bat", "batcat", "ack", "ag", "delta", "git-delta"], "", &["pager"]),
    plain(&["fish"], "cCdDo", &["c", "C", "command", "init-command"]),
    plain(&["nu"], "ceI", &["c", "e", "commands", "execute"]),
    plain(&["xonsh"], "c", &["c"]),
    plain(&["gcloud", "flatpak"], "", &["command"]),
    plain(&["git-shell"], "c", &["c"]),
    plain(&["sbatch"], "JnNpotc", &["wrap"]),
    plain(&["bazel", "bazelisk"], "", &["run_under"]),
    plain(&["svn"], "", &["diff-cmd", "editor-cmd", "diff3-cmd"]),
    plain(&["bpftrace"], "ceop", &["c"]),
    plain(&["go"], "", &["-exec", "-toolexec"]),
    row(&["hg"], "R", &["config"], &["config"], &["alias.x=!", "hooks.pre-status="]),
    row(&["mutt", "neomutt"], "e", &[], &["e"], &["source \""]),
    row(&["tcpdump"], "czrwisCGW", &[], &["z"], &[]),
    row(&["socat"], "", &[], &[""], &["EXEC:", "SYSTEM:", "SHELL:"]),
    row(
        &["nc", "ncat", "netcat"],
        "ecgGioOpqsTwXx",
        &["exec", "sh-exec"],
        &["e", "c", "exec", "sh-exec"],
        &[],
    ),
    row(&["ansible"], "aimuecft", &["args"], &["a", "args"], &[]),
    row(&["wget"], "OoPaeitQUw", &["use-askpass"], &["use-askpass"], &[]),
];

/// The rows for a program.
pub(in super::super) fn rows(name: &str) -> impl Iterator<Item = &'static Coded> {
    index!(CODED).rows(name).map(|place| &CODED[place]).filter(move |row| row.names.contains(&name))
}

/// Settings of git whose value is shell code: how their names begin and end.
const GIT_CODE: &[(&str, &str)] = &[
    ("core.", "pager"),
    ("core.", "editor"),
    ("core.", "sshcommand"),
    ("core.", "fsmonitor"),
    ("core.", "askpass"),
    ("pager.", ""),
    ("sequence.", "editor"),
    ("diff.", "external"),
    ("diff.", ".command"),
    ("difftool.", ".cmd"),
    ("mergetool.", ".cmd"),
    ("filter.", ".clean"),
    ("filter.", ".smudge"),
    ("filter.", ".process"),
    ("diff.", ".textconv"),
    ("merge.", ".driver"),
    ("man.", ".cmd"),
    ("browser.", ".cmd"),
    ("trailer.", ".cmd"),
    ("trailer.", ".command"),
    ("interactive.", "difffilter"),
    ("core.", "gitproxy"),
    ("core.", "alternaterefscommand"),
    ("remote.", ".uploadpack"),
    ("remote.", ".receivepack"),
    ("gpg.", ".program"),
    ("credential.", "helper"),
    ("gpg.", "program"),
    ("uploadpack.", "packobjectshook"),
    ("tar.", ".command"),
    ("gc.", "recentobjectshook"),
    ("gpg.", "defaultkeycommand"),
    ("sendemail.", "cmd"),
    ("sendemail.", "command"),
    ("web.", "browser"),
    ("instaweb.", "httpd"),
];

/// Whether a setting of git is one of those.
pub fn is_git_code(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    GIT_CODE.iter().any(|(start, end)| key.starts_with(start) && key.ends_with(end))
}

/// Options of git's subcommands, and a transport, whose value is shell code and stands in the same
/// word.
pub(in super::super) const GIT_PREFIXES: &[&str] = &["--open-files-in-pager=", "-O", "ext::"];
/// Those that have it in the next word as well.
pub(in super::super) const GIT_OPTIONS: &[&str] =
    &["exec", "extcmd", "upload-pack", "receive-pack", "x", "u"];

/// The options with a value of a verb of git that has such among them.
pub(in super::super) fn git_options(verb: &str) -> Grammar {
    let letters = match verb {
        "clone" => "ubojc",
        "rebase" => "xsXC",
        "difftool" => "xtOS",
        _ => "",
    };
    Grammar { letters, long: &["exec", "extcmd", "upload-pack", "receive-pack", "config"] }
}

/// Variables that hold options of a program, and what has to stand in them.
pub(in super::super) const OPTION_VARIABLES: &[(&str, &str, &[&str])] = &[
    ("TAR_OPTIONS", "tar", &["exec", "command", "program"]),
    ("MAKEFLAGS", "make", &["eval", "f"]),
    ("GNUMAKEFLAGS", "make", &["eval", "f"]),
    ("NODE_OPTIONS", "node", &["require", "-r", "import", "loader"]),
    ("PERL5OPT", "perl", &["-M", "-m"]),
    ("RUBYOPT", "ruby", &["-r"]),
];

/// Variables that hold code of another language.
pub(in super::super) const LANGUAGE_VARIABLES: &[(&str, Interpreter)] = &[
    ("PERL5DB", Interpreter::Perl),
    ("LUA_INIT", Interpreter::Lua),
    ("LUA_INIT_5_1", Interpreter::Lua),
    ("LUA_INIT_5_2", Interpreter::Lua),
    ("LUA_INIT_5_3", Interpreter::Lua),
    ("LUA_INIT_5_4", Interpreter::Lua),
];

/// Variables that name a file of code.
pub(in super::super) const FILE_VARIABLES: &[(&str, Interpreter)] = &[
    ("PYTHONSTARTUP", Interpreter::Python),
    ("NODE_REPL_EXTERNAL_MODULE", Interpreter::JavaScript),
    ("MAKEFILES", Interpreter::Make),
];

/// Variables whose value is shell code that some program will run.
pub(in super::super) const CODE_VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_SSH",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "AWS_PAGER",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "BROWSER",
    "LESSCLOSE",
    "RSYNC_RSH",
    "SVN_SSH",
    "FCEDIT",
    "PROMPT_COMMAND",
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "EDITOR",
    "VISUAL",
];
