//! Fields of a server's tool that name where it puts something: a tool that only reads by its name
//! writes that path all the same.

use serde_json::Value;

use super::{is_one, words};

/// Whatever they hold is a path, and the tool's to write.
const WRITTEN: &str = "\
    outputpath outputfile outputdir outputdirectory outputfolder outputfilename outfile \
    outpath outdir localpath localfile saveto savepath saveas destinationpath destpath \
    destfile downloadpath exportpath targetpath targetfile";

/// They may hold a form (`output: "json"`) or an address as well.
const PERHAPS: &str = "output out destination dest dst target";

/// By a tool that is about files, the file that it reads.
const NAMES: &str = "filename";

/// Words of a tool's name that say that its file is there already.
const OF_FILES: &str = "\
    file files read content contents text document open view search find info stat lines \
    diff log history";

/// The field that says where the tool `tool` writes, if one of its input does.
pub(super) fn output(tool: &str, input: &Value) -> Option<String> {
    let said = words(tool);
    let is_of_files = said.iter().any(|text| is_one(OF_FILES, text));
    find(input, is_of_files, 0)
}

fn find(value: &Value, is_of_files: bool, depth: usize) -> Option<String> {
    /// As deep as the payload may be.
    const MAX_DEPTH: usize = 128;
    let inner = |value: &Value| find(value, is_of_files, depth + 1);
    match value {
        _ if depth >= MAX_DEPTH => None,
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match value {
            Value::String(text) => names_place(name, text, is_of_files).then(|| name.clone()),
            value => inner(value),
        }),
        Value::Array(items) => items.iter().find_map(inner),
        _ => None,
    }
}

fn names_place(field: &str, text: &str, is_of_files: bool) -> bool {
    let name = words(field).concat();
    let is_address =
        text.split_once("://").is_some_and(|parts| !parts.0.eq_ignore_ascii_case("file"));
    if text.is_empty() || is_address {
        return false;
    }
    let has = |list: &str| is_one(list, &name);
    let is_like_path =
        text.contains(['/', '\\']) || text.contains('.') && !text.contains(char::is_whitespace);
    has(WRITTEN) || has(PERHAPS) && is_like_path || has(NAMES) && !is_of_files
}

#[cfg(test)]
mod tests;
