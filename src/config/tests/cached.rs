//! The cache: when it is used, when it must not be, and what replaces a file that cannot be read.

use std::{
    fs::{File, FileTimes},
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink},
};

use super::*;
use crate::core::policy::Mode;

impl Scene {
    fn entry(&self) -> PathBuf {
        let sources = &self.sources;
        cache::entry(&sources.roz_home, &sources.user_file, sources.project.as_deref())
    }

    /// As if it had been made a while after its sources had changed.
    pub(super) fn age(&self) {
        let mut entry: Value = serde_json::from_slice(&fs::read(self.entry()).unwrap()).unwrap();
        entry["begun"][0] = (entry["begun"][0].as_i64().unwrap() + 1).into();
        fs::write(self.entry(), entry.to_string()).unwrap();
    }

    /// Whether the cache serves.
    fn is_hit(&self) -> bool {
        cache::read(&self.entry(), &Seen::now(&self.sources)).is_some()
    }

    fn mode(&self) -> Mode {
        self.load().policy.review.mode
    }
}

#[test]
fn what_was_read_once_is_served_from_the_cache() {
    let scene = Scene::new()
        .user("review.mode = 'always'\ntypo = 1\ntrust.projects = ['/a']")
        .project("storage.path = '/theirs'\nreview.gates.tools = ['Edit']")
        .variable("ROZ_MAX_EVENTS", "9");
    let first = scene.load();
    scene.age();
    assert!(scene.is_hit());
    assert_eq!(scene.load(), first);
    assert_eq!(first.diagnostics.len(), 2);
}

#[test]
fn the_cache_is_private() {
    let scene = Scene::new().user("review.mode = 'always'");
    scene.load();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = scene.sources.roz_home.join("cache");
    assert_eq!(mode(&dir), 0o700);
    let files: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600));
}

#[test]
fn every_source_counts() {
    let scene = Scene::new().user("review.mode = 'always'").variable("ROZ_MAX_EVENTS", "9");
    type Change = (&'static str, fn(&mut Scene));
    let changes: [Change; 7] = [
        ("the user's file", |scene| {
            fs::write(&scene.sources.user_file, "# longer than it was").unwrap();
        }),
        ("the project's file", |scene| fs::write(scene.project_file(), "").unwrap()),
        ("the project's file is gone", |scene| fs::remove_file(scene.project_file()).unwrap()),
        ("the older folder", |scene| {
            fs::create_dir(scene.root().join(".grove")).unwrap();
            fs::write(scene.root().join(".grove/config.toml"), "").unwrap();
            fs::remove_dir(scene.root().join(".roz")).unwrap();
        }),
        ("a variable", |scene| scene.sources.env[0].1 = "8".into()),
        ("the client's settings", |scene| {
            fs::write(scene.root().join(".claude/settings.local.json"), "{}").unwrap();
        }),
        ("what ~ is", |scene| scene.sources.home = Some("/elsewhere".into())),
    ];
    let mut scene = scene;
    for (what, change) in changes {
        scene.load();
        scene.age();
        assert!(scene.is_hit(), "before {what}");
        change(&mut scene);
        assert!(!scene.is_hit(), "{what}");
    }
}

/// Same size, same times: only when it was read tells.
#[test]
fn an_edit_within_the_same_tick_is_seen() {
    let scene = Scene::new().user("review.mode = 'always'");
    assert_eq!(scene.mode(), Mode::Always);
    fs::write(&scene.sources.user_file, "review.mode = 'never' ").unwrap();
    assert_eq!(scene.mode(), Mode::Never);
    fs::write(&scene.sources.user_file, "review.mode = 'always'").unwrap();
    assert_eq!(scene.mode(), Mode::Always);
}

#[test]
fn an_edit_that_puts_back_size_and_times_is_seen() {
    let scene = Scene::new().user("review.mode = 'always'");
    let before = fs::metadata(&scene.sources.user_file).unwrap();
    scene.load();
    scene.age();
    let file = File::options().write(true).open(&scene.sources.user_file).unwrap();
    fs::write(&scene.sources.user_file, "review.mode = 'never' ").unwrap();
    file.set_times(FileTimes::new().set_modified(before.modified().unwrap())).unwrap();
    assert_eq!(scene.mode(), Mode::Never);
}

#[test]
fn a_broken_file_leaves_its_last_readable_text_until_it_is_mended() {
    let scene = Scene::new().user("protect.enabled = false").project("review.mode = 'always'");
    scene.load();
    for broken in [&b"[review\nmode = 1"[..], b"\n\xff", &vec![b' '; (1 << 20) + 1]] {
        let scene = Scene { dir: tempfile::tempdir().unwrap(), sources: scene.sources.clone() };
        fs::write(scene.project_file(), broken).unwrap();
        fs::write(&scene.sources.user_file, "trace.max_events = 9").unwrap();
        let (policy, told) = scene.told();
        assert_eq!(policy.review.mode, Mode::Always, "the project's last text");
        assert_eq!(policy.trace.max_events, 9, "what the user changed meanwhile");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("until it is fixed its last readable version applies"));
        scene.age();
        assert!(scene.is_hit(), "a broken file is not parsed at every hook");
    }
    fs::write(scene.project_file(), "review.gates.tools = ['Edit']").unwrap();
    let policy = scene.policy();
    assert_eq!((policy.review.mode, policy.review.gates.tools.len()), (Mode::Prompt, 1));
}

#[test]
fn a_broken_file_is_named_with_its_line() {
    let (policy, told) = Scene::new().user("\n\n[review\n").project("\n\u{1}").told();
    assert_eq!(policy, Policy::default());
    assert_eq!(
        told,
        [
            "…/home/.roz/config.toml:3: not TOML: unclosed table, expected `]`; \
             until it is fixed it is ignored",
            "…/project/.roz/config.toml:2: not TOML: key with no value, expected `=`; \
             until it is fixed it is ignored",
        ]
    );
}

#[test]
fn a_new_project_keeps_the_users_last_readable_text() {
    let mut scene = Scene::new().user("review.mode = 'always'");
    scene.load();
    fs::write(&scene.sources.user_file, "[").unwrap();
    scene.sources.project = Some(scene.dir.path().join("another"));
    assert_eq!(scene.mode(), Mode::Always);
}

#[test]
fn no_kind_of_file_in_its_place_hangs_or_harms() {
    for put in odd_files() {
        for file in [
            |item: &Scene| item.sources.user_file.clone(),
            |item: &Scene| item.project_file(),
            |item: &Scene| item.entry(),
        ] {
            let scene = Scene::new().user("review.mode = 'always'");
            scene.load();
            let path = file(&scene);
            let _ = fs::remove_file(&path);
            put(&path);
            let (policy, told) = scene.told();
            assert_eq!(policy.review.mode, Mode::Always);
            let is_cache = path == scene.entry();
            assert_eq!(told.len(), usize::from(!is_cache), "{told:?}");
            if is_cache {
                assert!(path.symlink_metadata().unwrap().is_file(), "replaced");
            }
        }
    }
}

fn odd_files() -> [fn(&Path); 5] {
    [
        |path| fs::create_dir(path).unwrap(),
        |path| fifo(path),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| symlink(path, path).unwrap(),
        |path| {
            std::os::unix::net::UnixListener::bind(path).unwrap();
        },
    ]
}

#[test]
fn a_link_in_the_caches_place_is_not_written_through() {
    let scene = Scene::new().user("review.mode = 'always'");
    scene.load();
    let target = scene.dir.path().join("target");
    fs::write(&target, "precious").unwrap();
    fs::remove_file(scene.entry()).unwrap();
    symlink(&target, scene.entry()).unwrap();
    assert_eq!(scene.mode(), Mode::Always);
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    assert!(!scene.entry().symlink_metadata().unwrap().file_type().is_fifo());
}

#[test]
fn a_cache_of_nonsense_or_of_another_build_is_made_anew() {
    let scene = Scene::new().user("review.mode = 'always'");
    scene.load();
    let good: Value = serde_json::from_slice(&fs::read(scene.entry()).unwrap()).unwrap();
    let other = |change: fn(&mut Value)| {
        let mut value = good.clone();
        value["begun"][0] = (value["begun"][0].as_i64().unwrap() + 1).into();
        value["loaded"]["policy"]["review"]["mode"] = "never".into();
        change(&mut value);
        value.to_string()
    };
    fs::write(scene.entry(), other(|_| ())).unwrap();
    assert_eq!(scene.mode(), Mode::Never, "it is read at all");
    for text in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "[".repeat(100_000),
        other(|_| ())[..300].to_owned(),
        other(|value| value["made_by"][0] = "0.0.0".into()),
        other(|value| value["made_by"][1] = 7.into()),
        other(|value| value["seen"]["user"]["path"] = "/another".into()),
        other(|value| value["begun"] = value["seen"]["user"]["stamp"]["file"]["ctime"].clone()),
    ] {
        fs::write(scene.entry(), &text).unwrap();
        assert_eq!(scene.mode(), Mode::Always, "{text}");
        let again: Value = serde_json::from_slice(&fs::read(scene.entry()).unwrap()).unwrap();
        assert_eq!(again["loaded"], good["loaded"]);
    }
}

#[test]
fn hooks_that_load_at_once_all_get_the_same_and_leave_nothing_behind() {
    let scene = Scene::new().user("review.mode = 'always'").project("review.gates.tools = ['a']");
    let expected = scene.load();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| assert_eq!(scene.load(), expected)));
        }
    });
    let names = fs::read_dir(scene.sources.roz_home.join("cache")).unwrap();
    let names: Vec<_> = names.map(|name| name.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_home_that_cannot_be_written_costs_only_the_cache() {
    let mut scene = Scene::new().project("review.mode = 'always'");
    scene.sources.roz_home = "/proc/nowhere".into();
    assert_eq!(scene.mode(), Mode::Always);
    let home = scene.dir.path().join("file");
    fs::write(&home, "").unwrap();
    scene.sources.roz_home = home;
    assert_eq!(scene.mode(), Mode::Always);
}

#[test]
fn a_link_to_the_users_file_is_followed_and_watched() {
    let scene = Scene::new();
    let (one, two) = (scene.dir.path().join("one"), scene.dir.path().join("two"));
    fs::write(&one, "review.mode = 'always'").unwrap();
    fs::write(&two, "review.mode = 'never'").unwrap();
    symlink(&one, &scene.sources.user_file).unwrap();
    assert_eq!(scene.mode(), Mode::Always);
    fs::remove_file(&scene.sources.user_file).unwrap();
    symlink(&two, &scene.sources.user_file).unwrap();
    assert_eq!(scene.mode(), Mode::Never);
}

fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).unwrap();
}

#[test]
fn the_cache_holds_what_is_not_as_ever_and_serves_all_of_it() {
    let scene = Scene::new().user(
        "circuit_breaker.max_blocks = 2\ntemplates.weights = { default = 100, mine = 3 }\n\
         review.gates.max_denials = 4",
    );
    let first = scene.load();
    scene.age();
    assert!(scene.is_hit());
    assert_eq!(scene.load(), first);
    let entry: Value = serde_json::from_slice(&fs::read(scene.entry()).unwrap()).unwrap();
    let policy = entry["loaded"]["policy"].as_object().unwrap();
    assert_eq!(policy.keys().collect::<Vec<_>>(), ["circuit_breaker", "review", "templates"]);
    assert_eq!(policy["circuit_breaker"], serde_json::json!({ "max_blocks": 2 }));
    assert_eq!(policy["templates"]["weights"].as_object().unwrap().len(), 2);
}
