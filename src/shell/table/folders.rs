//! The folders that programs work in, if their own options name them.

use super::global_options;
use crate::shell::field::Field;
use crate::shell::last_part;

/// Programs, and their options that name the folder in which they work.
const FOLDERS: &[(&str, &[&str])] = &[
    ("git", &["C", "git-dir"]),
    ("hub", &["C", "git-dir"]),
    ("hg", &["cwd", "R", "repository"]),
    ("jj", &["R", "repository"]),
    ("make", &["C", "directory"]),
    ("just", &["d", "working-directory"]),
    ("cargo", &["C", "manifest-path"]),
    ("go", &["C"]),
    ("npm", &["C", "prefix"]),
    ("pnpm", &["C", "dir"]),
    ("yarn", &["cwd"]),
    ("bun", &["cwd"]),
    ("uv", &["directory"]),
    ("poetry", &["C", "directory"]),
    ("terraform", &["-chdir"]),
    ("tofu", &["-chdir"]),
];

/// The folders that a program's own options change to, each relative to the previous one: `../b` in
/// `git -C ../b push` and in `make release -C ../b`.
pub(in crate::shell) fn of_options(program: &str, argv: &[String]) -> Vec<String> {
    // Most runs have no such option.
    if !argv.iter().skip(1).any(|word| word.starts_with('-')) {
        return Vec::new();
    }
    let names = FOLDERS.iter().find(|(name, _)| *name == program).map(|(_, names)| *names);
    let (Some(names), Some(row)) = (names, global_options::find(program)) else {
        return Vec::new();
    };
    let words: Vec<Field> = argv.iter().map(|word| Field::literal(word)).collect();
    let given = match program {
        // `git commit -C HEAD`: after the subcommand they mean something else.
        "git" | "hub" => row.grammar.leading(&words, 1).0,
        _ => row.grammar.take(&words, 1).options,
    };
    let leading = given.iter().filter(|option| names.contains(&option.name.as_str()));
    leading.filter_map(|option| of_option(&option.name, &option.value.as_ref()?.text)).collect()
}

/// The folder that an option's value changes to. For `.git` it is the work tree, and for a manifest
/// its folder.
pub(in crate::shell) fn of_option(option: &str, value: &str) -> Option<String> {
    let path = value.trim_end_matches('/');
    let last = last_part(path);
    let is_inside = option == "manifest-path" || option == "git-dir" && last == ".git";
    let folder = if is_inside { &path[..path.len() - last.len()] } else { value };
    (!folder.is_empty()).then(|| folder.to_owned())
}
