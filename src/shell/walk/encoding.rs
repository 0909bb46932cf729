//! Encodings of known text, and what they hold: `base64`, `xxd -p`.

/// `base64 -d`, `basenc --base32 --decode`
pub(super) fn based(name: &str, texts: &[&str], operands: &[&str], input: &str) -> Option<String> {
    let is_base = |it: &&&str| it.starts_with("--b") || it.starts_with("--z");
    let base = match texts.iter().find(is_base) {
        Some(base) if name == "basenc" => base.trim_start_matches('-'),
        _ => name.trim_start_matches('g'),
    };
    let (alphabet, width) = match base {
        "base32" => (BASE32, 5),
        "base32hex" => (BASE32_HEX, 5),
        "base16" => (BASE16, 4),
        "base2msbf" => (&b"01"[..], 1),
        _ => (BASE64, 6),
    };
    let is_short = |it: &&str| it.starts_with('-') && !it.starts_with("--");
    let decodes = |it: &&str| {
        is_short(it) && it.contains(['d', 'D']) || it.len() > 2 && "--decode".starts_with(it)
    };
    if texts.iter().any(decodes) {
        let input = if base == "base64url" {
            input.replace('-', "+").replace('_', "/")
        } else {
            input.to_owned()
        };
        Some(lossy(&decoded(&input, alphabet, width)))
    } else {
        operands.is_empty().then(|| encoded(input.as_bytes(), alphabet, width))
    }
}

pub(super) const BASE64: &[u8] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE32_HEX: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BASE16: &[u8] = b"0123456789ABCDEF";
pub(super) const HEXADECIMAL: &[u8] = b"0123456789abcdef";

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Text that code decodes: `b64decode("…")`, `fromhex("…")`.
pub(in super::super) fn unpacked(name: &str, text: &str) -> Option<String> {
    match name {
        "b64decode" | "decode_base64" | "atob" | "base64_decode" | "decode64"
        | "urlsafe_b64decode" | "decodestring" | "standard_b64decode" => {
            Some(lossy(&decoded(text, BASE64, 6)))
        }
        "fromhex" | "unhexlify" | "hex2bin" | "a2b_hex" => {
            Some(lossy(&decoded(&text.to_ascii_lowercase(), HEXADECIMAL, 4)))
        }
        _ => None,
    }
}

/// Digits of `width` bits to bytes; whatever is no digit is left out.
pub(super) fn decoded(input: &str, alphabet: &[u8], width: u32) -> Vec<u8> {
    let mut places = [None; 256];
    for (value, digit) in (0_u32..).zip(alphabet) {
        places[usize::from(*digit)] = Some(value);
    }
    let mut bytes = Vec::with_capacity(input.len());
    let (mut bits, mut buffer) = (0, 0_u32);
    for value in input.bytes().filter_map(|byte| places[usize::from(byte)]) {
        buffer = buffer << width | value;
        bits += width;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff).to_le_bytes()[0]);
        }
        buffer &= (1 << bits) - 1;
    }
    bytes
}

pub(super) fn encoded(input: &[u8], alphabet: &[u8], width: u32) -> String {
    let mut text = String::new();
    let (mut bits, mut buffer) = (0, 0_usize);
    for byte in input {
        buffer = buffer << 8 | usize::from(*byte);
        bits += 8;
        while bits >= width {
            bits -= width;
            text.push(char::from(alphabet[buffer >> bits]));
            buffer &= (1 << bits) - 1;
        }
    }
    if bits > 0 {
        text.push(char::from(alphabet[buffer << (width - bits)]));
    }
    if width == 6 {
        while !text.len().is_multiple_of(4) {
            text.push('=');
        }
    }
    text.push('\n');
    text
}
