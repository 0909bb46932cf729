use super::*;

struct All;

impl Skips for All {
    fn enters(&mut self, _: &str) {}
    fn leaves(&mut self) {}
    fn folder(&self, path: &str) -> bool {
        path == ".git"
    }
    fn file(&self, _: &str) -> bool {
        false
    }
}

fn paths(looked: &Scanned) -> Vec<&str> {
    looked.touched.keys().map(String::as_str).collect()
}

#[test]
fn an_age_that_a_program_sets_hides_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let begun = now();
    for folder in ["a/b", ".git"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    for file in ["a/b/old", ".git/index"] {
        fs::write(dir.path().join(file), "x").unwrap();
    }
    let file = fs::File::options().write(true).open(dir.path().join("a/b/old")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let looked = since(dir.path(), begun, &mut All);
    assert_eq!(paths(&looked), ["a/b/old"]);
    assert_eq!(looked.folders, ["", "a", "a/b"]);
    assert_eq!(looked.stopped, None);
}

#[test]
fn what_is_older_and_where_links_lead_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old"), "x").unwrap();
    let (seconds, nanos) = changed_at(&fs::metadata(dir.path().join("old")).unwrap());
    let after = (seconds, nanos + 1);
    fs::write(outside.path().join("new"), "x").unwrap();
    let link = dir.path().join("link");
    while fs::symlink_metadata(&link).map_or((0, 0), |metadata| changed_at(&metadata)) < after {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    }
    assert_eq!(paths(&since(dir.path(), after, &mut All)), ["link"]);
}

#[test]
fn what_is_moved_with_its_folder_is_touched() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/deep")).unwrap();
    fs::write(dir.path().join("a/deep/file"), "x").unwrap();
    let file = fs::metadata(dir.path().join("a/deep/file")).unwrap();
    while now() <= changed_at(&file) {}
    let begun = now();
    fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
    assert_eq!(paths(&since(dir.path(), begun, &mut All)), ["b/deep/file"]);
}

#[test]
fn a_time_to_come_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let looked = since(dir.path(), (i64::MAX, 0), &mut All);
    assert_eq!(looked.stopped, Some(CLOCK_SET_BACK));
}
