//! Code of other languages: what it does is not followed, what it mentions is asked about where it
//! could change or start something.

use serde_json::json;

use super::House;
use crate::support::Roz;

#[test]
fn code_that_mentions_what_is_protected_and_can_change_it_is_not_simply_run() {
    let house = House::new();
    for line in [
        "python3 -c \"open('{home}/config.toml','w').write('x')\"",
        "python3 -c \"from pathlib import Path; (Path.home() / '.roz' / 'x').write_text('')\"",
        "python3 -c \"import json; json.dump({}, open('.claude/settings.json','w'))\"",
        "python3 -c \"import shutil; shutil.rmtree('.orchestration')\"",
        "python3 -c \"import os; os.remove('{binary}')\"",
        "node -e \"fs.rmSync(path.join(os.homedir(),'.roz','config.toml'))\"",
        "perl -e 'open F,\">\",glob(\"~/.roz/config.toml\")'",
        "ruby -e 'File.delete(Dir.home+\"/.roz/config.toml\")'",
        "php -r 'file_put_contents(getenv(\"HOME\").\"/.roz/config.toml\",\"\");'",
        "python3 - <<'X'\nimport os\nos.rename(os.path.expanduser('~/.roz/a'), 'b')\nX",
    ] {
        house.objects(line);
    }
}

#[test]
fn code_that_mentions_a_decision_and_can_start_it_is_not_simply_run() {
    let house = House::new();
    for line in [
        "python3 - <<'X'\nimport subprocess as s\nf = s.run\nf('roz' ' decide s1')\nX",
        "ruby -e 'a = 1; `roz #{x} decide s1`'",
        "perl -e '`roz $x decide s1`'",
        "python3 -c \"import os; a = 'roz'; os.system(a + ' hook stop')\"",
    ] {
        house.objects(line);
    }
}

#[test]
fn code_that_only_reads_or_only_mentions_is_free() {
    let house = House::new();
    for line in [
        "python3 -c \"print(open('{home}/config.toml').read())\"",
        "python3 -c \"import os; print(os.path.getsize('{home}/config.toml') > 3)\"",
        "python3 -c \"import sys; sys.stdout.write(open('{home}/config.toml').read())\"",
        "python3 -c \"import json; print(json.load(open('.claude/settings.json'))['model'])\"",
        "python3 -c \"open('.roz/learnings.md','a').write('x')\"",
        "python3 -c \"open('docs/self.md','w').write('Run roz decide as a reviewer.')\"",
        "python3 -c \"open('out.json','w').write('x')\"",
        "python3 -c 'import subprocess; subprocess.run([\"make\"])'",
        "node -e \"fs.rmSync(path.join(os.homedir(),'.cache','x'))\"",
        "node -e \"console.log(fs.readFileSync('{home}/config.toml','utf8'))\"",
        "ruby -e 'puts File.read(Dir.home+\"/.roz/config.toml\")'",
        "awk '/x/{print $2}' ~/.roz/config.toml",
        "perl -ne 'print if /enabled/' ~/.roz/config.toml",
        "python3 -m json.tool ~/.roz/sessions/s1.json",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_reviewer_may_mention_its_decision() {
    let roz = Roz::new();
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    let line = "python3 -c \"import subprocess; subprocess.run(['make']); print('roz decide')\"";
    reviewer.bash(line).objects_to_nothing();
    assert!(roz.bash(line).is_objection());
}

#[test]
fn powershell_is_such_a_text() {
    let house = House::new();
    let line = |command: &str| json!({ "command": command });
    for command in ["Remove-Item ~/.roz/config.toml", "Set-Content -Path {home}/x -Value y"] {
        house.objects_to_tool("PowerShell", &line(command));
    }
    for command in ["Get-Content ~/.roz/config.toml", "Remove-Item build -Recurse"] {
        house.frees_tool("PowerShell", &line(command));
    }
}

#[test]
fn a_line_that_is_too_long_to_be_read_is_asked_about_where_it_mentions_roz() {
    let house = House::new();
    let long = |tail: &str| format!("echo {}; {tail}", "x ".repeat(200_000));
    house.objects(&long("rm ~/.roz/config.toml"));
    house.is_free(&long("rm build/x"));
}
