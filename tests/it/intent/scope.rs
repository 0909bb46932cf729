//! What a scope says of a path, with the links, repositories and names that a
//! project may have.

use std::{
    fs::{self, OpenOptions},
    os::{fd::AsRawFd as _, unix::fs::symlink},
    path::{Path, PathBuf},
};

use globset::GlobBuilder;
use proptest::prelude::*;
use roz::{
    core::intent::{
        scope::{Scope, Verdict, Why},
        target::{Case, Target},
    },
    sidecar::target::{Site, nearest_sidecar},
};
use tempfile::TempDir;

/// A folder with a project, a worktree of it, and other files.
struct Ground {
    _dir: TempDir,
    tmp: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tmp = dir.path().canonicalize().unwrap();
        let put = |path: &str, text: &str| {
            let path = tmp.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for file in [
            "src/auth/a.ts",
            "src/auth/deep/b.ts",
            "src/auth/keys/k.pem",
            "src/auth.ts",
            "src/authz/x.ts",
            "src/billing/invoice.ts",
            "src/billing/hard.ts",
            "src/middleware/jwt.ts",
            "evil/src/auth/a.ts",
            "xsrc/auth/a.ts",
            "app/[id]/page.tsx",
            "docs/a.md",
            "main.py",
            "README.md",
            ".git/HEAD",
            ".git/config",
            ".git/modules/sub/config",
            ".git/worktrees/w/HEAD",
            ".orchestration/active_intents.yaml",
            ".claude/settings.json",
            ".claude/agents/x.md",
            ".roz/config.toml",
            "packages/nested/.git/config",
            "packages/nested/x.ts",
            "packages/nested/.orchestration/active_intents.yaml",
            "vendor/sub/lib.rs",
        ] {
            put(&format!("project/{file}"), "x\n");
        }
        put("outside/secret.txt", "x\n");
        put("home/x", "x\n");
        put("project/vendor/sub/.git", "gitdir: ../../.git/modules/sub\n");
        put("worktree/src/auth/a.ts", "x\n");
        put(
            "worktree/.git",
            &format!("gitdir: {}\n", tmp.join("project/.git/worktrees/w").display()),
        );
        put("project/.git/worktrees/w/commondir", "../..\n");
        put("elsewhere/.git", "gitdir: gitdir\n");
        put("elsewhere/gitdir/config", "x\n");
        put("elsewhere/src/a.ts", "x\n");
        let project = tmp.join("project");
        for (at, to) in [
            ("src/auth/out", "../billing"),
            ("src/auth/inv.ts", "../billing/invoice.ts"),
            ("src/auth/dangling.ts", "../billing/new.ts"),
            ("src/auth/dangling-in.ts", "new-in.ts"),
            ("src/auth/dangling-out.ts", "../../../outside/new.ts"),
            ("src/auth/dangling-far", "../billing/none"),
            ("src/auth/up", ".."),
            ("src/auth/self", "."),
            ("src/auth/chain.ts", "inv.ts"),
            ("src/auth/tochain", "out"),
            ("src/auth/tokeys", "keys"),
            ("src/auth/loop1", "loop2"),
            ("src/auth/loop2", "loop1"),
            ("src/auth/gitlink", "../../.git"),
            ("src/auth/settingslink", "../../.claude/settings.json"),
            ("src/auth/sidecarlink", "../../.orchestration/active_intents.yaml"),
            ("src/into", "auth"),
            ("vendor/sub/gitlink", "../../.git/modules/sub"),
        ] {
            symlink(to, project.join(at)).unwrap();
        }
        symlink(tmp.join("outside"), project.join("src/auth/abs")).unwrap();
        symlink(&project, tmp.join("alias")).unwrap();
        fs::hard_link(project.join("src/billing/hard.ts"), project.join("src/auth/hard.ts"))
            .unwrap();
        Self { _dir: dir, tmp }
    }

    fn site(&self, root: &str) -> Site {
        Site::new(&self.tmp.join(root), Some(&self.tmp.join("home")))
    }

    fn filled(&self, text: &str) -> String {
        let tmp = self.tmp.to_str().unwrap();
        text.replace("{project}", &format!("{tmp}/project")).replace("{tmp}", tmp)
    }

    /// A target of the table.
    fn target(&self, text: &str) -> Target {
        let mut text = self.filled(text);
        let mut root = "project";
        for other in ["worktree", "elsewhere"] {
            if let Some(rest) = text.strip_prefix(&format!("{other}: ")) {
                (root, text) = (other, rest.to_owned());
            }
        }
        let mut case = Case::Keeps;
        for (name, which) in [("folds:", Case::Folds), ("unknown:", Case::Unknown)] {
            if let Some(rest) = text.strip_prefix(name) {
                (case, text) = (which, rest.to_owned());
            }
        }
        let root = self.tmp.join(root);
        let (cwd, path) = match text.split_once("> ") {
            Some((cwd, path)) => (root.join(cwd), path),
            None => (root.clone(), text.as_str()),
        };
        let site = Site::new(&root, Some(&self.tmp.join("home")));
        Target { case, ..site.target(path, &cwd) }
    }
}

fn word(verdict: &Verdict) -> (&'static str, &'static str) {
    use roz::core::intent::scope::Unsure;
    match verdict {
        Verdict::Inside => ("inside", "-"),
        Verdict::Ask(Unsure::HardLinks(_)) => ("ask", "hardlinks"),
        Verdict::Ask(Unsure::Opaque) => ("ask", "opaque"),
        Verdict::Outside { why: Why::OutsideProject, .. } => ("outside", "project"),
        Verdict::Outside { why: Why::Guarded(_), .. } => ("outside", "guarded"),
        Verdict::Outside { why: Why::NotOwned, .. } => ("outside", "not-owned"),
    }
}

#[test]
fn the_table_of_scopes_holds() {
    let ground = Ground::new();
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in include_str!("scope.tsv").lines().filter(|it| !it.starts_with('#')) {
        let [patterns, target, verdict, why] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("no row: {row:?}");
        };
        rows += 1;
        let patterns = ground.filled(patterns);
        let patterns: Vec<&str> = patterns.split(" ; ").filter(|it| *it != "-").collect();
        let found = Scope::new(&patterns).judge(&ground.target(target));
        if word(&found) != (verdict, why) {
            wrong.push(format!("{row}\n    {found:?}"));
        }
    }
    assert!(rows >= 150, "{rows} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_system_that_keeps_case_is_known_by_its_sidecar() {
    let ground = Ground::new();
    let folds = ground.tmp.join("project/.ORCHESTRATION").exists();
    let expected = if folds { Case::Folds } else { Case::Keeps };
    for path in ["src/auth/a.ts", "src/auth/none/deep/x.ts", "1/2"] {
        let target = ground.site("project").target(path, &ground.tmp.join("project"));
        assert_eq!(target.case, expected, "{path}");
    }
}

#[test]
fn the_nearest_sidecar_above_a_target_is_found() {
    let ground = Ground::new();
    let nearest = |path: &str| nearest_sidecar(&ground.tmp.join(path));
    assert_eq!(
        nearest("project/packages/nested/x.ts"),
        Some(ground.tmp.join("project/packages/nested"))
    );
    assert_eq!(nearest("project/packages/x.ts"), Some(ground.tmp.join("project")));
    assert_eq!(nearest("outside/none/x"), None);
}

#[test]
fn a_place_that_somebody_guards_is_in_no_scope() {
    let ground = Ground::new();
    let project = ground.tmp.join("project");
    let scope = Scope::new(&["**"]);
    for path in ["docs/a.md", "docs"] {
        let mut site = ground.site("project");
        assert_eq!(scope.judge(&site.target(path, &project)), Verdict::Inside);
        site.guard(&project.join("docs/a.md"), "roz's home");
        let found = scope.judge(&site.target(path, &project));
        assert_eq!(word(&found), ("outside", "guarded"), "{path}");
    }
}

/// Where a write really goes, asked of the system: opens the file and looks
/// where it is; what was not there before is removed again.
fn written_to(path: &Path) -> Option<PathBuf> {
    let existed = path.exists();
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).ok()?;
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    if !existed {
        fs::remove_file(&real).unwrap();
    }
    Some(real)
}

const PARTS: &[&str] = &[
    "src",
    "auth",
    "billing",
    "out",
    "up",
    "self",
    "into",
    "abs",
    "keys",
    "tokeys",
    "deep",
    "none",
    "..",
    ".",
    "",
    "a.ts",
    "inv.ts",
    "chain.ts",
    "dangling.ts",
    "dangling-in.ts",
    "dangling-out.ts",
    "dangling-far",
    "gitlink",
    "config",
    "settingslink",
    "loop1",
    "new.ts",
    "k.pem",
    "vendor",
    "sub",
    ".git",
    "docs",
    "SRC",
    "a.ts/",
];

const PATTERNS: &[&str] = &[
    "src/auth/**",
    "src/auth",
    "src/*/*.ts",
    "src/**/new.ts",
    "**/*.ts",
    "src/into/**",
    "vendor/**",
    "docs/**",
    "**",
    "src/auth/self/**",
    "{src,docs}/a?th/*",
];

const HOLES: &[&str] = &["src/auth/keys/**", "**/*.pem", "src/billing", "vendor/sub/*"];

/// What another reading of globs says.
fn is_owned(patterns: &[&str], holes: &[&str], path: &str) -> bool {
    let fits = |pattern: &&&str| {
        let covers = [(**pattern).to_owned(), format!("{pattern}/**")];
        covers.iter().any(|it| {
            let glob = GlobBuilder::new(it).literal_separator(true).build().unwrap();
            glob.compile_matcher().is_match(path)
        })
    };
    patterns.iter().find(fits).is_some() && holes.iter().find(fits).is_none()
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_let_through_that_is_written_outside_the_scope() {
    let ground = Ground::new();
    let project = ground.tmp.join("project");
    let parts = prop::collection::vec(prop::sample::select(PARTS), 1..9);
    let owned = prop::collection::vec(prop::sample::select(PATTERNS), 1..3);
    let holes = prop::collection::vec(prop::sample::select(HOLES), 0..2);
    let prefix =
        prop::sample::select(&["", "", "", "/", "alias", "project/", "/proc/self/cwd/"][..]);
    let passed = std::cell::Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 6000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&(parts, owned, holes, prefix), |(parts, owned, holes, prefix)| {
        let mut written = parts.join("/");
        match prefix {
            "alias" => written = format!("{}/alias/{written}", ground.tmp.display()),
            "project/" => written = format!("{}/{written}", project.display()),
            other => written.insert_str(0, other),
        }
        let patterns: Vec<String> = owned
            .iter()
            .map(|it| (*it).to_owned())
            .chain(holes.iter().map(|it| format!("!{it}")))
            .collect();
        let target = ground.site("project").target(&written, &project);
        if Scope::new(&patterns).judge(&target) != Verdict::Inside {
            return Ok(());
        }
        if let Some(real) = written_to(&project.join(&written)) {
            passed.set(passed.get() + 1);
            let inside = real.strip_prefix(&project);
            prop_assert!(inside.is_ok(), "{written} went to {}", real.display());
            let inside = inside.unwrap().to_str().unwrap();
            prop_assert!(is_owned(&owned, &holes, inside), "{written} went to {inside}");
            prop_assert!(!inside.split('/').any(|it| it == ".git"), "{written} went to {inside}");
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(passed.get() > 50, "only {} writes passed", passed.get());
}
