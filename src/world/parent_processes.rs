//! The processes that this one descends from.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::process;

/// A process that started this one, directly or through others.
#[derive(Debug)]
pub struct Ancestor {
    pub pid: u32,
    /// Its command line.
    pub words: Vec<String>,
}

/// Deeper nesting does not occur in practice.
const DEEPEST: usize = 64;

/// Whether an agent is among the processes that this one descends from, by its name or by one of
/// its variables in the environment of one of them. An agent can clear its own environment and open
/// a terminal of its own, but it cannot change its ancestors without leaving its process group.
/// Returns false where the system does not give that information.
pub fn descends_from_agent() -> bool {
    ancestors().iter().any(|folder| folder.is_agent(&[]) || folder.has_variable_of_agent())
}

/// The ancestors of this process, nearest first, as far as the system lists them.
pub fn ancestors() -> Vec<Ancestor> {
    let mut found = Vec::new();
    let mut next =
        rustix::process::getppid().map(|getppid| getppid.as_raw_nonzero().get().cast_unsigned());
    while let Some(pid) = next.filter(|next| *next > 1 && found.len() < DEEPEST) {
        let Some((parent, words)) = of_proc(pid).or_else(|| of_ps(pid)) else { break };
        found.push(Ancestor { pid, words });
        next = Some(parent);
    }
    found
}

fn of_proc(pid: u32) -> Option<(u32, Vec<String>)> {
    let folder = Path::new("/proc").join(pid.to_string());
    // `pid (comm) state ppid …`; the name may contain anything, including blanks.
    let stat = std::fs::read(folder.join("stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat).into_owned();
    let (_, rest) = stat.rsplit_once(')')?;
    let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
    let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
    let line = line.strip_suffix(b"\0").unwrap_or(&line);
    let words =
        line.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    Some((parent, words.collect()))
}

/// For systems without `/proc`.
fn of_ps(pid: u32) -> Option<(u32, Vec<String>)> {
    if cfg!(target_os = "linux") {
        return None;
    }
    let mut ps = process::command("ps");
    ps.args(["-o", "ppid=,args=", "-p", &pid.to_string()]);
    let ran = process::run(ps, Instant::now() + Duration::from_secs(1)).ok()?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut words = text.split_whitespace();
    let parent = words.next()?.parse().ok()?;
    Some((parent, words.map(str::to_owned).collect()))
}

impl Ancestor {
    /// Whether it is an agent, by its pid or by the name of its program.
    pub fn is_agent(&self, pids: &[u32]) -> bool {
        const AGENTS: &[&str] = &[
            "claude",
            "codex",
            "gemini",
            "opencode",
            "cursor-agent",
            "copilot",
            "aider",
            "amp",
            "qwen",
        ];
        // `node /usr/bin/claude`.
        let mut names =
            self.words.iter().take(2).map(|word| word.rsplit('/').next().unwrap_or(word));
        pids.contains(&self.pid)
            || names.any(|name| AGENTS.contains(&name.trim_end_matches(".exe")))
    }

    fn has_variable_of_agent(&self) -> bool {
        const NAMES: &[&str] = &[
            "CLAUDECODE=",
            "CLAUDE_PID=",
            "CODEX_SESSION_ID=",
            "COPILOT_CLI=",
            "GEMINI_CLI=",
            "OPENCODE=",
            "QWEN_CODE=",
            "ROZ_AGENT_PID=",
        ];
        let environment = std::fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| NAMES.iter().any(|name| variable.starts_with(name.as_bytes())))
    }

    /// Whether it is a shell that runs a line, as in `sh -c 'git push'`.
    pub fn is_shell_line(&self) -> bool {
        const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"];
        let name = self.words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
        let is_line =
            |text: &String| text.starts_with('-') && !text.starts_with("--") && text.contains('c');
        let mut options = self.words.iter().skip(1).take_while(|word| word.starts_with('-'));
        SHELLS.contains(&name.trim_start_matches('-')) && options.any(is_line)
    }

    /// Its command line, with the program's name instead of its path.
    pub fn line(&self) -> String {
        let mut words = self.words.clone();
        if let Some(program) = words.first_mut() {
            *program = program.rsplit('/').next().unwrap_or_default().to_owned();
        }
        words.join(" ")
    }
}
