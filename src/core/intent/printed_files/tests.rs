use super::*;
use crate::shell;

#[test]
fn what_shows_a_file_or_a_piece_of_it_reads_it() {
    for line in [
        "cat f",
        "cat a f",
        "cat < f",
        "cd d && cat f",
        "cat ./f 2>/dev/null",
        "bat f",
        "nl f",
        "sed -n 2,5p f",
        "sed s/a/b/ f",
        "tail -n +1 f",
        "head -5 f",
        "awk 1 f",
        "grep -n '' f",
        "cat f | sort",
        "cat f | head -3",
        "cat f; wc -l a",
    ] {
        let reading = shell::read(line);
        assert!(shown(&reading).iter().any(|text| text.ends_with('f')), "{line}");
    }
}

#[test]
fn what_tells_of_a_file_does_not_read_it() {
    for line in [
        "stat f",
        "ls -l f",
        "wc -l f",
        "wc < f",
        "md5sum f",
        "cut -d: -f1 f",
        "diff a f",
        "while read l; do :; done < f",
        "file f",
    ] {
        let reading = shell::read(line);
        assert!(shown(&reading).is_empty(), "{line}");
    }
}
