//! Code of other languages that reaches for roz's folder, and editors that are
//! told to write there.

use super::House;

#[test]
fn code_that_names_the_folder_and_changes_files_is_denied() {
    let house = House::new();
    for line in [
        r#"awk 'BEGIN{print "" > ENVIRON["HOME"]"/.roz/config.toml"}'"#,
        r#"awk 'BEGIN{f="../.roz/config.toml"; print "" > f}'"#,
        r#"awk -v h=$HOME 'BEGIN{print "" > (h "/.roz/config.toml")}'"#,
        r#"perl -e 'open F,">",glob("~/.roz/config.toml")'"#,
        r#"perl -e 'open(my $f,">",$ENV{HOME}."/.roz/config.toml")'"#,
        r#"perl -e 'truncate "../.roz/config.toml",0'"#,
        r#"node -e "fs.rmSync(path.join(os.homedir(),'.roz','config.toml'))""#,
        r#"node -e "fs.rmSync(path.join('..','.roz','config.toml'))""#,
        r#"node -e "fs.writeFileSync(path.resolve('..','.roz','config.toml'),'')""#,
        r#"python3 -c "from pathlib import Path as P; P('..').joinpath('.roz','config.toml').unlink()""#,
        r#"python3 -c "import os; open(os.path.expanduser('~')+'/.roz/config.toml','w')""#,
        r#"ruby -e 'File.delete(Dir.home+"/.roz/config.toml")'"#,
        r#"php -r 'file_put_contents(getenv("HOME")."/.roz/config.toml","");'"#,
        r"tclsh <<< 'file delete ../.roz/config.toml'",
        r#"julia -e 'rm("../.roz/config.toml")'"#,
        r#"emacs --batch --eval '(delete-file "~/.roz/config.toml")'"#,
        r#"guile -c '(delete-file "../.roz/config.toml")'"#,
        r"awk '{print > ARGV[2]}' README.md ~/.roz/config.toml",
        r#"python3 -c "import fileinput,os; list(fileinput.input(os.path.expanduser('~/.roz/config.toml'),inplace=True))""#,
        r#"python3 -c "import shelve,os; shelve.open(os.path.expanduser('~/.roz/x'))""#,
        r#"python3 -c "import tempfile,os; tempfile.mkstemp(dir=os.path.expanduser('~/.roz'))""#,
        r#"python3 -c "import sqlite3; sqlite3.connect('../user/.roz/s.db')""#,
        r#"python3 -c "import sys; open(sys.stdin.read().strip(),'w')" <<< ~/.roz/config.toml"#,
        r"python3 -m zipfile -c ~/.roz/z.zip README.md",
        r"python3 -m py_compile ~/.roz/x.py",
        r#"python3 -c "import shutil,os; shutil.copy('c.toml',os.path.expanduser('~/.roz/config.toml'))""#,
        r#"node -e "fs.copyFileSync('c.toml',os.homedir()+'/.roz/config.toml')""#,
        r"make -C ~/.roz --eval 'x:;@rm config.toml' x",
        r"make -f - D=$HOME/.roz <<< $'x:\n\trm $(D)/config.toml'",
        r"declare -n p=q; q=~/.roz/config.toml; rm $p",
        "su root -- -c 'rm ~/.roz/config.toml'",
        r#"env -S"rm\_$HOME/.roz/config.toml""#,
        "jobs -x rm ~/.roz/config.toml",
    ] {
        house.denies("roz-home", line);
    }
}

#[test]
fn code_that_reads_it_or_that_writes_elsewhere_is_free() {
    let house = House::new();
    for line in [
        "install -m 600 ~/.roz/config.toml c.toml",
        r#"python3 -c "import shutil,os; shutil.copy(os.path.expanduser('~/.roz/config.toml'),'c.toml')""#,
        r#"python3 -c "import os; t=open(os.path.expanduser('~/.roz/config.toml')).read(); open('copy.toml','w').write(t)""#,
        r#"python3 -c "from pathlib import Path; Path('copy.toml').write_text((Path.home()/'.roz/config.toml').read_text())""#,
        r#"node -e "fs.copyFileSync(os.homedir()+'/.roz/config.toml','c.toml')""#,
        r#"perl -e 'open F,"$ENV{HOME}/.roz/config.toml"; open G,">c.toml"; print G <F>'"#,
        r"python3 -m zipfile -l ~/.roz/z.zip",
        r"awk '/x/{print $2}' ~/.roz/config.toml",
        r#"awk 'BEGIN{while((getline l < (ENVIRON["HOME"] "/.roz/config.toml")) > 0) print l}'"#,
        r"perl -ne 'print if /enabled/' ~/.roz/config.toml",
        r#"perl -e 'open(my $f,"<",$ENV{HOME}."/.roz/config.toml"); print <$f>'"#,
        r#"node -e "console.log(fs.readFileSync(path.join(os.homedir(),'.roz','config.toml'),'utf8'))""#,
        r#"python3 -c "from pathlib import Path as P; print((P.home()/'.roz'/'config.toml').read_text())""#,
        r#"python3 -c "import os; print(os.path.getsize(os.path.expanduser('~/.roz/config.toml')) > 3)""#,
        r#"ruby -e 'puts File.read(Dir.home+"/.roz/config.toml")'"#,
        r#"python3 -c "open('.roz/learnings.md','a').write('x')""#,
        r#"node -e "fs.appendFileSync('.roz/learnings.md','x')""#,
        r#"awk 'BEGIN{print "x" >> ".roz/learnings.md"}'"#,
        r#"awk '{print > "../out/"$1".txt"}' a"#,
        r#"node -e "fs.rmSync(path.join(os.homedir(),'.cache','x'))""#,
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_protected_file_may_be_copied_by_code_and_not_written() {
    let house = House::new();
    house.project_file(".claude/settings.json", r#"{"hooks": {}}"#);
    for line in [
        r#"python3 -c "import shutil; shutil.copy('.claude/settings.json','/tmp/x')""#,
        r#"python3 -c "import shutil,os; shutil.copy(os.path.expanduser('~/.claude/settings.json'),'/tmp/x')""#,
        r#"python3 -c "import shutil,os; shutil.copy(os.path.expanduser('~/.roz/config.toml'),'/tmp/x')""#,
        r#"node -e "require('fs').copyFileSync('.claude/settings.json','/tmp/s')""#,
        r#"python3 -c "import json; s=json.load(open('.claude/settings.json')); json.dump({'n':len(s)},open('out.json','w'))""#,
        r#"python3 -c "import shutil; shutil.copy('{binary}','/tmp/x')""#,
        r#"node -e "require('fs').appendFileSync('.gitignore','.claude/settings.local.json\n')""#,
        r#"python3 -c "open('.gitignore','a').write('.claude/settings.local.json\n')""#,
        r#"ruby -e "File.open('.gitignore','a'){|f| f.puts '.claude/settings.json'}""#,
        "curl -s x --output-dir /tmp -o settings.json",
        "curl -s --output-dir /tmp -O http://x/settings.json",
        "cd .claude && curl -s --output-dir /tmp -o settings.json http://x/y",
        "curl -o - --output-dir ~/.claude http://x/y",
        "wget -P /tmp http://x/settings.json",
        "ssh-keygen -f /tmp/key",
    ] {
        house.is_free(line);
    }
    for (rule, line) in [
        ("settings", r#"python3 -c "import shutil; shutil.copy('x','.claude/settings.json')""#),
        (
            "settings",
            r#"python3 -c "import json; json.dump({}, open('.claude/settings.json','w'))""#,
        ),
        ("settings", r#"node -e "require('fs').appendFileSync('.claude/settings.json','x\n')""#),
        (
            "settings",
            r#"python3 -c "open('.gitignore','a').write('x\n'); open(d+'/.claude/settings.json','w')""#,
        ),
        (
            "settings",
            r#"python3 -c "import os; os.chdir('.claude'); open('.gitignore','a').write('settings')""#,
        ),
        ("settings", "tclsh <<< 'set f [open .claude/settings.json w]'"),
        ("settings", "curl -s http://x/y --output-dir ~/.claude -o settings.json"),
        ("settings", "curl http://x/y --output-dir ~/.claude --proto =https -o settings.json"),
        ("settings", "curl http://x/y --output-dir=$HOME/.claude/ -sLosettings.json"),
        ("settings", "curl --output-dir ~ http://x/y --output .claude/settings.json"),
        ("settings", "curl --output-dir ~/.claude -O http://x/settings.json"),
        (
            "settings",
            "curl --remote-name-all --url http://x/settings.json?y --output-dir ~/.claude",
        ),
        ("settings", "curl --output-dir ~/.claude -O 'http://x/{y,z}ettings.json' http://x/a"),
        ("settings", "curl --output-dir / -o ~/.claude/settings.json http://x/y"),
        ("settings", "curl -o ~/.claude/settings.json http://x/y"),
        ("settings", "wget -P ~/.claude http://x/settings.json"),
        ("settings", "aria2c -d ~/.claude -o settings.json http://x/y"),
        ("settings", "ssh-keygen -f ~/.claude/settings.json"),
        (
            "roz-home",
            r#"python3 -c "import urllib.request as u,os; u.urlretrieve('file:///etc/hostname',os.path.expanduser('~/.roz/config.toml'))""#,
        ),
        ("binary", r#"python3 -c "import shutil; shutil.copy2(src='x',dst='{binary}')""#),
        ("binary", r#"python3 -c "open(file='{binary}',mode='w')""#),
        ("binary", r"tclsh <<< 'file delete {binary}'"),
    ] {
        house.denies(rule, line);
    }
}

#[test]
fn an_editor_that_writes_there_is_denied() {
    let house = House::new();
    for line in [
        "vim -es -c 'w! ~/.roz/config.toml' -c q README.md",
        "ex -sc 'w! ~/.roz/config.toml' -c q README.md",
        r#"vim -es -c 'call delete(expand("~/.roz/config.toml"))' -c q"#,
        r"printf 'w ../user/.roz/config.toml\n' | ed -s README.md",
        r"printf 'e ../user/.roz/config.toml\n1d\nw\n' | ed -s",
        "vim -es -c 'w !tee ~/.roz/config.toml' -c q README.md",
        "ex -s <<< '!rm ~/.roz/config.toml'",
        "ed -s README.md <<'X'\nw ~/.roz/config.toml\nX",
        "sqlite3 :memory: \".output $HOME/.roz/config.toml\" \"select 1\"",
        "sqlite3 :memory: <<< '.once ~/.roz/config.toml'",
        "sqlite3 :memory: \"select writefile('$HOME/.roz/config.toml','x')\"",
        "sqlite3 :memory: \"vacuum into '$HOME/.roz/v.db'\"",
        "gdb -batch -ex \"set logging file $HOME/.roz/config.toml\"",
        "git bugreport -o ~/.roz",
        "git pack-objects ~/.roz/p",
        "git fast-export --export-marks=$HOME/.roz/m HEAD",
        "GIT_INDEX_FILE=~/.roz/idx git read-tree HEAD",
        "tar cf /dev/null --index-file=$HOME/.roz/i README.md",
        "python3 -m venv ~/.roz/venv",
        "mount --bind x ~/.roz",
    ] {
        house.denies("roz-home", line);
    }
    for line in [
        "vim -es -c 'w copy.md' -c q README.md",
        "ed -s README.md <<'X'\na\nw ~/.roz/config.toml\n.\nw\nX",
        r"printf 'r ../user/.roz/config.toml\nw copy\n' | ed -s",
        "sqlite3 :memory: '.output out.csv' 'select 1'",
        "python3 -m venv .venv",
        "mount | grep roz",
    ] {
        house.is_free(line);
    }
}
