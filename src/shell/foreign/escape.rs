//! Letters that a literal says by backslash and number.

/// The escapes that most languages share.
pub(super) fn unescaped(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            result.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('\n') | None => {}
            Some('x') => result.extend(code_point(&mut characters, 2)),
            Some('u') => result.extend(code_point(&mut characters, 4)),
            Some(digit @ '0'..='7') => {
                let more = characters.as_str().bytes().take(2);
                let more = more.take_while(|it| matches!(it, b'0'..=b'7')).count();
                let mut value = digit.to_digit(8).unwrap_or_default();
                for next in characters.by_ref().take(more) {
                    value = value * 8 + next.to_digit(8).unwrap_or_default();
                }
                result.extend(char::from_u32(value));
            }
            Some(other) => result.push(other),
        }
    }
    result
}

fn code_point(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    // `\u{70}`
    let rest = characters.as_str();
    let end = rest.bytes().take(8).position(|it| it == b'}');
    if let Some(number) = end.and_then(|end| rest[..end].strip_prefix('{')) {
        *characters = rest[number.len() + 2..].chars();
        return u32::from_str_radix(number.trim(), 16).ok().and_then(char::from_u32);
    }
    let mut value = 0;
    for _ in 0..digits {
        let mut ahead = characters.clone();
        let Some(digit) = ahead.next().and_then(|c| c.to_digit(16)) else { break };
        value = value * 16 + digit;
        *characters = ahead;
    }
    char::from_u32(value)
}
