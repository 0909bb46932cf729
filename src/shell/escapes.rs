//! The backslash escapes of `echo -e`, `printf` and `$'…'`.

pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let number = |rest: &mut std::iter::Peekable<_>, radix: u32, most: usize| {
            let mut value = 0_u32;
            for _ in 0..most {
                let digit = rest.next_if(|byte: &u8| char::from(*byte).is_digit(radix));
                let Some(digit) = digit.and_then(|digit| char::from(digit).to_digit(radix)) else {
                    break;
                };
                value = value.wrapping_mul(radix).wrapping_add(digit);
            }
            value
        };
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(b'e' | b'E') => bytes.push(27),
            Some(b'c') => break,
            Some(b'x') => bytes.push(number(&mut rest, 16, 2).to_le_bytes()[0]),
            Some(b'u') => push_character(&mut bytes, number(&mut rest, 16, 4)),
            Some(b'U') => push_character(&mut bytes, number(&mut rest, 16, 8)),
            Some(b'0') => bytes.push(number(&mut rest, 8, 3).to_le_bytes()[0]),
            Some(digit @ b'1'..=b'7') => {
                let first = u32::from(digit - b'0');
                let more = rest.clone().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let tail = number(&mut rest, 8, more);
                let scale = 8_u32.pow(u32::try_from(more).unwrap_or(0));
                bytes.push((first * scale + tail).to_le_bytes()[0]);
            }
            Some(sign @ (b'\\' | b'\'' | b'"' | b'?')) => bytes.push(sign),
            None => bytes.push(b'\\'),
            Some(other) => bytes.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn push_character(bytes: &mut Vec<u8>, code: u32) {
    if let Some(character) = char::from_u32(code) {
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}
