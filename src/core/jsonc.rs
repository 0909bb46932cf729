//! Parses JSON that may have comments, to a limited depth: the parser's stack has no limit of its own.

use jsonc_parser::{ParseOptions, cst::CstRootNode};

const MAX_DEPTH: usize = 128;

/// # Errors
///
/// Why it cannot be parsed, with the line.
pub fn parse(text: &str, options: &ParseOptions) -> Result<CstRootNode, String> {
    if depth(text) > MAX_DEPTH {
        return Err("it is nested too deeply".to_owned());
    }
    CstRootNode::parse(text, options).map_err(|err| err.to_string())
}

/// At most so deep: brackets in texts and comments count, too.
fn depth(text: &str) -> usize {
    let mut depth: usize = 0;
    let opened = text.bytes().map(|byte| {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => (),
        }
        depth
    });
    opened.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_too_deeply_is_not_parsed() {
        let parse = |text: &str| parse(text, &ParseOptions::default());
        assert!(parse("{\"a\": [1] // x\n}").is_ok());
        assert!(parse(&"[".repeat(100_000)).unwrap_err().contains("deeply"));
        assert!(parse("{\n\"a\" 1}").unwrap_err().contains("line 2"));
    }
}
