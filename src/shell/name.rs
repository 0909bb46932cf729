//! What a program or a file is called, wherever it lies.

/// What stands behind the last slash. As every run of every line is asked by it,
/// several times, it goes through the bytes itself.
pub fn last_part(path: &str) -> &str {
    let slash = path.as_bytes().iter().rposition(|it| *it == b'/');
    slash.map_or(path, |at| &path[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_stands_behind_the_last_slash() {
        for (path, part) in
            [("git", "git"), ("/usr/bin/git", "git"), ("a/", ""), ("", ""), ("ä/ö", "ö")]
        {
            assert_eq!(last_part(path), part, "{path}");
        }
    }
}
