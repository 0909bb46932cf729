use super::*;

fn images(dir: &Path) -> Images {
    Images::new(dir, &"s1".parse().unwrap())
}

#[test]
fn a_text_is_had_back_by_its_hash_alone() {
    let dir = tempfile::tempdir().unwrap();
    let images = images(dir.path());
    images.keep(b"before\n");
    let hash = hash_of(b"before\n");
    assert_eq!(images.read(&hash).as_deref(), Some(&b"before\n"[..]));
    assert_eq!(images.read(&hash_of(b"other")), None);
    for hash in ["sha256:../../x", "../x", "", "sha256:"] {
        assert_eq!(images.read(hash), None, "{hash}");
    }
    fs::write(images.find(&hash).unwrap(), "forged").unwrap();
    assert_eq!(images.read(&hash), None);
}

#[test]
fn a_link_in_its_place_is_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let images = images(dir.path());
    let theirs = dir.path().join("theirs");
    fs::write(&theirs, "theirs").unwrap();
    images.keep(b"first");
    let path = images.find(&hash_of(b"first")).unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&theirs, &path).unwrap();
    images.keep(b"first");
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
    assert_eq!(images.read(&hash_of(b"first")).as_deref(), Some(&b"first"[..]));
}

#[test]
fn what_is_kept_stays_within_bounds_and_the_oldest_goes() {
    let dir = tempfile::tempdir().unwrap();
    let images = images(dir.path());
    images.keep(&vec![b'x'; LONGEST + 1]);
    assert!(!Images::all(dir.path()).exists());
    for n in 0..MOST + 20 {
        images.keep(format!("{n}").as_bytes());
    }
    let count = || fs::read_dir(&images.folder).unwrap().count();
    assert_eq!(count(), MOST);
    assert!(images.find(&hash_of(format!("{}", MOST + 19).as_bytes())).is_some());
    for n in 0..40_usize {
        images.keep(&vec![u8::try_from(n).unwrap(); LONGEST]);
    }
    let bytes: u64 = fs::read_dir(&images.folder)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= MOST_BYTES, "{bytes}");
}
