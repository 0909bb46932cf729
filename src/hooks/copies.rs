//! What a run of a copier takes, and where it puts that.

use crate::shell::{HOLE, Run};

#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub(super) struct Copy<'a> {
    pub(super) sources: Vec<&'a str>,
    pub(super) target: &'a str,
    /// The target is a folder for certain.
    pub(super) into: bool,
    /// The target is what the source becomes: `cp -T`.
    pub(super) flat: bool,
    pub(super) moves: bool,
    /// It is rsync: of a folder with a slash at its end it takes what is in it.
    pub(super) syncs: bool,
    /// Names that it leaves out, and whether only folders of that name.
    pub(super) without: Vec<(&'a str, bool)>,
}

impl<'a> Copy<'a> {
    pub(super) fn of(run: &'a Run) -> Option<Self> {
        let mut target = None;
        let mut flat = false;
        let syncs = run.program == "rsync";
        let mut without = Vec::new();
        let mut leave_out = |pattern: &'a str| {
            // A plain name is left out wherever it stands; one with a slash before it at the top.
            // With one behind it, it is a folder.
            let name = pattern.trim_end_matches('/');
            if !name.contains(['/', '*', '?', '[', '\\', HOLE]) && !name.is_empty() {
                without.push((name, name.len() < pattern.len()));
            }
        };
        let mut operands: Vec<&str> = Vec::new();
        let mut words = run.argv.iter().skip(1).map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--" => operands.extend(words.by_ref()),
                "-t" | "--target-directory" => target = words.next(),
                "--exclude" if syncs => words.next().into_iter().for_each(&mut leave_out),
                "--include" | "--filter" | "-f" | "-e" | "--rsh" | "--exclude-from" if syncs => {
                    words.next();
                }
                it if syncs && it.starts_with("--exclude=") => {
                    it.split_once('=').map(|it| it.1).into_iter().for_each(&mut leave_out);
                }
                "-m" | "-o" | "-g" | "-S" | "--mode" | "--owner" | "--group" => {
                    words.next();
                }
                it if it.starts_with("--target-directory=") => {
                    target = it.split_once('=').map(|it| it.1);
                }
                it if it.starts_with("--") || it == "-" => flat |= it == "--no-target-directory",
                it if it.starts_with('-') && it.contains('T') => flat |= run.program != "rsync",
                it if it.starts_with('-') => match it.split_once('t') {
                    // `-vt folder`, `-tfolder`; rsync keeps times.
                    Some(_) if run.program == "rsync" => {}
                    Some((_, "")) => target = words.next(),
                    Some((_, rest)) => target = Some(rest),
                    None => {}
                },
                it => operands.push(it),
            }
        }
        // Rules that take in again, or begin anew: `--include`, `--exclude='+ x'`, `--exclude='!'`.
        let takes_in = run.argv.iter().any(|it| {
            let rule = it.strip_prefix("--exclude=").unwrap_or(it);
            rule.starts_with(['+', '!'])
                || ["--incl", "--filt", "--exclude-"].iter().any(|name| it.starts_with(name))
                || it.starts_with('-') && !it.starts_with("--") && it.contains(['f', 'F'])
        });
        let into = target.is_some() || operands.len() > 2;
        let target = match target {
            Some(it) => it,
            None => operands.pop()?,
        };
        (!target.contains(HOLE)).then(|| Copy {
            sources: operands,
            target,
            into: !flat && (into || target.ends_with('/')),
            flat,
            moves: matches!(run.program.as_str(), "mv" | "gmv"),
            syncs,
            // What is taken in again is not told apart.
            without: if takes_in { Vec::new() } else { without },
        })
    }
}
