//! What a copy brings: names and texts that the line does not say.

use std::fs;

use super::{House, USERS, path_of_tests};

const REVIEWER: &str = "---\nname: roz:roz\n---\n";

fn furnished() -> House {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    house.project_file("bad/settings.local.json", r#"{"disableAllHooks": true}"#);
    house.project_file("good/settings.json", &USERS.replace("\"x\"", "\"y\""));
    house.project_file("good/notes.md", "");
    house.project_file("conf/config.toml", "");
    house.project_file("bad.md", REVIEWER);
    house.project_file("good.md", "---\nname: helper\n---\n");
    house.project_file("tools/roz", "");
    house.project_file("tools/x", "");
    house
}

#[test]
fn a_copy_brings_what_lies_in_its_source() {
    let house = furnished();
    for line in [
        "cp bad/* .claude/",
        "cp -r bad/. .claude",
        "cp -t .claude bad/*",
        "cd bad && cp * ../.claude",
        "mkdir z; echo '{\"hooks\":{}}' > z/settings.local.json; cp z/* .claude/",
        "mkdir -p z/y; echo '{\"hooks\":{}}' > z/y/settings.json; shopt -s globstar; \
         cp **/settings.json .claude/",
        "mkdir -p z/y; echo '{\"hooks\":{}}' > z/y/settings.json; shopt -s globstar; \
         cp z/**/y/settings.json .claude/",
    ] {
        house.denies("settings", line);
    }
    for line in ["cp -r conf .roz", "ln -s conf .roz", "cp conf/* .roz/", "mv conf .roz"] {
        house.asks("project-config", line);
    }
    house.asks("project-config", "mkdir y; echo > y/config.toml; cp -r y .roz");
    for line in
        ["cp bad.md ~/.claude/agents/", "mv bad.md .claude/agents/x.md", "cp *.md .claude/agents/"]
    {
        house.denies("reviewer-agent", line);
    }
    for line in [
        "cp good/* .claude/",
        "cp -r good/. .claude",
        "cp good.md ~/.claude/agents/",
        "cp bad.md doc.md",
        "cp -r conf out",
        "cp -r bad out",
        "cp tools/* out/",
        "mv conf other",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_folder_of_path_gets_no_roz() {
    let house = furnished();
    let bin = house.roz.dir().join("bin");
    fs::create_dir(&bin).unwrap();
    let House { roz } = house;
    let path = format!("{}:{}", bin.display(), path_of_tests());
    let house = House { roz: roz.with_var("PATH", &path) };
    let bin = bin.to_str().unwrap();
    for line in [
        "cp -t BIN tools/roz",
        "install -t BIN tools/roz",
        "install -m 755 tools/roz BIN",
        "cp tools/* BIN",
        "cp -r tools/. BIN",
        "cd BIN && make roz",
    ] {
        house.denies("binary", &line.replace("BIN", bin));
    }
    for line in ["cp tools/x BIN", "cp good/* BIN", "cd BIN && make all", "make roz"] {
        house.is_free(&line.replace("BIN", bin));
    }
}

#[test]
fn a_program_that_is_sent_elsewhere_acts_there() {
    let house = furnished();
    for line in [
        "env -C ~/.roz rm config.toml",
        "env --chdir=$HOME/.roz rm config.toml",
        "cd ~/.roz && curl -sO http://x/config.toml",
        "curl -sT a file://$HOME/.roz/config.toml",
        "curl -s --upload-file a file://localhost$HOME/.roz/config.toml",
        "wget --save-cookies ~/.roz/config.toml http://x/",
        "bash -O extglob -c 'cd ~/.@(roz|x); rm config.toml'",
        "shopt -s extglob\ncd ~/.@(x|roz) && rm config.toml",
        "git --git-dir=.git --work-tree=$HOME clean -fdx",
        "cd ~ && git init -q && git clean -fdx",
        "cd ~; ls -A | xargs rm -rf",
        "rm -rf \"$(printenv ROZ_HOME)\"",
        "f=$(find ~ -name config.toml); echo > $f",
        "grep -rl x ~ | xargs sed -i s/a/b/",
        "grep -rlZ x ~/.roz | xargs -0 rm",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "env -C ~/.roz ls",
        "env -C sub rm config.toml",
        "curl -sO http://x/config.toml",
        "git --work-tree=out clean -fdx",
        "ls -A | xargs rm -rf",
        "cd sub; ls -A | xargs rm -rf",
        "rm -rf \"$(printenv TMP)\"",
        "f=$(find ~ -name '*.log'); echo > $f",
        "grep -rl x src | xargs sed -i s/a/b/",
        "ls -a ~",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_reviewers_transcript_is_not_read_by_a_search() {
    let house = House::new();
    for line in [
        "find ~/.claude/projects -name 'agent-*' -exec cat {} +",
        "find ~/.claude/projects -name 'agent-*' | xargs grep token",
        "cd ~/.claude && grep -r token",
        "cd ~ && grep -r token .claude",
        "cd ~; grep -r token .claude/projects",
        "cd; grep -r token .claude",
        "cd ~/x && cd .. && rg token .claude",
        "cd ~/.claude && cd projects && grep -r token .",
        "git -C ~/.claude/projects grep --no-index token",
        "git -C ~ grep --no-index token -- .claude",
        "tar cf - -C ~ .claude | strings",
        "tar -C ~ -c .claude | strings",
        "zip -r /tmp/q.zip ~/.claude",
        "diff -r ~/.claude/projects /tmp",
        "node -p \"require('fs').readFileSync('{notes}/subagents/agent-a1.jsonl','utf8')\"",
        "perl -e \"open F,q({notes}/subagents/agent-a1.jsonl);print <F>\"",
        "tclsh <<< \"puts [read [open {notes}/subagents/agent-a1.jsonl]]\"",
        "sqlite3 :memory: \"select readfile('{notes}/subagents/agent-a1.jsonl')\"",
        "python3 -c \"import glob,os;print(open(glob.glob(os.path.expanduser('~/.claude/projects/*/*/subagents/*.jsonl'))[0]).read())\"",
        "cat $(find ~/.claude -name 'agent-*')",
        "cat ~/.claude/*/*/*/*/*",
        "cat ~/.claude/**/*.jsonl",
    ] {
        house.denies("reviewer-transcript", line);
    }
    for line in [
        "find ~/.claude -name '*.md' -exec cat {} +",
        "find ~/.claude/skills -type f -exec cat {} +",
        "cd ~/.claude && grep -r token skills",
        "cd ~ && grep -r token .claude/skills",
        "cd ~/src && grep -r token .",
        "git -C ~/src grep token",
        "git grep token",
        "echo agent-a1.jsonl",
        "cat ~/.claude/*",
        "cat ~/.claude/skills/*/*.md",
        "find ~/.claude/projects -name 'agent-*'",
        "find . -name '*.md' -exec cat {} +",
    ] {
        house.is_free(line);
    }
}

#[test]
fn what_becomes_the_folder_itself_brings_its_settings() {
    let house = furnished();
    house.project_file("x/.claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    house.project_file("y/.claude/notes.md", "");
    house.file(".claude/settings.json", r#"{"hooks": {}}"#);
    for line in [
        "cp -rT x .",
        "cp -r --no-target-directory x .",
        "mkdir z; printf '{\"disableAllHooks\":true}' > z/settings.local.json; rm -rf .claude; ln -s z .claude",
    ] {
        house.denies("settings", line);
    }
    house.denies("client-notes", "git -C ~ rm -rf .claude");
    for line in ["cp -rT y .", "cp -rT x out", "git -C sub rm -rf notes"] {
        house.is_free(line);
    }
}

#[test]
fn an_extended_pattern_is_no_name_of_its_own() {
    let house = House::new();
    house.project_file(".claude/settings.json", r#"{"hooks": {}}"#);
    house.project_file("src/a.md", "");
    for line in [
        "shopt -s extglob\nrm .claude/@(settings).json",
        "shopt -s extglob\nrm .claude/!(x|+(y))",
        "shopt -s extglob\np='.claude/@(settings|z).json'; rm $p",
        "bash -O extglob -c 'rm ~/.r@(o)z/config.toml'",
    ] {
        assert!(house.bash(line).is_objection(), "{line}");
    }
    house.is_free("shopt -s extglob\nrm src/@(a|b).md");
    for line in [
        "rm -f *.@(log|tmp)",
        "rm -rf build/*.@(o|a)",
        "mv *.@(png|jpg) img/",
        "chmod 644 *.@(c|h)",
        "sed -i s/a/b/ *.@(py|js)",
        "git rm *.@(a|b)",
        "rm -f *.?(bak|orig)",
        "rm -f *.!(py)",
        "rm -f *.*",
        "for f in *.@(log|tmp); do rm $f; done",
    ] {
        house.is_free(line);
    }
    for line in [
        "rm -rf @(.orchestration|x)",
        "rm -rf .@(orch*|x)",
        "rm -rf +(.|x)orchestration",
        "rm -rf ?(x).orchestration",
        "shopt -s dotglob; rm -rf *.orch*",
        "shopt -s dotglob; rm -rf *",
        "bash -O dotglob -c 'rm -rf ?orchestration'",
        "GLOBIGNORE=x; rm -rf *orchestration",
    ] {
        house.denies("orchestration", line);
    }
}

#[test]
fn no_count_of_groups_or_of_patterns_leaves_out_what_they_find() {
    let house = House::new();
    for line in [
        "shopt -s extglob; rm ~/@(a|b|c|d|e|f|g|.claude)/@(a|b|c|d|e|f|g|settings.json)@(|.x)@(|.y)",
        "shopt -s extglob; rm ~/@(a|b|c|d|e|f|g|h|.claude)/@(a|b|c|d|e|f|g|h|settings.json)",
        "shopt -s extglob; rm @(a|b)/@(c|d)/../../@(e|f|g|h|i|j|k|l|~)/@(a|b|c|d)/@([.]orch*|z)",
        "shopt -s dotglob; rm */*/*/*/*/*/*/*.orchestration",
    ] {
        assert!(house.bash(line).is_objection(), "{line}");
    }
    let deep = "@([.]*|x)/".repeat(11);
    assert!(house.bash(&format!("shopt -s extglob; rm .claude/../{deep}x")).is_objection());
    let long = (0..70).map(|it| format!("n{it}")).collect::<Vec<_>>().join("|");
    house.denies("settings", &format!("shopt -s extglob; rm ~/?({long}).claude/settings.json"));
    house.is_free(
        "shopt -s extglob; rm -f out/@(a|b|c|d|e|f|g|h)-@(a|b|c|d|e|f|g|h).@(o|d|a)?(.bak)",
    );
}

#[test]
fn an_agent_files_name_is_the_whole_of_it_through_whichever_tool() {
    let house = House::new();
    // The name is the whole of it, through whichever tool.
    house.frees_tool("Write", &serde_json::json!({ "file_path": "{project}/.claude/agents/roz.md", "content": "---\nname: roz\n---\n" }));
    house.is_free("printf -- '---\\nname: roz\\n---\\n' > .claude/agents/roz.md");
    house.denies("reviewer-agent", "printf -- \"---\\nname: $X\\n---\\n\" > .claude/agents/roz.md");
}

#[test]
fn a_work_tree_elsewhere_is_written_as_a_whole() {
    let house = House::new();
    for line in [
        "git --work-tree=$HOME reset --hard",
        "git --work-tree ~ restore .",
        "git config core.worktree $HOME; git reset --hard",
        "git -c core.worktree=$HOME checkout .",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.worktree GIT_CONFIG_VALUE_0=$HOME git checkout .",
        "GIT_CONFIG_PARAMETERS=\"'core.worktree=$HOME'\" git checkout .",
        "git config --global trace2.eventTarget ~/.roz/config.toml",
        "GIT_TRACE2_EVENT=$HOME/.roz/x git status",
        "GIT_WORK_TREE=$HOME git checkout -f -- .claude",
        "git checkout-index --prefix=$HOME/ -af",
    ] {
        assert!(house.bash(line).is_objection(), "{line}");
    }
    for line in [
        "git --work-tree=$HOME status",
        "git config core.worktree .",
        "git config --get core.worktree",
        "GIT_TRACE=1 git status",
        "GIT_TRACE=/tmp/trace git status",
        "git --work-tree=src checkout a.rs",
        "git checkout-index --prefix=/tmp/x/ -af",
    ] {
        house.is_free(line);
    }
}
