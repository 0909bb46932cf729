//! What a search comes to: its tests, what leaves out some of its list, and what is done with the
//! names that are left.

use super::{House, places::furnished};

/// Says of all of the lines which of them are not as they should be.
#[track_caller]
fn all_are_free(house: &House, lines: &[&str]) {
    let is_denied = |it: &&&str| house.bash(it).is_objection();
    let denied: Vec<_> = lines.iter().filter(is_denied).collect();
    assert!(denied.is_empty(), "{denied:#?}");
}

#[track_caller]
fn all_are_stopped(house: &House, lines: &[&str]) {
    let is_free = |it: &&&str| !house.bash(it).is_objection();
    let free: Vec<_> = lines.iter().filter(is_free).collect();
    assert!(free.is_empty(), "{free:#?}");
}

#[test]
fn what_a_filter_keeps_out_is_not_handed_over() {
    let house = furnished();
    all_are_free(
        &house,
        &[
            r"find . -type f | grep '\.py$' | xargs sed -i 's/hi/ho/'",
            r"find . | grep '\.orig$' | xargs rm -f",
            r"find . -type f | grep '\.py$' | xargs black",
            r"find . -type f 2>/dev/null | grep '\.py$' | sort -u | xargs chmod 644",
            r"find . | grep -E '\.(ts|tsx)$' | xargs npx prettier --write",
            r"find . -type f | egrep '\.[jt]sx?$' | xargs -n1 sed -i s/a/b/",
            "find . -type f | grep -v '/\\.' | xargs sed -i s/a/b/",
            r"find . -type f | grep -v '/\.claude/\|/\.roz/\|/\.orchestration/' | xargs rm",
            r"find . -type f | grep src/ | grep -v node_modules | head -n 5 | xargs rm",
            r"find . -type f | grep -F .py | tr '\n' '\0' | xargs -0 rm",
            r"find . -type f | grep -i '\.PY$' | xargs -I{} sed -i s/a/b/ {}",
            r"find . -type f | grep '\.py$' | xargs -d '\n' rm",
            r"find ~ -type f | grep '\.pyc$' | xargs rm -f",
            r"find . -type f -not -path './.*' -print0 | xargs -0 rm",
        ],
    );
    all_are_stopped(
        &house,
        &[
            r"find . -type f | grep '\.json$' | xargs sed -i 's/hooks/ho/'",
            r"find . -type f | grep -v '\.py$' | xargs rm",
            r"find . -type f | grep -E '\.(ts|json)$' | xargs rm",
            r"find . -type f | grep -P '\.py$' | xargs rm",
            r"find . -type f | grep '\.py$' -A 5 | xargs rm",
            r"find . -type f | grep -n . | cut -d: -f2 | xargs rm",
            r"find . -type f | grep -vw settings.jso | xargs rm",
            "find . -type f | grep '[\\n]gs' | xargs rm",
            r"find . -type f | grep '\.py$\|json' | xargs rm",
            r"find . -type f | grep '\.py$' - list | xargs rm",
            "find . -type f | grep *.py | xargs rm",
            r"find . -type f | grep $p | xargs rm",
            r"find . -type f | grep -i 'SETTINGS\.JSON' | xargs rm",
            // Its lines are others by then, or do not come from it.
            r"find . -type f | sed s/$/.py/ | grep '\.py$' | sed 's/\.py$//' | xargs rm",
            r"find . -type f | grep '\.py$' | sed 's/\.py$//' | xargs rm",
            r"find . -type f | grep '\.py$' | cat - list | xargs rm",
            r"find . -type f | tee l | grep '\.py$' | xargs rm; find . -type f | xargs rm",
            r"find $(pwd) -type f | grep '^/' | xargs rm",
            r"find $PWD -type f | grep '^/' | xargs rm",
            r"find ~ -type f | grep '^/' | xargs rm",
            r"find . -type f | grep '\.py$' | xargs -a l rm; find . -type f | xargs rm",
            r#"find . -type f | grep '\.py$' | xargs sh -c 'for f; do rm "${f%.py}"; done' _"#,
            r"find . -type f | grep '\.py$' | parallel rm {.}",
            r"grep() { cat; }; find . -type f | grep '\.py$' | xargs rm",
            r"PATH=.:$PATH; find . -type f | grep '\.py$' | xargs rm",
            r"find . -type f -print0 | grep -a '\.py$' | xargs -0 rm",
            r"find . -type f -exec rm {} + | grep '\.py$' | xargs ls",
        ],
    );
}

#[test]
fn a_test_that_no_protected_file_passes_keeps_it_out() {
    let house = furnished();
    all_are_free(
        &house,
        &[
            r"find . -type f -not -path '*/\.*' -exec sed -i s/a/b/ {} +",
            r"find . -regex '.*\.\(ts\|js\)' -delete",
            r"find . -regextype posix-extended -regex '.*\.(ts|js)' -delete",
            r"find . -type f -name '*.json' -size 0 -delete",
            r"find . -type f -name '*.json' -size +100k -exec rm {} +",
            r"find . -type f -name '*.json' -mtime +30 -delete",
            r"find . -type f -name '*.json' -perm 777 -exec rm {} +",
            r"find . -type f -name '*.json' -perm /111 -exec rm {} +",
        ],
    );
    all_are_stopped(
        &house,
        &[
            r"find . -name 'settings\.json' -delete",
            r"find . -path '*/\.claude/*' -delete",
            r"find . -name 'settings[\.]json' -delete",
            r"find . -regex '.*\.\(ts\|json\)' -delete",
            r"find . -regex '.*/\(settings\|x\)\.js[o]n' -delete",
            r"find . -regextype posix-extended -regex '.*\.(ts|json)' -delete",
            r"find -E . -regex '.*/(settings|x)\.json' -delete",
            r"find . -type f ! -regex '.*[[:digit:]]' -delete",
            r"find . -type f -not -regex '.*\wz' -delete",
            r"find . -name '*.json' -size -100k -delete",
            r"find . -name '*.json' -size 1 -delete",
            r"find . -name '*.json' -size -1G -delete",
            r"find . -name '*.json' -mtime -30 -delete",
            r"find . -name '*.json' -mtime 0 -delete",
            r"find . -name '*.json' ! -mtime +30 -delete",
            r"find . -name '*.json' -perm -400 -delete",
            r"find . -name '*.json' -perm -u+r -delete",
            r"touch -d '60 days ago' .claude/settings.json; find . -name '*.json' -mtime +30 -delete",
        ],
    );
}

#[test]
fn a_search_may_begin_at_what_is_guarded() {
    let house = House::new();
    std::fs::create_dir_all(house.roz.home().join("images")).unwrap();
    let lines = [
        "find ~/.roz/config.toml -delete",
        "cd ~/.roz && find config.toml -type f -delete",
        "find src/app.py ~/.roz/config.toml -delete",
        "find ~/.roz/images -delete",
        "find ~/.roz/config.toml -exec sed -i s/o/b/ {} +",
        "find ~/.roz/config.toml -exec cp src/app.py {} \\;",
        "find ~/.roz/config.toml | xargs sed -i s/o/b/",
        "find ~/.roz -name config.toml -exec chmod -w {} +",
        "find ~/.claude -name settings.json -exec chmod -r {} \\;",
        "chmod -w ~/.roz/config.toml",
    ];
    all_are_stopped(&house, &lines);
    let free = [
        "find ~/.roz/config.toml -newer x -print",
        "find ~/.roz/config.toml -exec cat {} +",
        "find ~/.roz/config.toml -name '*.json' -delete",
        "find . -name '*.sh' -exec chmod -x {} +",
    ];
    all_are_free(&house, &free);
}

#[test]
fn what_stands_for_the_finds_is_what_they_are() {
    let house = furnished();
    house.project_file(".claude/commands/x.md", "foo");
    all_are_free(
        &house,
        &[
            "find .claude -name '*.md' -exec sed -i 's/foo/bar/' {} +",
            "find .claude -name '*.md' | xargs sed -i s/foo/bar/",
            "find .claude -name '*.md' -print0 | xargs -0 sed -i s/foo/bar/",
            "find .claude -name '*.md' -delete",
        ],
    );
    for line in [
        "find .claude -name '*.json' -exec sed -i 's/hooks/bar/' {} +",
        "find .claude -type f | xargs sed -i s/hooks/bar/",
        "find .claude -type f -delete",
        "find .claude -name '*.md' -exec sed -i s/foo/bar/ {} +; rm .claude/$x",
        "find .claude -name '*.md' -exec sed -i s/foo/bar/ {} +; sed -i s/hooks/x/ .claude/$x",
        "find .claude -name '*.md' -exec sh -c 'rm .claude/$(cat $1)' _ {} \\;",
    ] {
        house.denies("settings", line);
    }
}

#[test]
fn what_is_added_to_a_find_changes_it() {
    let house = furnished();
    for line in [
        "find ~ -name config.toml | while read f; do echo '# x' >> \"$f\"; done",
        "for f in $(find ~ -name config.toml); do echo x >> $f; done",
        "find ~ -name config.toml | while read f; do echo x | tee -a $f; done",
        "f=$(find ~ -name config.toml); echo x >> $f",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "find . -name settings.json | while read f; do echo '{\"disableAllHooks\":true}' > \"$f\"; done",
        "for f in $(find . -name settings.json); do echo '{\"disableAllHooks\":true}' > $f; done",
        "find . -name 'settings*.json' | xargs -I{} sh -c 'echo \"{}\" > {}'",
        "find . -name 'settings*.json' | xargs -I{} cp x {}",
    ] {
        house.denies("settings", line);
    }
    all_are_free(
        &house,
        &[
            "find . -name '*.log' | while read f; do echo '# x' >> \"$f\"; done",
            "find . -name '*.py' | while read f; do black - < \"$f\" > \"$f.tmp\"; done",
            "find . -type f | while read f; do wc -l \"$f\" >> out.txt; done",
            "for f in $(find src -name '*.rs'); do echo '// x' >> $f; done",
        ],
    );
}

#[test]
fn a_name_below_what_is_found_is_changed() {
    let house = furnished();
    for line in [
        "find ~ -maxdepth 1 -type d -exec rm -f {}/config.toml \\;",
        "cd ~ && find . -maxdepth 1 -type d -exec rm -f {}/config.toml \\;",
        "find ~ -type d -name '.r*' | xargs -I{} rm -f {}/config.toml",
        "find ~ -type d | while read d; do echo x > $d/config.toml; done",
        "ls -A ~ | xargs -I{} rm -f ~/{}/config.toml",
        "ls -A ~ | while read d; do rm -f ~/$d/config.toml; done",
        "for d in $(ls -A ~); do rm -f ~/$d/config.toml; done",
        "cd ~; ls -a | while read d; do rm -f $d/config.toml; done",
    ] {
        house.denies("roz-home", line);
    }
    house.denies("settings", "find . -type d -exec rm -f {}/settings.json \\;");
    all_are_free(
        &house,
        &[
            "find . -type d -exec rm -f {}/.DS_Store \\;",
            "find src -type d -exec rm -f {}/config.toml \\;",
            "find . -type d -not -path '*/.*' -exec rm -f {}/config.toml \\;",
            "ls ~ | xargs -I{} rm -f ~/{}/config.toml",
            "ls -A src | xargs -I{} rm -f src/{}/config.toml",
            "find . -type d -exec touch {}/.gitkeep \\;",
        ],
    );
}

#[test]
fn an_edit_that_finds_nothing_leaves_the_configuration_as_it_is() {
    let house = House::new();
    house.project_file(".claude/settings.json", r#"{"hooks": {"Stop": []}}"#);
    house.project_file(".roz/config.toml", "[review]\nenabled = true\n");
    all_are_free(
        &house,
        &[
            "find . -type f -not -path './.git/*' -print0 | xargs -0 sed -i 's/oldName/newName/g'",
            "find . -name '*.toml' -exec sed -i 's/edition = \"2018\"/edition = \"2021\"/' {} +",
            "find . -name '*.toml' | xargs sed -i s/2018/2021/",
        ],
    );
    for line in [
        "find . -name '*.toml' -exec sed -i s/true/false/ {} +",
        "find . -name '*.toml' -exec sed -i s/tr/tr/2w.roz/config.toml {} +",
        "find . -name '*.toml' -exec sed -i s/x/true/ {} +; sed -i s/true/false/ .roz/config.toml",
        "find . -name '*.toml' -exec sed -i '/enabled/d' {} +",
        "find . -name '*.toml' -exec sed -i \"s/$a/false/\" {} +",
        "find . -name '*.toml' | xargs sed -i s/zz/x/; echo x >> .roz/config.toml",
        "find . -name '*.toml' -delete",
    ] {
        house.asks("project-config", line);
    }
}

#[test]
fn a_refusal_says_that_the_file_is_among_the_finds() {
    let house = furnished();
    let reply = house.bash("find . -name '*.json' -delete");
    assert!(reply.json.to_string().contains("-not -path './.claude/*'"), "{}", reply.json);
    let reply = house.bash("rm .claude/settings.json");
    assert!(!reply.json.to_string().contains("-not -path"), "{}", reply.json);
}
