use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    thread,
    time::Duration,
};

use chrono::{DateTime, TimeDelta};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;
use crate::core::reflection::usage::Event;

struct Scene {
    dir: TempDir,
    log: UsageLog,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        let [folder, older, home] =
            ["project/.roz", "older", "home"].map(|name| dir.path().join(name));
        let log = UsageLog::new(&folder, &older, &home);
        Self { dir, log }
    }

    #[track_caller]
    fn add(&self, entries: &[Entry]) {
        self.log.append(entries, soon()).unwrap();
    }

    fn with_text(text: impl AsRef<[u8]>) -> Self {
        let scene = Self::new();
        fs::create_dir(scene.folder()).unwrap();
        fs::write(scene.log.path(), text).unwrap();
        scene
    }

    fn folder(&self) -> &Path {
        self.log.path().parent().unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap()
    }

    #[track_caller]
    fn count(&self) -> (u64, u64) {
        let view = self.log.read().unwrap();
        assert_eq!(view, self.log.rebuild().unwrap());
        (view.entries, view.broken)
    }

    fn refuses(&self) -> String {
        let before = fs::symlink_metadata(self.log.path()).unwrap();
        let err = self.log.append(&[entry(0)], soon()).unwrap_err();
        let after = fs::symlink_metadata(self.log.path()).unwrap();
        assert_eq!((before.ino(), before.len()), (after.ino(), after.len()));
        crate::world::in_a_line(&err)
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

/// No two alike.
fn entry(number: i64) -> Entry {
    let at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(number);
    let learning_id = format!("cl_20260102_{:06}", number % 200);
    let session_id = format!("{:08x}-0000-4000-8000-000000000000", number / 5);
    Entry::new(at, Event::Surfaced { learning_id, session_id, ticket_id: None })
}

fn lines(numbers: std::ops::Range<i64>) -> Vec<u8> {
    json_lines::lines(&numbers.map(entry).collect::<Vec<_>>()).unwrap()
}

/// Enough to be kept.
fn many() -> Vec<u8> {
    let many = lines(0..1000);
    assert!(many.len() as u64 > WORTH_KEEPING);
    many
}

#[test]
fn what_is_appended_is_read() {
    let scene = Scene::new();
    assert_eq!(scene.log.read().unwrap(), View::default());
    assert!(!scene.folder().exists(), "reading makes nothing");
    scene.add(&[entry(1), entry(2)]);
    scene.add(&[]);
    scene.add(&[entry(3)]);
    assert_eq!(scene.count(), (3, 0));
    assert_eq!(scene.text().lines().count(), 3);
}

#[test]
fn writers_side_by_side_lose_nothing() {
    const WRITERS: i64 = 16;
    const EACH: i64 = 50;
    let scene = Scene::new();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let log = &scene.log;
            scope.spawn(move || {
                for at in 0..EACH {
                    // A handle each time, as processes have: the lock is between these.
                    let number = writer * EACH + at;
                    log.append(&[entry(2 * number), entry(2 * number + 1)], soon()).unwrap();
                }
            });
        }
    });
    assert_eq!(scene.count(), (2 * 16 * 50, 0));
}

/// The public peer takes no lock.
#[test]
fn nor_do_writers_that_know_no_lock() {
    let scene = Scene::new();
    scene.add(&[entry(0)]);
    thread::scope(|scope| {
        for writer in 0..8_i64 {
            let log = &scene.log;
            scope.spawn(move || {
                for at in 0..50 {
                    let number = 1 + writer * 50 + at;
                    if writer % 2 == 0 {
                        log.append(&[entry(number)], soon()).unwrap();
                    } else {
                        let mut file = OpenOptions::new().append(true).open(log.path()).unwrap();
                        file.write_all(&lines(number..number + 1)).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(scene.count(), (401, 0));
}

#[test]
fn a_lock_that_nobody_gives_back_holds_no_line_up() {
    let scene = Scene::with_text("");
    let file = File::open(scene.log.path()).unwrap();
    file.lock().unwrap();
    scene.log.append(&[entry(1)], Instant::now()).unwrap();
    assert_eq!(scene.count(), (1, 0));
}

#[test]
fn a_broken_line_is_counted_and_hides_no_other() {
    let mut text = lines(0..2);
    text.extend(b"{\"v\":1,\"ts\":\n<<<<<<< HEAD\n\n\xff\xfe\n");
    text.extend(lines(2..3));
    assert_eq!(Scene::with_text(text).count(), (3, 3));
}

#[test]
fn a_line_that_was_cut_off_does_not_swallow_the_next() {
    let whole = lines(0..2);
    let scene = Scene::with_text(&whole[..whole.len() - 20]);
    assert_eq!(scene.count(), (1, 1));
    scene.add(&[entry(5)]);
    assert_eq!(scene.count(), (2, 1));
    // One that only lacks its end is whole.
    let scene = Scene::with_text(&whole[..whole.len() - 1]);
    assert_eq!(scene.count(), (2, 0));
    scene.add(&[entry(5)]);
    assert_eq!(scene.count(), (3, 0));
}

#[test]
fn a_line_of_any_length_is_read_past() {
    let mut text = lines(0..1);
    text.extend(b"{\"v\":1,\"x\":\"".iter().chain(&vec![b'a'; 3 << 20]).chain(b"\"}\n"));
    text.extend(lines(1..2));
    assert_eq!(Scene::with_text(text).count(), (2, 1));
}

// What is in the log's place.

#[test]
fn a_link_is_not_written_through() {
    let scene = Scene::new();
    fs::create_dir(scene.folder()).unwrap();
    let other = scene.dir.path().join("other");
    fs::write(&other, "mine\n").unwrap();
    symlink(&other, scene.log.path()).unwrap();
    assert!(scene.refuses().contains("stats.log` is a symbolic link, not a file"));
    assert!(scene.log.read().unwrap_err().to_string().contains("a symbolic link"));
    assert_eq!(fs::read_to_string(other).unwrap(), "mine\n");
}

#[test]
fn a_pipe_and_a_folder_are_named_and_not_waited_for() {
    let scene = Scene::new();
    fs::create_dir(scene.folder()).unwrap();
    mknodat(CWD, scene.log.path(), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(scene.refuses().contains("a FIFO"));
    assert!(scene.log.read().unwrap_err().to_string().contains("a FIFO"));
    let scene = Scene::new();
    fs::create_dir_all(scene.log.path()).unwrap();
    assert!(scene.refuses().contains("a directory"));
    assert!(scene.log.read().unwrap_err().to_string().contains("a directory"));
}

#[test]
fn what_cannot_be_written_is_named_and_left_as_it_is() {
    let scene = Scene::with_text(lines(0..1));
    fs::set_permissions(scene.log.path(), fs::Permissions::from_mode(0o444)).unwrap();
    if OpenOptions::new().append(true).open(scene.log.path()).is_ok() {
        // The superuser may.
        return;
    }
    let said = scene.refuses();
    assert!(said.contains("stats.log`: Permission denied"), "{said}");
    assert_eq!(scene.count(), (1, 0));
}

#[test]
fn the_log_of_an_older_roz_is_read_and_taken_over_and_left_as_it_is() {
    let scene = Scene::new();
    let older = scene.dir.path().join("older");
    fs::create_dir(&older).unwrap();
    fs::write(older.join(NAME), lines(0..3)).unwrap();
    assert_eq!(scene.count(), (3, 0));
    scene.add(&[entry(3)]);
    assert_eq!(scene.count(), (4, 0));
    assert_eq!(fs::read(older.join(NAME)).unwrap(), lines(0..3));
}

// The kept view.

/// What is read with a cache in which all counts are wrong: those counts, if
/// it is trusted.
fn is_trusted(scene: &Scene) -> bool {
    let text = fs::read(&scene.log.cache).unwrap();
    let mut kept: Kept = serde_json::from_slice(&text).unwrap();
    kept.view.broken = 1_000_000;
    fs::write(&scene.log.cache, serde_json::to_vec(&kept).unwrap()).unwrap();
    scene.log.read().unwrap().broken >= 1_000_000
}

type Edit<'a> = &'a dyn Fn(&mut Vec<u8>);

fn kept() -> Scene {
    let scene = Scene::with_text(many());
    scene.log.read().unwrap();
    assert!(scene.log.cache.exists());
    scene
}

#[test]
fn only_new_lines_are_read_again() {
    let scene = kept();
    assert!(is_trusted(&scene));
    let scene = kept();
    scene.add(&[entry(1000)]);
    assert!(is_trusted(&scene));
    let scene = kept();
    scene.add(&[entry(1000)]);
    assert_eq!(scene.count(), (1001, 0));
}

#[test]
fn a_small_log_is_not_kept() {
    let scene = Scene::with_text(lines(0..10));
    assert_eq!(scene.count(), (10, 0));
    assert!(!scene.dir.path().join("home").exists());
}

#[test]
fn a_line_without_its_end_is_not_kept_for_whole() {
    let mut text = many();
    let more = lines(1000..1001);
    text.extend(&more[..more.len() - 10]);
    let scene = Scene::with_text(&text);
    assert_eq!(scene.count(), (1000, 1));
    assert!(scene.log.cache.exists());
    fs::write(scene.log.path(), [many(), more].concat()).unwrap();
    assert_eq!(scene.count(), (1001, 0));
}

#[test]
fn a_file_that_was_rewritten_is_read_anew() {
    let other_end = |text: &mut Vec<u8>| {
        let at = text.len() - 60;
        text[at] = b'#';
    };
    let other_beginning = |text: &mut Vec<u8>| text[10] = b'#';
    let shorter = |text: &mut Vec<u8>| text.truncate(text.len() - 200);
    let emptied = |text: &mut Vec<u8>| text.clear();
    let edits: [Edit; 4] = [&other_end, &other_beginning, &shorter, &emptied];
    for (at, edit) in edits.iter().enumerate() {
        let scene = kept();
        let mut text = fs::read(scene.log.path()).unwrap();
        edit(&mut text);
        fs::write(scene.log.path(), text).unwrap();
        assert!(!is_trusted(&scene), "{at}");
    }
}

#[test]
fn a_broken_cache_is_made_anew() {
    let damages: [Edit; 3] =
        [&|text| text.clear(), &|text| text.truncate(text.len() / 2), &|text| text.insert(0, b'{')];
    for damage in damages {
        let scene = kept();
        let whole = fs::read(&scene.log.cache).unwrap();
        let mut text = whole.clone();
        damage(&mut text);
        fs::write(&scene.log.cache, text).unwrap();
        assert_eq!(scene.count(), (1000, 0));
        assert_eq!(fs::read(&scene.log.cache).unwrap(), whole);
    }
}

#[test]
fn a_cache_that_cannot_be_had_is_done_without() {
    let scene = Scene::with_text(many());
    fs::write(scene.dir.path().join("home"), "no folder").unwrap();
    assert_eq!(scene.count(), (1000, 0));
    let scene = Scene::with_text(many());
    fs::create_dir_all(&scene.log.cache).unwrap();
    fs::write(scene.log.cache.join("x"), "").unwrap();
    assert_eq!(scene.count(), (1000, 0));
}

#[test]
fn two_projects_have_two_views() {
    let scene = kept();
    let [folder, older, home] = ["other", "older", "home"].map(|text| scene.dir.path().join(text));
    let other = UsageLog::new(&folder, &older, &home);
    fs::create_dir(scene.dir.path().join("other")).unwrap();
    fs::write(other.path(), lines(5000..6000)).unwrap();
    let numbers = |log: &UsageLog| log.read().unwrap();
    assert_ne!(numbers(&other), numbers(&scene.log));
    assert_ne!(other.cache, scene.log.cache);
    // Even if one is put in the other's place.
    fs::copy(&scene.log.cache, &other.cache).unwrap();
    assert_eq!(numbers(&other), other.rebuild().unwrap());
}

/// The public peer gives up at 10 MB. What they take is `benches/usage.rs`'s.
#[test]
fn fifty_megabytes_are_read_like_any() {
    let piece = lines(0..10_000);
    let times = (50 << 20) / piece.len() + 1;
    let scene = Scene::with_text(piece.repeat(times));
    let view = scene.log.read().unwrap();
    assert_eq!((view.entries, view.broken), (10_000 * times as u64, 0));
    scene.add(&[entry(10_000)]);
    assert_eq!(scene.log.read().unwrap().entries, 10_000 * times as u64 + 1);
}
