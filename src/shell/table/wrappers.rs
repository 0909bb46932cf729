//! Programs that run another command.

use super::grammar::{Grammar, lists, words_of};
use super::index::index;
use crate::shell::field::Field;
use Rest::{Code, Codes, Nothing, Typed, UnknownOptions, Xargs};

#[derive(Debug)]
pub(in crate::shell) struct Wrapper {
    /// Its name, and the words that must follow it (`docker exec`).
    pub(in crate::shell) names: &'static str,
    pub(in crate::shell) then: &'static str,
    pub(in crate::shell) grammar: Grammar,
    /// The number of its own operands before the command.
    pub(in crate::shell) operands: usize,
    /// `name=value` words before the command set the command's environment.
    pub(in crate::shell) assignments: bool,
    /// Options whose value is shell code.
    pub(in crate::shell) code: &'static str,
    /// Options whose value is a file that it writes.
    pub(in crate::shell) outputs: &'static str,
    /// With these options it runs nothing.
    pub(in crate::shell) idle: &'static str,
    pub(in crate::shell) rest: Rest,
}

/// The words after the options and the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Rest {
    /// A command, word by word.
    Command,
    /// Shell code, the words joined by blanks.
    Code,
    /// A command that gets words from the input added (`xargs`).
    Xargs,
    /// A command after options that no table has. It begins at the first operand, or at the first
    /// word that is a known program.
    UnknownOptions,
    /// Keys that are sent to a shell, such as `Space` and `Enter`.
    Typed,
    /// Each of the words is shell code.
    Codes,
    /// Nothing that runs.
    Nothing,
}

const fn row(names: &'static str) -> Wrapper {
    Wrapper {
        names,
        then: "",
        grammar: Grammar::NONE,
        operands: 0,
        assignments: false,
        code: "",
        outputs: "",
        idle: "",
        rest: Rest::Command,
    }
}

impl Wrapper {
    /// The first of its names, which the walker uses.
    pub(in crate::shell) fn name(&self) -> &'static str {
        words_of(self.names).next().unwrap_or("")
    }

    /// Whether its command runs with other files: `ssh host …`, `docker exec container …`.
    pub(in crate::shell) fn leaves(&self) -> bool {
        const LEAVE: &str = "ssh docker docker-compose kubectl lxc vagrant heroku gcloud tailscale";
        lists(LEAVE, self.name()) || self.then == "codespace ssh"
    }

    /// Whether the words after an operand are for a program in a container: `docker run image …`.
    pub(in crate::shell) fn is_of_containers(&self) -> bool {
        lists(self.names, "docker")
    }

    /// Whether it fetches the program, whose version may be given: `npx npm@11`.
    pub(in crate::shell) fn fetches(&self) -> bool {
        words_of(self.names).any(|name| lists("npx npm pnpm yarn bun uvx uv", name))
    }

    const fn then(self, then: &'static str) -> Self {
        Self { then, ..self }
    }

    const fn options(self, letters: &'static str, long: &'static str) -> Self {
        Self { grammar: Grammar { letters, long }, ..self }
    }

    const fn operands(self, operands: usize) -> Self {
        Self { operands, ..self }
    }

    const fn assignments(self) -> Self {
        Self { assignments: true, ..self }
    }

    const fn code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    const fn outputs(self, outputs: &'static str) -> Self {
        Self { outputs, ..self }
    }

    const fn idle(self, idle: &'static str) -> Self {
        Self { idle, ..self }
    }

    const fn rest(self, rest: Rest) -> Self {
        Self { rest, ..self }
    }
}

/// One row for each wrapper. Rows of a name with `then` come first.
// Laid out by hand, as `cargo fmt` gives each option of a row a line of its own.
#[rustfmt::skip]
pub(in crate::shell) static WRAPPERS: &[Wrapper] = &[
    row("sudo")
        .options("ugphCrtTDRU", "user group prompt host close-from role type command-timeout chdir \
        chroot other-user").idle("l list v validate e edit V version").assignments(),
    row("doas").options("uaC", ""),
    row("pkexec").options("", "user"),
    row("run0").options("ugDM", "user group chdir machine unit property description slice \
        nice setenv background").assignments(),
    row("su runuser").options("cgGsuT", "command session-command group supp-group shell user")
        .code("c command session-command").rest(Nothing),
    row("env genv").options("uCSP", "unset chdir split-string").code("S split-string").assignments(),
    row("nohup gnohup setsid catchsegv chronic unbuffer rlwrap winpty proxychains sccache ccache \
        distcc noglob nocorrect builtin entr busybox toybox coreutils corepack \
        setarch linux32 linux64 i386 x86_64 arch eatmydata proxychains4 tsocks torsocks torify \
        dbus-run-session prime-run graftcp k3s microk8s minikube"),
    row("nice gnice").options("n", "adjustment"),
    row("ionice").options("cnpPu", "class classdata pid pgid uid").idle("p pid P pgid u uid"),
    row("chrt").options("TPD", "sched-runtime sched-period sched-deadline").idle("p pid m max")
        .operands(1),
    row("taskset").idle("p pid").operands(1),
    row("timeout gtimeout").options("ks", "kill-after signal").operands(1),
    row("stdbuf gstdbuf").options("ioe", "input output error"),
    row("time gtime").options("fo", "format output").outputs("o output"),
    row("command").idle("v V"),
    row("exec").options("a", ""),
    row("xargs gxargs")
        .options("nIPLdEsaJR", "max-args max-procs delimiter max-chars arg-file process-slot-var")
        .rest(Xargs),
    row("watch").options("nq", "interval equexit").rest(Code),
    row("flock").options("wEc", "timeout wait conflict-exit-code command").code("c command")
        .operands(1),
    row("script").options("cEIOBTomt", "command echo log-in log-out log-io log-timing output-limit")
        .code("c command").outputs("O B I T t log-out log-io log-in log-timing").operands(1),
    row("unshare")
        .options("RwSG", "root wd setuid setgid propagation map-user map-group setgroups"),
    row("chroot").options("", "groups userspec").operands(1),
    row("gosu su-exec").operands(1),
    row("sg").options("c", "").code("c").operands(1).rest(Code),
    row("strace ltrace").options("oepsuEaIbPXS", "output trace attach user env")
        .outputs("o output"),
    row("perf").then("stat").options("eoprIC", "event output repeat").outputs("o output"),
    row("perf").then("record").options("eoFcC", "event output").outputs("o output"),
    row("hyperfine")
        .options("wrmMpcnus", "warmup runs prepare cleanup setup export-json export-markdown \
        export-csv conclude shell command-name").code("p prepare c cleanup s setup conclude")
        .outputs("export-json export-markdown export-csv").rest(Codes),
    row("concurrently conc")
        .options("nlpcms", "names prefix prefix-colors max-processes success kill-others-on")
        .rest(Codes),
    row("nodemon").options("xewid", "exec ext watch ignore delay").code("x exec").rest(Nothing),
    row("watchexec").options("ewifdsN", "exts watch ignore filter debounce signal").rest(Code),
    row("cargo").then("watch").options("xswid", "exec shell watch ignore delay workdir")
        .code("s shell"),
    row("systemd-run")
        .options("pEMuHC", "unit property setenv description slice uid gid nice working-directory \
        on-active on-boot on-calendar machine host timer-property service-type"),
    row("at batch").options("fqtM", "").rest(Nothing),
    row("ssh autossh mosh").options("BbcDEeFIiJLlmOopQRSWwM", "").outputs("E").operands(1)
        .rest(Code),
    row("vagrant").then("ssh").options("c", "command").code("c command").rest(Nothing),
    row("heroku").then("run").options("ars", "app remote size").rest(Code),
    row("docker podman nerdctl").then("exec").options(CONTAINER, CONTAINER_LONG).operands(1),
    row("docker podman nerdctl").then("container exec").options(CONTAINER, CONTAINER_LONG)
        .operands(1),
    row("docker podman").then("compose exec").options(CONTAINER, CONTAINER_LONG).operands(1),
    row("docker podman").then("compose run").options(CONTAINER, CONTAINER_LONG).operands(1),
    row("docker-compose podman-compose").then("exec").options(CONTAINER, CONTAINER_LONG)
        .operands(1),
    row("docker podman nerdctl").then("run").options(CONTAINER, CONTAINER_LONG).operands(1),
    row("lxc incus").then("exec").options("", "cwd env user").operands(1),
    row("kubectl oc").then("exec").options("cnf", "container namespace filename").operands(1),
    row("poetry pipenv hatch pdm rye pixi").then("run").options("e", "environment"),
    row("uv").then("run").options("pmwCP", UV_RUN),
    row("uv").then("tool run").options("p", "from with python"),
    row("uvx").options("p", "from with python"),
    row("bundle pnpm asdf opam volta pyenv rbenv nodenv goenv").then("exec").options("C", "cd"),
    row("mise rtx").then("exec").options("Cc", "cd command").code("c command").rest(UnknownOptions),
    row("mise rtx").then("x").options("Cc", "cd command").code("c command").rest(UnknownOptions),
    row("yarn").then("workspaces foreach").rest(UnknownOptions),
    row("yarn").then("workspaces run"),
    row("yarn").then("workspace").rest(UnknownOptions),
    row("npm").then("exec").options("pc", "package call workspace").code("c call"),
    row("npm").then("x").options("pc", "package call workspace").code("c call"),
    row("npx bunx pnpx").options("pc", "package call").code("c call"),
    row("yarn bun").then("exec"),
    row("bun").then("x").options("p", "package"),
    row("pnpm yarn").then("dlx").options("p", "package"),
    row("cross-env").assignments(),
    row("dotenv dotenvx").then("run").options("f", "file"),
    row("dotenv dotenv-cli").options("efcpv", "env file").rest(UnknownOptions),
    row("op doppler infisical chamber teller").then("run")
        .options("pc", "env-file project config env path command").code("command"),
    row("direnv aws-vault").then("exec").operands(1),
    row("conda mamba micromamba").then("run").options("np", "name prefix cwd"),
    row("nix-shell").options("pAEI", "run command packages attr arg argstr").code("run command")
        .rest(Nothing),
    row("nix").then("develop").rest(UnknownOptions),
    row("nix").then("shell").rest(UnknownOptions),
    row("rustup").then("run").operands(1),
    row("just").then("--command"),
    row("just").then("-c"),
    row("git").then("bisect run"),
    row("git").then("submodule foreach").rest(Code),
    row("git").then("submodule --quiet foreach").rest(Code),
    row("jj").then("util exec"),
    row("tmux").then("new-session").options("ceFfnstxy", "").rest(Code),
    row("tmux").then("new").options("ceFfnstxy", "").rest(Code),
    row("tmux").then("new-window").options("ceFnt", "").rest(Code),
    row("tmux").then("neww").options("ceFnt", "").rest(Code),
    row("tmux").then("split-window").options("ceFlt", "").rest(Code),
    row("tmux").then("run-shell").options("cdt", "").rest(Code),
    row("tmux").then("send-keys").options("Nt", "").rest(Typed),
    row("tmux").then("send").options("Nt", "").rest(Typed),
    row("screen").options("cDehpRrsStTx", ""),
    // Their options are not listed here.
    row("volta toolbox flatpak").then("run").rest(UnknownOptions),
    row("tox stack cabal apptainer singularity lxc-attach nvm fnm lerna nx devcontainer chamber \
        multipass jenv phpenv shadowenv berglas").then("exec").rest(UnknownOptions),
    row("kubectl oc").then("run").rest(UnknownOptions),
    row("kubectl oc").then("debug").rest(UnknownOptions),
    row("gh").then("codespace ssh").rest(UnknownOptions),
    row("gcloud").then("compute ssh").options("", "command zone project").code("command")
        .operands(1).rest(UnknownOptions),
    row("tailscale").then("ssh").operands(1).rest(UnknownOptions),
    row("limactl machinectl").then("shell").rest(UnknownOptions),
    row("cmd pwsh powershell nsenter setpriv caffeinate valgrind gdb lldb sshpass retry \
        retry-cli with-retry with-lock systemd-inhibit firejail proot numactl choom prlimit \
        ssh-agent rvm heaptrack reflex onchange when-changed daemonize dtach abduco guix \
        flatpak-spawn tini tini-static dumb-init catatonit ts tsp nq ifne srun salloc bsub qsub \
        qrsh mpirun mpiexec orterun torchrun bwrap fakeroot fakechroot faketime xvfb-run \
        dbus-launch lockf debconf pty ptyget cpulimit trickle cgexec cset schedtool schroot \
        systemd-nspawn parallel-ssh pssh pdsh clush lima colima wsl orb timelimit aa-exec runcon \
        uftrace wezterm foot zellij envdir s6-envdir envuidgid chpst softlimit pgrphack fghack \
        foreground background envchain envconsul consul-template summon vaultenv with-env \
        chruby-exec ttyd gotty websocketd byobu tmate shx buildah distrobox-enter setuidgid \
        s6-setuidgid setlock xterm gnome-terminal konsole alacritty kitty tilix terminator \
        xfce4-terminal x-terminal-emulator urxvt st").rest(UnknownOptions),
];

/// Whether a name has a row, whatever words have to follow it.
pub(in crate::shell) fn is_one(name: &str) -> bool {
    index!(WRAPPERS).rows(name).any(|place| lists(WRAPPERS[place].names, name))
}

/// The row for a program and the words after it, and how many of these belong to its name.
pub(in crate::shell) fn find(name: &str, words: &[Field]) -> Option<(&'static Wrapper, usize)> {
    let follows = |row: &&Wrapper| {
        words_of(row.then)
            .zip(0..)
            .all(|(then, at)| words.get(at).is_some_and(|word| word.text == then))
    };
    let rows = index!(WRAPPERS).rows(name).map(|place| &WRAPPERS[place]);
    let row = rows.filter(|row| lists(row.names, name)).find(follows)?;
    Some((row, words_of(row.then).count()))
}

/// Options of `uv run` with a value.
const UV_RUN: &str = "python with extra group no-extra no-group only-group \
    project directory env-file package with-requirements with-editable index index-url \
    default-index extra-index-url cache-dir config-file python-platform color";

const CONTAINER: &str = "aecuwvplhm";
const CONTAINER_LONG: &str = "env user workdir index volume publish name label entrypoint network \
    mount env-file hostname memory cpus platform add-host device pull restart cap-add cap-drop \
    security-opt net tmpfs ulimit expose link pid ipc detach-keys";

/// Wrappers that run a shell if no command is given, so that their input is code; by the first name
/// of each row.
pub(in crate::shell) const SHELLS_WITHOUT_COMMAND: &str = "sudo su ssh chroot unshare script at";
