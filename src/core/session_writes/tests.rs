use chrono::TimeDelta;

use super::*;

#[test]
fn a_write_is_noted_again_only_after_an_approval() {
    let begin = DateTime::UNIX_EPOCH;
    let later = |seconds| begin + TimeDelta::seconds(seconds);
    let file = Path::new("/p/a");
    let mut writes = Writes::default();
    writes.note(file, later(1), None);
    let before = writes.clone();
    writes.note(file, later(5), None);
    assert_eq!(writes, before);
    writes.note(file, later(9), Some(later(7)));
    assert!(writes.wrote_since(file, later(7)) && !before.wrote_since(file, later(7)));
}

#[test]
fn beyond_the_bound_any_file_may_be_the_sessions() {
    let mut writes = Writes::default();
    for n in 0..=MAX_PATHS {
        writes.note(&PathBuf::from(format!("/p/{n}")), DateTime::UNIX_EPOCH, None);
    }
    assert_eq!(writes.paths.len(), MAX_PATHS);
    assert!(writes.contains(Path::new("/p/other")));
}
