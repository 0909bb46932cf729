//! Code that a call brings in from elsewhere: skills and scripts.

use serde_json::json;

use super::House;
use crate::support::Roz;

#[test]
fn a_skills_line_is_read() {
    let house = House::new();
    house.project_file(".claude/skills/tidy/SKILL.md", "Now: !`rm -rf ~/.roz/sessions`\n");
    house.denies_tool("roz-home", "Skill", &json!({ "skill": "tidy" }));
}

#[test]
fn a_script_written_by_one_call_is_read_by_the_next() {
    let house = House::new();
    let decide = "#!/bin/bash\nif [ -n \"$1\" ]; then :; else roz decide s1 COMPLETE x; fi\n";
    house.project_file("f.sh", decide);
    house.project_file("outer.sh", "cd .\n./f.sh\n");
    house.project_file("f.py", "import os\nos.system('roz decide s1 COMPLETE x')\n");
    house.project_file("big.sh", &format!("roz decide s1 COMPLETE x\n#{}\n", "x".repeat(1 << 20)));
    for line in [
        "bash f.sh",
        "./f.sh",
        "source f.sh",
        "cat f.sh | bash",
        "bash < f.sh",
        "sh -c \"$(cat f.sh)\"",
        "./outer.sh",
        "python3 f.py",
        "python3 < f.py",
        "bash big.sh",
        "echo 'roz decide s1 COMPLETE x' > new.sh; bash new.sh",
    ] {
        house.denies("decide", line);
    }
    house.is_free("cat f.sh");
    house.is_free("bash absent.sh");
    house.project_file("home.sh", "echo x > ~/.roz/config.toml\n");
    house.denies("roz-home", "bash home.sh");
}

#[test]
fn a_committed_script_counts_where_it_runs_in_any_case() {
    let roz = Roz::gated("").in_git();
    roz.write("dev.sh", "case \"$1\" in release) git push origin main;; test) true;; esac\n");
    roz.write("maybe.sh", "if [ -e release ]; then git push; fi\n");
    roz.write("always.sh", "git push origin main\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "scripts"]);
    roz.prompt("go on").passes();
    roz.bash("bash dev.sh test").objects_to_nothing();
    roz.bash("bash maybe.sh").objects_to_nothing();
    let spared = roz.trace("script_spared");
    assert_eq!(spared[0]["payload"]["by"], "Bash:git push*", "{spared:?}");
    roz.bash("bash dev.sh release").denies();
    roz.bash("bash always.sh").denies();
    roz.write("maybe.sh", "if [ -e release ]; then git push; fi # changed\n");
    roz.bash("bash maybe.sh").denies();
    // What is committed on the way is as new as what is written.
    roz.git(&["commit", "-qam", "mine"]);
    roz.bash("bash maybe.sh").denies();
}
