use std::{
    cell::Cell,
    convert::Infallible,
    fs::{self, File, FileTimes},
    os::unix::fs::{MetadataExt as _, symlink},
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

use super::*;
use crate::core::reflection::{
    learning::{Category, Confidence, Scope, Status},
    retrieval::Query,
};

/// A home, and one source with a learning a line.
struct Place {
    dir: TempDir,
    loads: Cell<u32>,
}

impl Place {
    fn new(text: &str) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap(), loads: Cell::new(0) };
        place.write(text);
        place
    }

    fn source(&self) -> PathBuf {
        self.dir.path().join("learnings.md")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Long enough ago that the times tell.
    fn write(&self, text: &str) {
        fs::write(self.source(), text).unwrap();
    }

    /// What was cached counts from the next tick of the file system's clock on.
    fn settle(&self) {
        let changed = fs::metadata(self.source()).unwrap();
        let changed = Duration::new(
            changed.ctime().try_into().unwrap(),
            changed.ctime_nsec().try_into().unwrap(),
        );
        let since = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        while since().saturating_sub(changed) < Duration::from_millis(60) {
            std::thread::yield_now();
        }
    }

    /// Answers what it finds for "panic", and how often the source was read.
    #[track_caller]
    fn find(&self) -> (Vec<String>, u32) {
        let load = || -> Result<Loaded, Infallible> {
            self.loads.set(self.loads.get() + 1);
            let text = fs::read_to_string(self.source()).unwrap_or_default();
            let learnings = text.lines().map(learning).collect();
            Ok(Loaded { learnings, notes: vec!["a note".into()] })
        };
        self.loads.set(0);
        let indexed = open(&self.home(), &[self.source()], load).unwrap();
        assert_eq!(indexed.notes, ["a note"]);
        let query = Query { text: "panic".into(), ..Query::default() };
        let found = indexed.index.search(&query, 10, |_| true);
        let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
        let whole = indexed.learnings(&ids).unwrap();
        (whole.into_iter().map(|learning| learning.summary).collect(), self.loads.get())
    }

    /// The one file in the cache.
    fn cached(&self) -> PathBuf {
        let all: Vec<PathBuf> = fs::read_dir(self.home().join("cache"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }
}

fn learning(summary: &str) -> Learning {
    Learning {
        id: format!("cl_{:x}", cached::hash(&[summary.as_bytes()])),
        category: Category::Pitfall,
        summary: summary.into(),
        detail: "It took somebody an afternoon to find that out.".into(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: vec!["parser".into()],
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: chrono::DateTime::UNIX_EPOCH,
        roz_version: None,
    }
}

fn one(summary: &str, loads: u32) -> (Vec<String>, u32) {
    (vec![summary.to_owned()], loads)
}

#[test]
fn a_source_is_read_once() {
    let place = Place::new("the parser panics");
    place.settle();
    assert_eq!(place.find(), one("the parser panics", 1));
    assert_eq!(place.find(), one("the parser panics", 0));
    assert_eq!(fs::metadata(place.cached()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_source_that_changed_is_read_again() {
    let place = Place::new("the parser panics");
    place.settle();
    place.find();
    place.write("the lexer panics too");
    assert_eq!(place.find(), one("the lexer panics too", 1));
    // The same size and the same time: the inode and the change's own time tell.
    let before = fs::metadata(place.source()).unwrap().modified().unwrap();
    place.settle();
    place.find();
    place.write("the loxer panics too");
    let file = File::options().write(true).open(place.source()).unwrap();
    file.set_times(FileTimes::new().set_modified(before)).unwrap();
    assert_eq!(place.find(), one("the loxer panics too", 1));
    fs::remove_file(place.source()).unwrap();
    assert_eq!(place.find(), (vec![], 1));
}

#[test]
fn a_broken_cache_is_made_anew() {
    let place = Place::new("the parser panics");
    place.settle();
    place.find();
    let path = place.cached();
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(place.find(), one("the parser panics", 1), "cut at {at}");
    }
    let (_, length) = whole.split_last_chunk().unwrap();
    let body = usize::try_from(u64::from_le_bytes(*length)).unwrap()..whole.len() - 8;
    for at in body.step_by(3) {
        let mut other = whole.clone();
        other[at] = 0;
        fs::write(&path, &other).unwrap();
        assert_eq!(place.find(), one("the parser panics", 1), "changed at {at}");
        fs::remove_file(&path).unwrap();
        place.find();
    }
    for foreign in [&b"{\"version\":1}"[..], b"", &[0; 5000], &[0xff; 5000]] {
        fs::write(&path, foreign).unwrap();
        assert_eq!(place.find(), one("the parser panics", 1));
        assert_eq!(place.find(), one("the parser panics", 0));
    }
}

#[test]
fn what_stands_in_the_caches_place_is_not_written_through() {
    let place = Place::new("the parser panics");
    place.settle();
    place.find();
    let path = place.cached();
    let elsewhere = place.dir.path().join("elsewhere");
    fs::write(&elsewhere, "mine").unwrap();
    fs::remove_file(&path).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert_eq!(place.find(), one("the parser panics", 1));
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    assert_eq!(place.find(), one("the parser panics", 0));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(place.find(), one("the parser panics", 1));
}

#[test]
fn where_nothing_can_be_cached_everything_is_still_found() {
    let place = Place::new("the parser panics");
    fs::write(place.home(), "a file in the place of the home").unwrap();
    assert_eq!(place.find(), one("the parser panics", 1));
    assert_eq!(place.find(), one("the parser panics", 1));
}

#[test]
fn what_cannot_be_loaded_is_the_callers_affair() {
    let place = Place::new("the parser panics");
    let load = || Err::<Loaded, _>("no");
    assert_eq!(open(&place.home(), &[place.source()], load).err(), Some("no"));
}
