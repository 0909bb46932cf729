//! Branches that both learned something, merged by the real git.

use std::{path::Path, process::Command};

use super::*;

/// A repository with a `.gitattributes` and learnings 0 and 1, on `main`.
struct Repository {
    dir: tempfile::TempDir,
    backend: Markdown,
}

impl Repository {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let backend = Markdown::of_project(dir.path().join(".roz/learnings.md"), PATIENCE);
        let repository = Self { dir, backend };
        repository.git(&["init", "-q", "-b", "main"]);
        fs::create_dir(repository.dir.path().join(".roz")).unwrap();
        fs::write(repository.dir.path().join(".roz/.gitattributes"), ATTRIBUTES).unwrap();
        repository
    }

    fn with_two() -> Self {
        let repository = Self::new();
        repository.backend.write(&learning(0)).unwrap();
        repository.backend.write(&learning(1)).unwrap();
        repository.commit();
        repository
    }

    #[expect(clippy::disallowed_methods, reason = "the real git, in a folder of its own")]
    fn git(&self, args: &[&str]) -> String {
        let git = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"])
            .args(args)
            .current_dir(self.dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&git.stdout).into_owned();
        assert!(git.status.success(), "{args:?}: {told}{}", String::from_utf8_lossy(&git.stderr));
        told
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    }

    /// What `ours` and `theirs` do on two branches from here, merged.
    fn merged(&self, ours: impl Fn(&Markdown), theirs: impl Fn(&Markdown)) -> Vec<Learning> {
        self.commit();
        self.git(&["checkout", "-q", "-b", "theirs"]);
        theirs(&self.backend);
        self.commit();
        self.git(&["checkout", "-q", "main"]);
        ours(&self.backend);
        self.commit();
        self.git(&["merge", "-q", "--no-edit", "theirs"]);
        let reading = self.backend.all().unwrap();
        let text = fs::read_to_string(self.backend.path()).unwrap();
        assert_eq!(reading.problems, [], "{text}");
        reading.learnings
    }
}

fn write(n: usize) -> impl Fn(&Markdown) {
    move |markdown| markdown.write(&learning(n)).unwrap()
}

fn mark(n: usize, status: Status) -> impl Fn(&Markdown) {
    move |markdown| markdown.mark(&learning(n).id, status).unwrap()
}

#[test]
fn two_branches_that_both_append_merge() {
    let merged = Repository::with_two().merged(write(2), write(3));
    assert_eq!(merged, [learning(0), learning(1), learning(2), learning(3)]);
}

#[test]
fn two_branches_that_both_begin_the_file_merge() {
    let merged = Repository::new().merged(write(2), write(3));
    assert_eq!(merged, [learning(2), learning(3)]);
}

/// Entries that differ in their id alone share as many lines as there can be.
#[test]
fn entries_of_the_same_words_are_not_woven_into_one_another() {
    let twin = |salt: u32| {
        let detail = "first\n\n```\nthe same\n```\n\nlast".to_owned();
        let mut item = Learning { detail, ..learning(5) };
        item.id = item.make_id(salt);
        item
    };
    let repository = Repository::with_two();
    let two = |a: u32| {
        move |markdown: &Markdown| {
            markdown.write(&twin(a)).unwrap();
            markdown.write(&twin(a + 1)).unwrap();
        }
    };
    let merged = repository.merged(two(0), two(2));
    assert_eq!(merged.len(), 6);
    (0..4).for_each(|salt| assert!(merged.contains(&twin(salt)), "{merged:#?}"));
}

#[test]
fn what_both_branches_took_over_stands_once() {
    let both = |n| {
        move |markdown: &Markdown| {
            markdown.write(&learning(7)).unwrap();
            markdown.write(&learning(n)).unwrap();
        }
    };
    let merged = Repository::with_two().merged(both(8), both(9));
    let expected = [0, 1, 7, 8, 9].map(learning);
    assert_eq!(merged, expected);
}

#[test]
fn a_status_changed_here_and_an_entry_added_there_merge() {
    let archived = Learning { status: Status::Archived, ..learning(1) };
    let merged = Repository::with_two().merged(mark(1, Status::Archived), write(2));
    assert_eq!(merged, [learning(0), archived, learning(2)]);
}

#[test]
fn of_two_statuses_the_stronger_holds_and_can_be_changed() {
    let repository = Repository::with_two();
    let merged = repository.merged(mark(1, Status::Archived), mark(1, Status::Superseded));
    assert_eq!(merged, [learning(0), Learning { status: Status::Superseded, ..learning(1) }]);
    repository.backend.mark(&learning(1).id, Status::Active).unwrap();
    assert_eq!(repository.backend.all().unwrap().learnings, [learning(0), learning(1)]);
}

#[test]
fn a_merge_that_git_leaves_to_a_person_hides_nothing() {
    let repository = Repository::with_two();
    fs::remove_file(repository.dir.path().join(".roz/.gitattributes")).unwrap();
    let text = fs::read_to_string(repository.backend.path()).unwrap();
    let one = |n: usize| {
        let path = repository.dir.path().join(format!("{n}.md"));
        let backend = Markdown::of_project(path.clone(), PATIENCE);
        backend.write(&learning(n)).unwrap();
        let entry = fs::read_to_string(path).unwrap();
        entry.split_once("\n\n").unwrap().1.to_owned()
    };
    let conflict = format!("{text}<<<<<<< HEAD\n{}=======\n{}>>>>>>> theirs\n", one(2), one(3));
    fs::write(repository.backend.path(), conflict).unwrap();
    assert_eq!(repository.backend.all().unwrap().learnings, [0, 1, 2, 3].map(learning));
}

/// Each line of one after a line of the other: no merge is as bad.
#[test]
fn woven_entries_are_told_apart_by_their_marks() {
    let lines = |n: usize| {
        let mut text = String::new();
        format::entry(&learning(n), "## ", &mut text);
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b) = (lines(0), lines(1));
    let woven: Vec<_> = a.iter().zip(&b).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    assert_eq!(a.len(), b.len());
    assert_eq!(Scene::with(woven.join("\n")).learnings(), [learning(0), learning(1)]);
}

#[test]
fn lines_that_git_ends_otherwise_are_the_same_lines() {
    let scene = Scene::new();
    (0..2).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    let dos = scene.text().replace('\n', "\r\n");
    let scene = Scene::with(&dos);
    assert_eq!(scene.learnings(), [learning(0), learning(1)]);
    scene.backend.mark(&learning(0).id, Status::Archived).unwrap();
    assert_eq!(scene.text(), dos.replacen("active", "archived", 1));
}

#[test]
fn the_attributes_name_the_file() {
    let name = Path::new("learnings.md");
    assert!(ATTRIBUTES.starts_with(&format!("{} ", name.display())));
}
