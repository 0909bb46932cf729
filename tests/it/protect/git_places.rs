//! Which repository's hooks a line's git would run: where it goes first, what
//! it makes there, and what it has git take for its configuration.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::support::Roz;

/// A repository where pushing waits for a review, without hooks; beside it in
/// `evil` one that pushes with every commit.
fn beside() -> Roz {
    let roz = Roz::gated("").in_git();
    let evil = roz.project().join("../evil");
    fs::create_dir_all(evil.join(".git/hooks")).unwrap();
    fs::create_dir_all(evil.join("tpl/hooks")).unwrap();
    fs::write(evil.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for hook in [".git/hooks/pre-commit", ".git/hooks/post-checkout", "tpl/hooks/pre-commit"] {
        let hook = evil.join(hook);
        fs::write(&hook, "#!/bin/sh\ngit push\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(evil.join("inc"), "[core]\n\thooksPath = ../evil/.git/hooks\n").unwrap();
    fs::create_dir_all(roz.project().join("sub")).unwrap();
    roz.write("sub/x", "");
    roz
}

#[track_caller]
fn objects(roz: &Roz, lines: &[&str]) {
    let quiet: Vec<&&str> = lines.iter().filter(|it| !roz.bash(it).is_objection()).collect();
    assert!(quiet.is_empty(), "{quiet:#?}");
}

#[track_caller]
fn is_quiet(roz: &Roz, lines: &[&str]) {
    let denied: Vec<&&str> = lines.iter().filter(|it| roz.bash(it).is_objection()).collect();
    assert!(denied.is_empty(), "{denied:#?}");
}

#[test]
fn wherever_a_line_goes_the_hooks_there_are_read() {
    let roz = beside();
    objects(
        &roz,
        &[
            "cd ../evil && git commit -m x",
            "cd .. && cd evil && git commit -m x",
            "cd -- ../evil; git commit -m x",
            "cd ../ev*l && git commit -m x",
            "git -C ../e?il commit -m x",
            "for d in ../e*/ sub; do git -C $d commit -m x; done",
            "cd ../evi? && git commit -m x",
            "git -C \"../e$V\" commit -m x",
            "for i in $(seq 3); do git -C ../e*$i commit -m x; done",
            "tar xf e.tar -C ..; git -C ../x* commit -m x",
            "tar xf e.tar -C ..; cd ../x* && git commit -m x",
            "mkdir .a1 .a2 .a3 .a4 .a5 .a6 .a7 .a8 .a9; for d in ../*/; do git -C $d commit -m x; done",
            "shopt -s dotglob; for d in ../*/; do git -C $d commit -m x; done",
            "git --attr-source HEAD --git-dir ../evil/.git --work-tree . commit -m x",
            "cd -P ../evil; git commit -m x",
            "pushd ../evil; git commit -m x",
            "cp -r ../evil e4 && cd e4 && git commit -m x",
            "cp -r ../evil sub/e4 && cd sub && cd e4 && git commit -m x",
            "bash -c 'cd .. && cd evil && git commit -m x'",
            "CDPATH=.. ; cd evil && git commit -m x",
            "export CDPATH=..; cd sub; git commit -m x",
            "mv sub old; mv ../evil sub; cd sub && git commit -m x",
            "ln -s ../evil l; cd l && git commit -m x",
            "for d in ../*/; do (cd \"$d\" && git commit -m x); done",
            "D=$(mktemp -d); D=../evil; eval 'cd $D'; git commit -m x",
        ],
    );
}

/// Of what it makes so much is noted; and what a line asks so often is answered
/// in time.
#[test]
fn who_makes_more_than_is_noted_may_make_anything() {
    let roz = beside();
    let many = |count: usize| {
        (0..count).map(|it| format!("git init d{it}; ")).collect::<Vec<_>>().concat()
    };
    is_quiet(&roz, &[&format!("{}git commit -m x", many(20))]);
    objects(&roz, &[&format!("{}git commit -m x", many(200))]);
    let cds = "cd sub; cd ..; ".repeat(300);
    objects(&roz, &[&format!("{cds}{}git commit -m x", many(1500))]);
}

#[test]
fn an_alias_elsewhere_stands_for_what_it_is_there() {
    let roz = beside();
    let config = roz.project().join("../evil/.git/config");
    fs::write(&config, "[alias]\n\tp = push\n\tq = p\n").unwrap();
    for folder in ["objects", "refs"] {
        fs::create_dir_all(roz.project().join("../evil/.git").join(folder)).unwrap();
    }
    objects(&roz, &["git -C ../evil p", "git -C ../evil q", "cd ../evil; git q"]);
    is_quiet(&roz, &["git -C ../evil w", "cd ../evil; git log"]);
    fs::write(&config, "[tar \"foo\"]\n\tcommand = git push\n").unwrap();
    objects(&roz, &["git -C ../evil archive --format=foo HEAD"]);
}

/// As docs/limits.md says: a name that only the running line knows, or that
/// nothing is behind, is not held against it.
#[test]
fn where_nobody_can_know_or_nothing_is_a_line_is_free() {
    let roz = beside();
    is_quiet(
        &roz,
        &[
            "cd \"$D\" && git commit -m x",
            "cd $(cat f) && git commit -m x",
            "(cd \"$D\" && make) && git commit -m 'it works'",
            "git -C \"$D\" add -A && git -C \"$D\" commit -m x",
            "for d in $(ls -d */); do echo \"== $d\"; git -C $d fetch --all --prune; done",
            "find . -name .git | while read g; do git -C \"$(dirname \"$g\")\" fetch; done",
            "ls -d */ | xargs -I{} git -C {} pull --rebase",
            "git -C vendor/lib checkout main && make",
            "cd /nowhere && git commit -am x",
            "cd x || exit 1; git pull",
            "for d in a b c; do git -C $d fetch; done",
            "git clone . d && git -C other/d commit -m x",
        ],
    );
}

#[test]
fn where_a_line_goes_every_day_is_no_suspect() {
    let roz = beside();
    is_quiet(
        &roz,
        &[
            "cd \"$(git rev-parse --show-toplevel)\" && git commit -m x",
            "cd \"$(git rev-parse --show-toplevel)\" && git commit -m 'a (b): c'",
            "cd \"$(git rev-parse --show-toplevel)\" && git commit -m \"$(cat <<'EOF'\nIt's done\n\ncd $x\nEOF\n)\"",
            "ROOT=$(git rev-parse --show-toplevel); cd \"$ROOT\" && git commit -m \"say $USER\"",
            "cd \"$(git rev-parse --show-toplevel 2>/dev/null)\" && git add -A && git commit -m x",
            "ROOT_DIR=x; cd sub && git commit -m x",
            "cd \"$REPO\" && git status",
            "cd \"$REPO\" && git branch -a && git stash list && git remote -v",
            "git -C \"$d\" stash list; git -C \"$d\" stash show; git -C \"$d\" worktree list",
            "cd \"$REPO\" && git log --oneline | head",
            "for d in */; do (cd \"$d\" && git status); done",
            "for d in */; do (cd \"$d\" && git pull); done",
            "mkdir x && cd x && git init && git commit --allow-empty -m x",
            "mkdir -p x/y; cd x/y; git init -q; git commit -qm x",
            "D=$(mktemp -d) && cd \"$D\" && git init -q && git commit --allow-empty -m x",
            "git clone https://h.example/d.git && cd d && git checkout v1",
            "git commit -m x && cd \"$D\" && make",
            "mv README.md sub/ && cd sub && git commit -m x",
            "cp README.md sub/ && cd sub && git commit -m x",
            "cd sub && cd .. && git commit -m x",
            "(cd sub && make) && git commit -m x",
            "pushd sub && make && popd && git commit -m x",
        ],
    );
}

#[test]
fn only_what_git_itself_has_made_there_has_no_hooks() {
    let roz = beside();
    objects(
        &roz,
        &[
            "cp -r ../evil e4; git worktree list e4; git -C e4 commit -m x",
            "cp -r ../evil e4; git clone . e4; git -C e4 commit -m x",
            "cp -r ../evil/. e4; git -C e4 commit -m x",
            "cp -r ../evil e4 && cp -r e4 e5 && cd e5 && git commit -m x",
            "find .. -maxdepth 1 -name evil -exec cp -r {} e6 \\; && cd e6 && git commit -m x",
            "scp -r ../evil e7 && cd e7 && git commit -m x",
            "ditto ../evil e8; cd e8; git commit -m x",
            "for d in ../*/; do cp -r $d all; done; cd all && git commit -m x",
            "rsync -a ../evil/ e4; git -C e4 commit -m x",
            "rsync -a ../evil e4; git -C e4/evil commit -m x",
            "mv ../evil e4; cd e4/sub && git commit -m x",
            "cp -r .. all; cd all/evil && git commit -m x",
            "git init d --template=../evil/tpl && git -C d commit --allow-empty -m x",
            "git init --template ../evil/tpl d && git -C d commit --allow-empty -m x",
            "git clone --template=../evil/tpl . d && git -C d commit -m x",
            "git clone -c core.hooksPath=../evil/.git/hooks . d && git -C d commit -m x",
            "git -c init.templateDir=../evil/tpl clone . d && git -C d commit -m x",
            "GIT_TEMPLATE_DIR=../evil/tpl git clone . d && git -C d commit -m x",
            "git clone . d e4; git -C e4 commit -m x",
            "cp -r ../evil n; git -C n clone . x; git -C n commit -m x",
            "mkdir d; git init --template=../evil/tpl d; git -C d commit -m x",
            "git init --template=../evil/tpl; git commit -m x",
            // Where that is nobody knows: it may be here.
            "git init --template=../evil/tpl \"$D\"; git commit -m x",
            "git -c init.templateDir=../evil/tpl init \"$D\"; git commit -m x",
            "git -c init.templateDir=../evil/tpl init -qb x d; git -C d commit -m x",
            "git init \"$D\" d; git -C d commit -m x",
            "git worktree add \"$D\" d; git -C d commit -m x",
            "git worktree $V ../w; git -C ../w commit -m x",
            "git worktree move \"$D\" ../w; git -C ../w commit -m x",
            "git worktree remove ../w; cp -r ../evil ../w; git -C ../w commit -m x",
            "git worktree remove ../evil; git -C ../evil commit -m x",
            "for d in ../*/; do git -C \"$d\" commit -m x; done",
        ],
    );
}

#[test]
fn what_a_line_makes_itself_is_no_suspect() {
    let roz = beside();
    is_quiet(
        &roz,
        &[
            "mkdir n && git -C n init && git -C n commit --allow-empty -m x",
            "mkdir n && git -C n clone . x && git -C n/x checkout -q v1",
            "git clone https://h.example/d.git && git -C d/sub commit -m x",
            "git clone --depth 1 -b main https://h.example/d.git ../d && git -C ../d checkout v1",
            "git worktree add -b new ../wt main && git -C ../wt commit -m x",
            "git -C \"$(git rev-parse --show-toplevel)\" commit -m x",
            "for d in */; do git -C \"$d\" pull; done",
            "git -C sub commit -m x",
            "cp -r . /tmp/n1 && cd /tmp/n1 && git checkout -q HEAD~1 && npm test",
            "mkdir -p /tmp/n1 && cp sub/x /tmp/n1/ && cd /tmp/n1 && git init -q && git commit -qm x",
            "rsync -a --delete sub/ ../site/ && cd ../site && git commit -m x",
            "cargo new hello && cd hello && git commit -qam x",
            "gh repo clone acme/x && cd x && git checkout -b y",
            "cd /tmp && git clone https://h.example/y && cd y && git checkout v1 && ls",
            "git clone --shared . /tmp/c && cd /tmp/c && git checkout main",
            "tar xzf a.tgz && cd a && git init -q && git commit -qm base",
            "git worktree add -q /tmp/ghp gh-pages && cp -r sub/. /tmp/ghp/ && git -C /tmp/ghp commit -m x",
            "npm run build && cd dist && git init && git commit -m deploy",
            "D=$(mktemp -d); git init -q \"$D\"; ls; git commit -m x",
            "git init -q --bare \"$(mktemp -d)/origin.git\" && git commit -m x",
            "git -c init.defaultBranch=main init -qb main \"$REPO\"; git commit -m x",
            "git -c init.defaultBranch=main init -qb main d; git -C d commit -m x",
            "git clone https://h.example/d.git \"$D/c\"; git commit -m x",
        ],
    );
}

#[test]
fn a_work_tree_that_goes_again_is_no_other_place() {
    let roz = beside();
    is_quiet(
        &roz,
        &[
            "git worktree add ../w main && (cd ../w && git commit -m x); git worktree remove ../w",
            "git worktree remove --force ../w; git worktree add ../w && git -C ../w commit -m x",
            "trap 'git worktree remove ../w' EXIT; git worktree add ../w; cd ../w && git commit -m x",
            "git worktree add ../w; pushd ../w; git commit -m x; popd; git worktree remove ../w",
            "git worktree add ../w; cd ../w && git commit -m x; cd -; git worktree remove -f ../w",
            "git worktree add ../w; git worktree lock ../w; git -C ../w commit -m x; git worktree prune",
        ],
    );
}

#[test]
fn another_configuration_in_the_line_may_bring_any_hook() {
    let roz = beside();
    objects(
        &roz,
        &[
            "git -c include.path=../evil/inc commit -m x",
            "git --git-dir=../evil/.git commit -m x",
            "git --git-dir ../evil/.git --work-tree . commit -m x",
            "git --git-dir=\"$D\" commit -m x",
            "GIT_DIR=../evil/.git git commit -m x",
            "GIT_CONFIG_GLOBAL=../evil/inc git commit -m x",
            "HOME=../evil git commit -m x",
            "HOME=../evil; git commit -m x",
            "export XDG_CONFIG_HOME=../evil; git commit -m x",
            "XDG_CONFIG_HOME=../evil; export XDG_CONFIG_HOME; git commit -m x",
            "git config include.path ../../evil/inc; git commit -m x",
            "printf '[core]\nhooksPath=../evil/.git/hooks' >> .git/config; git commit -m x",
            "cp ../evil/inc .git/config; git commit -m x",
            "cp ../evil/inc ~/.gitconfig; git commit -m x",
            "env -C ../evil git commit -m x",
            "rm -r .git/hooks; ln -s ../../evil/.git/hooks .git/hooks; git commit -m x",
        ],
    );
    is_quiet(
        &roz,
        &[
            "git -c user.name=x -c user.email=y commit -m x",
            "GIT_AUTHOR_DATE=2020-01-01 GIT_COMMITTER_DATE=2020-01-01 git commit -m x",
            "git --git-dir=.git commit -m x",
            "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git commit -m x",
            "git add include/x.h && git commit -m include",
            "git config user.name x && git config --get include.path; git commit -m x",
            "rm -rf .git/hooks && git commit -m x",
            "export GIT_EDITOR=true; git commit",
            "git --git-dir=../evil/.git log",
        ],
    );
}

#[test]
fn the_users_other_configuration_is_read_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("git")).unwrap();
    let roz = beside().with_var("XDG_CONFIG_HOME", folder.path().to_str().unwrap());
    roz.bash("git commit").objects_to_nothing();
    fs::write(folder.path().join("git/config"), "[core]\n\teditor = \"git push;:\"\n").unwrap();
    assert!(roz.bash("git commit").is_objection());
}
