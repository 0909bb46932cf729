//! Fields of a server's tool that name where it puts something: a tool that only reads by its name
//! writes that path all the same.

use serde_json::Value;

use super::{is_one, words};

/// Words of a field that say so: `outputPath`, `save_to`, `dest`.
const PUTS: &str = "output out outfile outpath outdir outputpath outputfile outputdir save saveto \
    savepath saveas dest dst destination destpath export download local localpath target targetpath";

/// Words beside them that say that it is a path; else the text has to look like one, as it may be a
/// form (`output: "json"`).
const PLACES: &str = "path file dir directory folder filename name to as outputpath outputfile \
    outputdir outpath outdir outfile saveto savepath saveas localpath destpath targetpath";

/// Words of a tool's name that say that its `filename` is there already.
const OF_FILES: &str = "\
    file files read content contents text document open view search find info stat lines \
    diff log history";

/// The field that says where the tool `tool` writes, if one of its input does.
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
    input.as_object()?.iter().find(is_it).map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests;
