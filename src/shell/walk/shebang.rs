//! Who runs a text, by its first line.

use super::super::Interpreter;

/// Who runs a text, by its first line; a shell where it has none.
pub(super) fn shebang(text: &str) -> Interpreter {
    let first = text.lines().next().unwrap_or("");
    let Some(line) = first.strip_prefix("#!") else { return Interpreter::Shell };
    let known = line.split(['/', ' ', '\t']).rev().find_map(language);
    known.unwrap_or(Interpreter::Shell)
}

/// The language of an interpreter's name, its version left out.
pub(super) fn language(name: &str) -> Option<Interpreter> {
    Some(match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" | "pypy" | "uv" => Interpreter::Python,
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" | "vite-node" | "jiti" | "esno" => {
            Interpreter::JavaScript
        }
        "perl" => Interpreter::Perl,
        "ruby" => Interpreter::Ruby,
        "php" => Interpreter::Php,
        "awk" | "gawk" | "mawk" => Interpreter::Awk,
        "lua" | "luajit" => Interpreter::Lua,
        "tclsh" | "expect" | "wish" => Interpreter::Tcl,
        "osascript" => Interpreter::AppleScript,
        "make" => Interpreter::Make,
        _ => return None,
    })
}
