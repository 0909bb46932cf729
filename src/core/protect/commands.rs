//! Rules about what would run, and about tools that are commands themselves.

use super::{Scene, is_in};
use crate::{
    core::{
        event::ToolCall,
        review::{self, REVIEWER},
    },
    shell::{HOLE, Run},
};

/// What `roz hook` is called with.
const EVENTS: &str = "session-start user-prompt pre-tool-use post-tool-use post-tool-use-failure \
    subagent-start subagent-stop stop task-completed session-end";
/// Programs that only say their arguments.
const MENTIONS: &[&str] = &["echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "expr"];
/// Variables without which the client is another one, or has other hooks.
const HOMES: [&str; 4] = ["HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "PATH"];

fn runs<'a>(call: &'a ToolCall) -> impl Iterator<Item = &'a Run> {
    call.readings.iter().flat_map(|it| &it.runs)
}

fn line(run: &Run) -> String {
    run.argv.join(" ")
}

/// The base name of a program, however it is called.
fn base(run: &Run) -> &str {
    run.program.rsplit('/').next().unwrap_or_default()
}

/// The words after the program that are no options.
fn operands(run: &Run) -> impl Iterator<Item = &str> {
    let words = run.argv.iter().skip(1).map(String::as_str);
    words.filter(|it| !it.starts_with('-') || *it == "-")
}

fn is_roz(run: &Run) -> bool {
    base(run) == "roz"
}

/// The words from roz's verb on, of each run of roz and of each line that
/// could not be read.
fn verbs<'a>(call: &'a ToolCall) -> impl Iterator<Item = Vec<&'a str>> {
    let read = runs(call).filter(|it| is_roz(it)).map(|it| operands(it).collect());
    read.chain(unread_verbs(call))
}

fn unread_verbs<'a>(call: &'a ToolCall) -> impl Iterator<Item = Vec<&'a str>> {
    call.unread.iter().flat_map(|line| {
        let words: Vec<&str> = words_of(line).collect();
        let is_roz = |at: &usize| words[*at].rsplit('/').next() == Some("roz");
        let found: Vec<usize> = (0..words.len()).filter(is_roz).collect();
        found
            .into_iter()
            .map(|at| words[at + 1..].iter().copied().take(8).collect())
            .collect::<Vec<Vec<&str>>>()
    })
}

/// The words of a line that could not be read, by any sign that may end one.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`;&|(){}<>=,".contains(c);
    line.split(ends).filter(|it| !it.is_empty())
}

/// The same verb under whatever name the program has: a copy, a link.
fn disguised(call: &ToolCall, is_it: impl Fn(&[&str]) -> bool) -> Option<String> {
    let mut runs = runs(call).filter(|it| !is_roz(it) && !MENTIONS.contains(&base(it)));
    runs.find(|it| is_it(&operands(it).collect::<Vec<_>>())).map(line)
}

pub(super) fn decides_without_a_token(scene: Scene) -> Option<String> {
    if scene.agent.is_some_and(|it| scene.session.review.has_token(it)) {
        return None;
    }
    let is_verdict =
        |it: &&str| it.eq_ignore_ascii_case("COMPLETE") || it.eq_ignore_ascii_case("ISSUES");
    // A verb that is hidden has a reason to be.
    let decides = |words: &[&str]| words.first().is_some_and(|it| *it == "decide" || is_hidden(it));
    let found = verbs(scene.call).find(|it| decides(it));
    let found = found.map(|it| format!("roz {}", it.join(" ")));
    found.or_else(|| scheduled(scene.call, "decide")).or_else(|| {
        disguised(scene.call, |words| {
            words.first() == Some(&"decide") && words.iter().take(3).skip(1).any(is_verdict)
        })
    })
}

/// A table of commands for later that the line itself holds.
fn scheduled(call: &ToolCall, verb: &str) -> Option<String> {
    let run = runs(call).find(|it| base(it) == "crontab")?;
    let mut lines = call.command_lines();
    lines.any(|it| is_word_in(it, "roz") && is_word_in(it, verb)).then(|| line(run))
}

fn is_hidden(word: &str) -> bool {
    word.contains(HOLE)
}

pub(super) fn plays_the_client(scene: Scene) -> Option<String> {
    // Beyond the reader's bounds anything may stand: a mention is enough.
    let names = ["roz", ".claude", ".orchestration"];
    if scene.call.may_run_anything && names.iter().any(|it| scene.call.json.contains(it)) {
        return Some("a command line that is too long or too deep to be read".to_owned());
    }
    let found = verbs(scene.call).find(|it| it.first() == Some(&"hook"));
    let found = found.map(|it| format!("roz {}", it.join(" ")));
    found.or_else(|| scheduled(scene.call, "hook")).or_else(|| {
        disguised(scene.call, |words| {
            words.first() == Some(&"hook") && words.get(1).is_some_and(|it| is_in(EVENTS, it))
        })
    })
}

/// Code in another language that starts programs and names `roz decide`: what
/// it does cannot be followed, what it says can.
pub(super) fn code_reaches_for_roz(scene: Scene) -> Option<String> {
    const STARTS: &str =
        "spawn system popen Popen subprocess exec pty fork process pexpect expect %x shell `";
    let has_token = scene.agent.is_some_and(|it| scene.session.review.has_token(it));
    let mut codes = scene.call.readings.iter().flat_map(|it| &it.code);
    let found = codes.find(|code| {
        let reaches = is_word_in(code, "hook") || (is_word_in(code, "decide") && !has_token);
        reaches && is_word_in(code, "roz") && STARTS.split(' ').any(|it| code.contains(it))
    });
    found.cloned()
}

/// Whether `word` stands in `text` by itself; `.roz` is a folder, `roz.md` a
/// file.
fn is_word_in(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}

pub(super) fn reconfigures_roz(scene: Scene) -> Option<String> {
    // Asking how is free.
    let asks =
        |run: &Run| run.argv.iter().any(|it| it == "--help" || it == "-h" || it == "--dry-run");
    if runs(scene.call).filter(|it| is_roz(it)).all(asks) && scene.call.unread.is_empty() {
        return None;
    }
    let mut verbs = verbs(scene.call).map(|it| (it.join(" "), it));
    let changes = |words: &[&str]| match words {
        ["clean" | "uninstall" | "install", ..] => true,
        ["config", verb, ..] => !matches!(*verb, "show" | "check" | "schema" | "help"),
        _ => false,
    };
    let found = verbs.find(|(_, words)| changes(words)).map(|(text, _)| text);
    let imports = |run: &&Run| {
        is_roz(run)
            && operands(run).next() == Some("init")
            && run.argv.iter().any(|it| it.starts_with("--import") || is_hidden(it))
    };
    found
        .or_else(|| {
            runs(scene.call).find(imports).map(|it| operands(it).collect::<Vec<_>>().join(" "))
        })
        .map(|it| format!("roz {it}"))
}

pub(super) fn widens_an_intent(scene: Scene) -> Option<String> {
    const WIDENS: &[&str] = &["new", "expand", "complete"];
    let found = verbs(scene.call).find(|words| match words[..] {
        ["intent", verb, ..] => WIDENS.contains(&verb) || is_hidden(verb),
        _ => false,
    });
    if let Some(words) = found {
        return Some(format!("roz {}", words.join(" ")));
    }
    let name = scene.call.name.strip_prefix("mcp__")?;
    let (server, tool) = name.split_once("__")?;
    let words: Vec<&str> = tool.split(['_', '-', '.']).collect();
    let is_ours = server.contains("roz") && words.contains(&"intent");
    (is_ours && words.iter().any(|it| WIDENS.contains(it))).then(|| scene.call.name.clone())
}

pub(super) fn replaces_the_package(scene: Scene) -> Option<String> {
    const MANAGERS: &str = "cargo pip pip3 pipx uv npm pnpm yarn brew apt apt-get dnf yum pacman apk zypper \
        nix-env go binstall cargo-binstall";
    const VERBS: &str = "install uninstall remove rm i add upgrade purge binstall -S -R";
    let replaces = |run: &&Run| {
        is_in(MANAGERS, base(run))
            && run.argv.iter().any(|it| is_in(VERBS, it))
            && operands(run).any(|it| it == "roz" || it.starts_with("roz@"))
            // Into a project, not onto the system.
            && !(base(run) == "cargo" && run.argv.get(1).is_some_and(|it| it == "add" || it == "rm" || it == "remove"))
    };
    runs(scene.call).find(replaces).map(line)
}

pub(super) fn kills_roz(scene: Scene) -> Option<String> {
    let names_roz = |run: &Run| {
        run.argv.iter().skip(1).any(|it| {
            let word = it.rsplit('/').next().unwrap_or_default();
            word.trim_matches(['^', '$', '[', ']', '*', '.']).starts_with("roz")
                || is_word_in(it, "roz")
                || word.replace(['[', ']'], "").starts_with("roz")
        })
    };
    let by_name = |run: &&Run| {
        matches!(
            base(run),
            "pkill" | "killall" | "skill" | "killall5" | "Stop-Process" | "taskkill"
        ) && names_roz(run)
    };
    if let Some(run) = runs(scene.call).find(by_name) {
        return Some(line(run));
    }
    let looks_up = runs(scene.call).find(|it| {
        let lists =
            matches!(base(it), "pgrep" | "pidof" | "ps" | "lsof" | "fuser" | "grep" | "awk");
        lists && names_roz(it)
    });
    let kills = runs(scene.call).find(|it| {
        base(it) == "kill" && operands(it).any(is_hidden)
            || base(it) == "fuser"
                && it.argv.iter().any(|it| it.starts_with("-k") || it == "--kill")
    });
    looks_up.and(kills).map(line)
}

/// Runs of a client, or of what may be one.
fn clients<'a>(call: &'a ToolCall) -> impl Iterator<Item = &'a Run> {
    runs(call).filter(|it| {
        matches!(base(it), "claude" | "claude-code" | "claude.exe") || it.program.contains(HOLE)
    })
}

fn is_client(run: &Run) -> bool {
    !run.program.contains(HOLE)
}

pub(super) fn starts_a_client_without_hooks(scene: Scene) -> Option<String> {
    // Options that only a client has.
    const BARE: &[&str] = &["--bare", "--safe-mode", "--setting-sources"];
    let has = |run: &Run, option: &str| {
        let is_it = |it: &String| {
            it == option || it.strip_prefix(option).is_some_and(|it| it.starts_with('='))
        };
        run.argv.iter().any(is_it)
    };
    let is_home = |name: &str| HOMES.contains(&name) || name.starts_with("ROZ_");
    let found = clients(scene.call).find(|run| {
        BARE.iter().any(|it| has(run, it))
            || is_client(run)
                && (has(run, "--settings") || run.assignments.iter().any(|(name, _)| is_home(name)))
    });
    if let Some(run) = found {
        return Some(line(run));
    }
    let client = clients(scene.call).find(|it| is_client(it))?;
    // What a shell in between was given, the reading does not carry along.
    const OTHERS: &[&str] = &["su", "sudo", "doas", "runuser", "machinectl"];
    let mut lines = scene.call.command_lines();
    let moves = lines.any(|it| {
        let mut words = words_of(it);
        words.any(|word| OTHERS.contains(&word) || HOMES[..3].contains(&word))
    });
    moves.then(|| line(client))
}

pub(super) fn resumes_this_session(scene: Scene) -> Option<String> {
    let own = scene.session_id.as_str();
    let is_own = |it: &str| it.is_empty() || is_hidden(it) || own == it;
    let resumes = |run: &&Run| {
        let words = &run.argv[1..];
        words.iter().enumerate().any(|(at, word)| match word.as_str() {
            "-c" | "--continue" => true,
            "-r" | "--resume" | "--session-id" => match words.get(at + 1) {
                Some(id) => is_own(id) || (id.starts_with('-') && word != "--session-id"),
                None => true,
            },
            it => {
                ["--resume=", "--session-id="]
                    .iter()
                    .any(|option| it.strip_prefix(option).is_some_and(is_own))
                    || it.strip_prefix("-r").is_some_and(|id| id == own)
            }
        })
    };
    clients(scene.call).filter(|it| is_client(it)).find(resumes).map(line)
}

pub(super) fn unplugs_roz(scene: Scene) -> Option<String> {
    let is_roz = |it: &&str| it.split('@').next() == Some("roz") || is_hidden(it);
    let all = |run: &Run| run.argv.iter().any(|it| it == "--all" || it == "-a");
    let unplugs = |run: &&Run| {
        let words: Vec<&str> = operands(run).collect();
        match words[..] {
            ["plugin" | "plugins", "disable" | "uninstall" | "remove" | "rm", ref rest @ ..] => {
                rest.iter().any(&is_roz) || all(run)
            }
            ["plugin" | "plugins", "marketplace", "remove" | "rm", ref rest @ ..] => {
                rest.iter().any(&is_roz)
            }
            ["config", "set" | "add" | "remove" | "rm", ref rest @ ..] => rest.iter().any(|it| {
                let it = it.to_lowercase();
                ["hook", "plugin", "env"].iter().any(|word| it.contains(word))
            }),
            _ => false,
        }
    };
    clients(scene.call).find(unplugs).map(line)
}

pub(super) fn talks_to_a_reviewer(scene: Scene) -> Option<String> {
    const ADDRESSES: &[&str] = &["to", "recipient", "agent_id", "agentId", "target", "name"];
    if scene.call.name != "SendMessage" {
        return None;
    }
    let mut addresses = ADDRESSES.iter().filter_map(|field| scene.call.text(field));
    let is_reviewer = |it: &&str| {
        scene.session.review.is_reviewer(it.trim()) || it.trim().eq_ignore_ascii_case(REVIEWER)
    };
    addresses.find(is_reviewer).map(str::to_owned)
}

pub(super) fn starts_a_reviewer_by_workflow(scene: Scene) -> Option<String> {
    let call = scene.call;
    (call.name == "Workflow" && call.json.contains(REVIEWER)).then(|| call.name.clone())
}

pub(super) fn schedules_a_command(scene: Scene) -> Option<String> {
    let prompt = scene.call.schedules()?;
    review::command(&prompt.prompt).is_some().then_some(prompt.prompt)
}
