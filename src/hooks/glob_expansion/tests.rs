use std::fs;

use super::*;

#[test]
fn a_pattern_is_the_files_that_match_it_now() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for file in ["src/a/x.rs", "src/b/x.rs", "src/b/.hidden.rs", "src/b/[x].rs", "notes"] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let expanded = |word: &str| -> Vec<String> {
        let root = format!("{}/", root.display());
        let files = expand(word, Path::new(&root), None);
        files.iter().map(|file| file.replace(&root, "")).collect()
    };
    assert_eq!(expanded("src/*/x.rs"), ["src/a/x.rs", "src/b/x.rs"]);
    assert_eq!(expanded("src/b/*.rs"), ["src/b/[x].rs", "src/b/x.rs"]);
    assert_eq!(expanded("src/b/.*"), ["src/b/.hidden.rs"]);
    assert_eq!(expanded("src/[ab]/"), ["src/a/", "src/b/"]);
    assert_eq!(expanded("src/b/[x].rs"), ["src/b/[x].rs"], "a file of that name");
    assert_eq!(expanded("*.md"), ["*.md"], "nothing matches");
    assert_eq!(expanded("notes"), ["notes"]);
}

#[test]
fn the_folder_that_one_stands_in_is_no_pattern() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("app/[id]");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("page.ts"), "").unwrap();
    let page = folder.join("page.ts").to_string_lossy().into_owned();
    assert_eq!(expand("*.ts", &folder, None), [page]);
}

#[test]
fn a_pattern_that_matches_too_much_is_itself() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..=MAX_FILES {
        fs::write(dir.path().join(format!("{at}.txt")), "").unwrap();
    }
    assert_eq!(expand("*.txt", dir.path(), None), ["*.txt"]);
}
