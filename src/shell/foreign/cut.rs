//! Whether code takes texts apart, so that what stands in the middle of one may stand by itself:
//! `HELP.split()[1:]`, `HELP[4:]`. Without that a program in the middle of a sentence is a mention.

use super::super::Interpreter;
use super::token::Token;

/// What takes texts apart, as far as it is asked: of other languages nobody knows.
const PYTHON: &[&str] = &[
    "split",
    "rsplit",
    "partition",
    "rpartition",
    "removeprefix",
    "removesuffix",
    "lstrip",
    "replace",
    "translate",
    "re",
    "regex",
    "sub",
    "search",
    "match",
    "findall",
    "finditer",
    "readline",
    "read",
    "eval",
    "exec",
    "words",
    "slice",
    "islice",
    "itemgetter",
    "wrap",
    "seek",
    "unpack",
    "shlex",
];
const JAVASCRIPT: &[&str] = &[
    "split",
    "slice",
    "substr",
    "substring",
    "replace",
    "replaceAll",
    "match",
    "matchAll",
    "eval",
    "Function",
    "RegExp",
];

/// Brackets are looked into so far.
const NEAR: usize = 16;

/// Whether code may use a part of a text of its own.
pub(super) fn cuts_texts(tokens: &[Token], language: Interpreter) -> bool {
    let names = match language {
        Interpreter::Python => PYTHON,
        Interpreter::JavaScript => JAVASCRIPT,
        _ => return true,
    };
    let is_sign = |at: usize, sign: char| tokens.get(at) == Some(&Token::Sign(sign));
    // The arguments are no text of its own.
    let is_argv = |at: Option<usize>| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(Token::Word(word)) if word == "argv")
    };
    tokens.iter().enumerate().any(|(at, token)| match token {
        Token::Word(word) if names.contains(&word.as_str()) => {
            !is_sign(at.wrapping_sub(1), '.') || !is_argv(at.checked_sub(2))
        }
        Token::Number if language == Interpreter::JavaScript => is_sign(at + 1, '.'),
        Token::Sign('[') if language == Interpreter::Python => {
            let follows = at.checked_sub(1).and_then(|it| tokens.get(it));
            let is_behind =
                matches!(follows, Some(Token::Word(_) | Token::Text(_) | Token::Sign(')' | ']')));
            is_behind && !is_argv(at.checked_sub(1)) && is_range(tokens, at + 1)
        }
        _ => false,
    })
}

/// Whether what stands in brackets, from behind the first, is a range, or too long to say.
fn is_range(tokens: &[Token], from: usize) -> bool {
    let mut depth = 0_usize;
    for token in tokens.iter().skip(from).take(NEAR) {
        match token {
            Token::Sign(':') if depth == 0 => return true,
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(']') if depth == 0 => return false,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn texts_are_taken_apart_by_what_is_made_for_it() {
        let cuts = |code: &str, language| cuts_texts(&tokens(code, language).0, language);
        for code in ["run(H.split())", "run(H[4:])", "x = re.sub('a', '', H)"] {
            assert!(cuts(code, Interpreter::Python), "{code}");
        }
        for code in ["run(sys.argv[1:])", "run(C[name])", "d = {'a': [1, 2]}", "x: list[int] = []"]
        {
            assert!(!cuts(code, Interpreter::Python), "{code}");
        }
        assert!(cuts("run(h.slice(4))", Interpreter::JavaScript));
        assert!(!cuts("run(process.argv.slice(2))", Interpreter::JavaScript));
        assert!(cuts("system(h)", Interpreter::Perl));
    }
}
