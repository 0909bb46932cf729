//! Addresses as curl and wget take them: the name of what is fetched, the file that one names.

use super::super::HOLE;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The last name of an address.
pub(super) fn name_of_address(address: &str) -> Cow<'_, str> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |it| it.1);
    match with_any(path) {
        Cow::Borrowed(path) => Cow::Borrowed(path.rsplit_once('/').map_or("", |it| it.1)),
        Cow::Owned(path) => Cow::Owned(path.rsplit_once('/').map_or("", |it| it.1).to_owned()),
    }
}

/// The file that an address of this machine names: `file:///a`, `FILE:/a`, `file://localhost/%61`.
pub(super) fn file_of_address(address: &str) -> Option<String> {
    let listed = with_any(address);
    let Some((scheme, rest)) = listed.split_once(':') else {
        // `{file:///a,file:///b}`
        let is_one = address.to_ascii_lowercase().contains("file:");
        return is_one.then(|| HOLE.to_string());
    };
    if !(scheme.eq_ignore_ascii_case("file") || scheme.contains('*')) {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            // `$PWD` is `.`: where the line stands.
            if rest == "." || rest.starts_with("./") {
                return Some(percent_decode_str(rest).decode_utf8_lossy().into_owned());
            }
            // `~` is what `$HOME` says; where a hole stands, nobody knows where the name ends.
            let (host, path) = rest.split_at(rest.find(['/', '~', HOLE])?);
            let hosts = ["", "localhost", "127.0.0.1"];
            let is_here = hosts.iter().any(|it| host.eq_ignore_ascii_case(it));
            if !(is_here || host.contains('*')) {
                return None;
            }
            path
        }
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.starts_with(['/', '~', HOLE])
        .then(|| percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// What curl makes of `{a,b}` and `[1-9]` is any text.
pub(super) fn with_any(path: &str) -> Cow<'_, str> {
    let span = path.find(['{', '[']).zip(path.rfind(['}', ']'])).filter(|(from, to)| from < to);
    match span {
        Some((from, to)) => Cow::Owned(format!("{}*{}", &path[..from], &path[to + 1..])),
        None => Cow::Borrowed(path),
    }
}
