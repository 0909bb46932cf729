//! Rules about the client's own command line: no second client without these
//! hooks, or in this session's place.

use super::{
    Scene,
    commands::{base, is_hidden, line, words_of},
};
use crate::{
    core::event::ToolCall,
    shell::{self, HOLE, Run},
};

/// Variables without which the client is another one, or has other hooks.
const HOMES: [&str; 4] = ["HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "PATH"];

/// What follows the client's name, where a run is one of a client:
/// `claude …`, `…/claude/versions/2.1.330 …`, `node …/claude-code/cli.js …`,
/// `npx @anthropic-ai/claude-code@2 …`.
fn words_of_client(run: &Run) -> Option<&[String]> {
    let words = run.argv.get(1..)?;
    let name = shell::last_part(&run.program);
    // Every run of every line is asked, several times.
    let first = *name.as_bytes().first()?;
    if !matches!(first, b'c' | b'n' | b'b' | b'd' | b'0'..=b'9') {
        return None;
    }
    let name = name.split_once('@').map_or(name, |it| it.0);
    if matches!(name, "claude" | "claude-code") || run.argv[0].contains("/claude/versions/") {
        return Some(words);
    }
    if !matches!(
        name.trim_end_matches(|c: char| c.is_ascii_digit()),
        "node" | "nodejs" | "bun" | "deno"
    ) {
        return None;
    }
    // `node $(which claude)`
    let is_clients = |it: &String| {
        it.split(['/', '@', ':']).any(|it| it == "claude-code") || shell::last_part(it) == "claude"
    };
    let at = words.iter().position(|it| !it.starts_with('-') && is_clients(it))?;
    words.get(at + 1..)
}

/// Runs of a client, with its words.
fn clients<'a>(call: &'a ToolCall) -> impl Iterator<Item = (&'a Run, &'a [String])> {
    call.runs().filter_map(|it| Some((it, words_of_client(it)?)))
}

/// The same, and runs of what may be one.
fn possible_clients<'a>(call: &'a ToolCall) -> impl Iterator<Item = (&'a Run, &'a [String])> {
    let unknown = call.runs().filter(|it| it.program.contains(HOLE));
    clients(call).chain(unknown.map(|it| (it, &it.argv[1..])))
}

fn has(words: &[String], option: &str) -> bool {
    words
        .iter()
        .any(|it| it == option || it.strip_prefix(option).is_some_and(|it| it.starts_with('=')))
}

pub(super) fn starts_a_client_without_hooks(scene: Scene) -> Option<String> {
    // Options that only a client has.
    const BARE: &[&str] = &["--bare", "--safe-mode", "--setting-sources"];
    let is_bare = |words: &[String]| BARE.iter().any(|it| has(words, it));
    let found = possible_clients(scene.call).find(|(_, words)| is_bare(words));
    if let Some((run, _)) = found {
        return Some(line(run));
    }
    let is_home = |name: &str| HOMES.contains(&name) || name.starts_with("ROZ_");
    let found = clients(scene.call).find(|(run, words)| {
        has(words, "--settings") || run.assignments.iter().any(|(name, _)| is_home(name))
    });
    if let Some((run, _)) = found {
        return Some(line(run));
    }
    let (client, _) = clients(scene.call).next()?;
    // `export PATH=x:$PATH; claude`
    let exports = |run: &&Run| {
        let sets = matches!(base(run), "export" | "declare" | "typeset" | "readonly");
        sets && run.argv.iter().any(|it| it.starts_with("PATH="))
    };
    if let Some(run) = scene.call.runs().find(exports) {
        return Some(line(run));
    }
    // What a shell in between was given, the reading does not carry along.
    const OTHERS: &[&str] = &["su", "sudo", "doas", "runuser", "machinectl"];
    let mut lines = scene.call.command_lines();
    let moves = lines.any(|it| {
        let mut words = words_of(&it);
        words.any(|word| OTHERS.contains(&word) || HOMES[..3].contains(&word))
            || empties(&it)
            || sets(&it, "PATH=")
            || sets_own(&it)
            || takes_away(&it)
    });
    moves.then(|| line(client))
}

/// Whether a line says where programs are looked for: what was exported stays so.
fn sets(line: &str, name: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| !line[..at].ends_with(joins))
}

/// `export ROZ_HOME=…`: what is roz's own.
fn sets_own(line: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut places = line.match_indices("ROZ_").map(|(at, _)| &line[at..]);
    places.any(|it| it.trim_start_matches(is_name).starts_with('='))
}

/// `unset ROZ_HOME`, `env -u PATH`, `export -n`, `declare +x`: what roz is found by.
fn takes_away(line: &str) -> bool {
    let takes = |word: &str| {
        matches!(word, "unset" | "-n" | "+x") || word.starts_with("-u") || word.starts_with("--un")
    };
    let name = |word: &str| {
        let name = word.rsplit('=').next().unwrap_or(word);
        let name = name.strip_prefix("-u").unwrap_or(name);
        name == "PATH" || name.starts_with("ROZ_")
    };
    words_of(line).any(takes) && words_of(line).any(name)
}

/// Whether a line starts something with an empty environment: `env -i`, `env -`,
/// `exec -c`.
fn empties(line: &str) -> bool {
    let mut words = words_of(line).peekable();
    while let Some(word) = words.next() {
        let (letter, long) = match word.rsplit('/').next() {
            Some("env" | "genv") => ('i', "--ignore"),
            Some("exec") => ('c', "--none"),
            _ => continue,
        };
        while let Some(option) = words.next_if(|it| it.starts_with('-')) {
            let is_cluster = !option.starts_with("--") && option.contains(letter);
            if is_cluster || option.starts_with(long) || (letter == 'i' && option == "-") {
                return true;
            }
        }
    }
    false
}

pub(super) fn resumes_this_session(scene: Scene) -> Option<String> {
    let own = scene.session_id.as_str();
    let is_own = |it: &str| it.is_empty() || is_hidden(it) || own == it;
    let resumes = |words: &[String]| {
        words.iter().enumerate().any(|(at, word)| {
            let next = words.get(at + 1).map(String::as_str);
            // Without an id the newest session is offered: this one.
            let picks = next.is_none_or(|id| is_own(id) || id.starts_with('-'));
            match word.as_str() {
                "--continue" => true,
                "--resume" => picks,
                "--session-id" => next.is_none_or(is_own),
                it if it.starts_with("--") => ["--resume=", "--session-id="]
                    .iter()
                    .any(|option| it.strip_prefix(option).is_some_and(is_own)),
                it => match cluster(it) {
                    Some(("c", _)) => true,
                    Some(("r", "")) => picks,
                    Some((_, id)) => is_own(id),
                    None => false,
                },
            }
        })
    };
    clients(scene.call).find(|(_, words)| resumes(words)).map(|it| line(it.0))
}

/// `-c` or `-r` among joined letters, and what follows `-r`: `-pc`, `-pr id`,
/// `-rid`.
fn cluster(word: &str) -> Option<(&str, &str)> {
    let letters = word.strip_prefix('-')?;
    // The value of another option may stand joined to its letter.
    let flags = letters.find(|c: char| !"pvh".contains(c))?;
    let rest = &letters[flags..];
    match rest.get(..1) {
        Some("c") => Some(("c", "")),
        Some("r") => Some(("r", &rest[1..])),
        _ => None,
    }
}

pub(super) fn unplugs_roz(scene: Scene) -> Option<String> {
    let is_roz = |it: &&str| it.split('@').next() == Some("roz") || is_hidden(it);
    let all = |words: &[String]| words.iter().any(|it| it == "--all" || it == "-a");
    let unplugs = |words: &[String]| {
        let operands = words.iter().map(String::as_str).filter(|it| !it.starts_with('-'));
        match operands.collect::<Vec<&str>>()[..] {
            ["plugin" | "plugins", "disable" | "uninstall" | "remove" | "rm", ref rest @ ..] => {
                rest.iter().any(&is_roz) || all(words)
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
    possible_clients(scene.call).find(|(_, words)| unplugs(words)).map(|it| line(it.0))
}
