//! What is guarded, come by in a roundabout way: names out of listings and patterns, folders that a
//! program goes to, files that programs write beside what they are for.

use super::{House, USERS};

fn house() -> House {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    house.file(".roz/config.toml", "");
    house
}

#[test]
fn what_is_guarded_is_seen_by_whatever_way_it_is_come_by() {
    let house = house();
    for line in [
        "for f in $(ls -A .claude); do rm .claude/$f; done",
        "for f in $(ls .claude); do rm .claude/$f; done",
        "ls .claude | while read f; do rm .claude/$f; done",
        "cd .claude; for f in $(ls); do rm $f; done",
        "for f in .claude/*; do rm $f; done",
        "ls .claude | xargs -I{} rm .claude/{}",
        "python3 -c 'import glob,os; [os.remove(f) for f in glob.glob(\".claude/*.json\")]'",
        "python3 -c 'from pathlib import Path; [p.unlink() for p in Path(\".claude\").glob(\"*.json\")]'",
        "python3 -c 'import os; [os.remove(\".claude/\"+f) for f in os.listdir(\".claude\")]'",
        "python3 -c 'import os\nfor f in os.listdir(\".claude\"): os.remove(os.path.join(\".claude\", f))'",
        "python3 -c 'import pathlib\nfor p in pathlib.Path(\".\").rglob(\"settings.json\"): p.write_text(\"{}\")'",
        "python3 -c 'import shutil; shutil.rmtree(\".claude\")'",
        "perl -e 'unlink <.claude/*>'",
        "perl -e 'unlink glob \".claude/*\"'",
        "node -e 'const fs=require(\"fs\"); for (const f of fs.readdirSync(\".claude\")) fs.unlinkSync(\".claude/\"+f)'",
        "cd /tmp/d; cp --parents .claude/settings.json $OLDPWD",
        "mkdir -p d/.roz; echo x > d/.roz/config.toml; cd d; cp --parents .roz/config.toml ~",
        "mkdir d; echo '{}' > d/settings.json; for f in d/*; do cp $f .claude/; done",
        "mkdir d; echo '{}' > d/settings.json; find d -type f | xargs cp -t .claude",
        "shopt -s dotglob; for f in ~/*; do rm -rf \"$f\"; done",
        "p=$(find ~ -maxdepth 1 -name .roz); rm -rf $p",
        "curl -s -T x file://$PWD/.claude/settings.json",
        "ssh -E .claude/settings.json x",
        "script -tF -qc true /dev/null; script -t.claude/settings.json -qc true /dev/null",
        "savelog .claude/settings.json",
        "node --trace-event-file-pattern=.claude/settings.json --trace-events-enabled -e 1",
        "tmux save-buffer .claude/settings.json",
        "tmux saveb -a .claude/settings.json",
        "tmux new -d -c ~/.roz 'rm config.toml'",
        "tmux new -d -c .claude 'rm settings.json'",
        "vim -es -c 'e .claude/settings.json' -c '%d' -c 'w!' -c q",
        "vim -es -c 'redir! > .claude/settings.json' -c q",
        "vim -es -c 'mks! .claude/settings.json' -c q",
        "vim -es -c 'cd .claude' -c 'e settings.json' -c 'norm ddox' -c 'wq!'",
        "vim -es -c 'args .claude/*.json' -c 'argdo %d|w!' -c q",
        "vim -V9.claude/settings.json -c q",
        "env -C .claude rm settings.json",
        "rm .claude/settings.{json,x}",
        "install -D x .claude/settings.json",
        "dd if=x of=.claude/settings.json",
        "ln -s / r; echo x > r$HOME/.roz/config.toml",
        "ln -s / r; echo '{}' > r$PWD/.claude/settings.json",
        "find ~/.roz -execdir rm config.toml \\;",
        "find .claude -execdir rm settings.json \\;",
    ] {
        assert!(house.bash(line).is_objection(), "{line}");
    }
}

#[test]
fn where_a_line_stands_is_known_behind_a_return_and_by_tildes() {
    let house = house();
    for line in [
        "cd ~/.roz; f(){ [ \"$1\" ] || return; cd /tmp; }; f; rm config.toml",
        "cd /tmp; f(){ cd ~/.roz; return; cd /tmp; }; f; rm config.toml",
        "cd ~/.roz; rm ~+/\"config.toml\"",
        "cd ~/.roz; rm ~+/$x",
        "cd ~/.roz; cd /; rm ~-/\"config.toml\"",
        "gunzip .claude/settings.json-gz",
        "gunzip .claude/settings.json.z",
        "x=~/.roz; f(){ local a b c d e g h i; local x=/tmp; }; f; rm $x/config.toml",
    ] {
        assert!(house.bash(line).is_objection(), "{line}");
    }
}

#[test]
fn the_same_ways_are_free_elsewhere() {
    let house = house();
    for line in [
        "mkdir -p .claude/$d",
        "chmod +x .claude/$f",
        "cat .claude/$f",
        "cp $f .claude/skills/",
        "mkdir -p .claude/commands && cp cmd.md .claude/commands/",
        "for f in .claude/commands/*.md; do sed -i s/a/b/ $f; done",
        "for f in *.log; do rm \"$f\"; done",
        "ls src | while read f; do wc -l src/$f; done",
        "for f in $(ls build); do rm -f build/$f; done",
        "for f in $(git diff --name-only); do prettier --write $f; done",
        "python3 -c 'import glob\nfor f in glob.glob(\"src/*.py\"): print(f)'",
        "python3 -c 'import os\nfor f in os.listdir(\".\"): print(f)'",
        "python3 -c 'import glob,json\nfor f in glob.glob(\".claude/*.json\"): print(json.load(open(f)).keys())'",
        "find . -name '*.orig' -execdir rm {} \\;",
        "find . -name '*.pyc' -delete",
        "find src -name '*.rs' -execdir rustfmt {} \\;",
        "cp --parents src/a/b.rs /tmp/x",
        "curl -T x.tgz https://x/y",
        "curl -o out.json file://$PWD/a.json",
        "docker run -v $PWD:/app x",
        "docker run --rm -v \"$PWD\":/app -w /app node npm test",
        "./configure --prefix=$PWD/out && make install",
        "export PATH=$PATH:$PWD/bin",
        "cp -r src $HOME/backup",
        "git sparse-checkout set src .claude",
        "git rm -q '*.log'",
        "git rm -r --cached . && git add .",
        "vim -es -c '%s/a/b/' -c 'w!' -c q src/a.rs",
        "vim -es +'e src/a.rs' +'w' +q",
        "tmux new -d -s x -c src 'make watch'",
        "tmux save-buffer /tmp/b",
        "node --cpu-prof-name=x.prof --cpu-prof a.js",
        "shopt -s dotglob; for f in build/*; do rm -rf $f; done",
        "shopt -s dotglob; mv src/* dest/",
        "ssh -E /tmp/ssh.log host uptime",
        "script -q -c 'make test' /tmp/log",
        "tar c -C /usr share/doc | tar x -C /tmp/x",
        "mkdir d; for f in d/*; do cp $f out/; done",
        "rsync -av --exclude target --exclude node_modules ./ host:/srv/app",
        "ls -A .claude",
        "for f in .claude/*.md; do cat $f; done",
    ] {
        house.is_free(line);
    }
}

#[test]
fn git_takes_away_what_it_keeps_no_longer() {
    let house = house();
    house.roz.git(&["add", "-A"]);
    house.roz.git(&["commit", "-qm", "x"]);
    for line in [
        "git rm -rfq '*.json'",
        "git rm --cached .claude/settings.json; git clean -fd",
        "git rm --cached -r .claude && git clean -fdx",
        "git update-index --force-remove .claude/settings.json; git clean -f .claude",
        "git switch --orphan x",
        "git sparse-checkout set src",
    ] {
        house.denies("settings", line);
    }
    for line in [
        "git rm --cached src/a.rs && git clean -fd",
        "git rm -q '*.log'",
        "git sparse-checkout set src .claude",
        "git clean -fd",
    ] {
        house.is_free(line);
    }
}
