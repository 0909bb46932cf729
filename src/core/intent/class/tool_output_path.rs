//! Finds the input field that says where a server's tool writes. A tool whose name says that it
//! reads may still write there.

use serde_json::Value;

use super::{is_one, words};

/// Words in field names for outputs: `outputPath`, `save_to`, `dest`.
const PUTS: &str = "output out outfile outpath outdir outputpath outputfile outputdir save saveto \
    savepath saveas dest dst destination destpath export download local localpath target targetpath";

/// Words in field names for paths. Without one, the value has to look like a path: `output: "json"`
/// is a format.
const PLACES: &str = "path file dir directory folder filename name to as outputpath outputfile \
    outputdir outpath outdir outfile saveto savepath saveas localpath destpath targetpath";

/// Tools with one of these words in their name take the `filename` of an existing file.
const OF_FILES: &str = "\
    file files read content contents text document open view search find info stat lines \
    diff log history";

pub(super) fn output(tool: &str, input: &Value) -> Option<String> {
    let has = |words: &[String], list: &str| words.iter().any(|word| is_one(list, word));
    let is_of_files = has(&words(tool), OF_FILES);
    let is_it = |(name, value): &(&String, &Value)| {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { return false };
        let scheme = text.split_once("://").map_or("file", |(scheme, _)| scheme);
        let is_like_path =
            text.contains(['/', '\\']) || text.contains('.') && !text.contains(char::is_whitespace);
        let field = words(name);
        let puts = has(&field, PUTS) && (has(&field, PLACES) || is_like_path);
        scheme.eq_ignore_ascii_case("file")
            && (puts || field.concat() == "filename" && !is_of_files)
    };
    match input {
        Value::Object(fields) => {
            let own = fields.iter().find(is_it).map(|(name, _)| name.clone());
            own.or_else(|| fields.values().find_map(|inner| output(tool, inner)))
        }
        Value::Array(items) => items.iter().find_map(|item| output(tool, item)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
