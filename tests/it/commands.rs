//! What a command line runs and writes, over corpora: a row a line, each with its answer.

mod differential;
mod oracles;
mod properties;

use roz::shell::{self, Certainty, HOLE};

/// A corpus' rows, comments and the head left out.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines()
        .enumerate()
        .map(|(number, row)| (number + 1, row.split('\t').collect()))
        .filter(|(_, row): &(usize, Vec<&str>)| row.len() > 1 && !row[0].starts_with('#'))
}

/// A cell with its escapes taken back: `\n`, `\t`, `\r`, `\\`.
fn unescaped(cell: &str) -> String {
    let mut text = String::new();
    let mut characters = cell.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            (other, false) => text.push(other),
        }
    }
    text
}

/// In the corpora `${?}` stands for a hole.
fn holes(text: &str) -> String {
    text.replace(HOLE, "${?}")
}

#[test]
fn every_line_of_the_corpus_runs_and_writes_what_its_row_says() {
    let mut wrong = Vec::new();
    for (number, row) in rows(include_str!("commands/lines.tsv")).skip(1) {
        let [_, _, line, commands, writes, opaque] = row[..] else { panic!("row {number}") };
        let line = unescaped(line);
        let mut expected: Vec<Vec<String>> = serde_json::from_str(commands).expect(commands);
        let mut expected_writes: Vec<String> = serde_json::from_str(writes).expect(writes);
        let reading = shell::read(&line);
        let mut found: Vec<Vec<String>> = reading
            .runs
            .iter()
            .map(|run| {
                let words = run.argv.iter().skip(1).map(|word| holes(word));
                std::iter::once(holes(&run.program)).chain(words).collect()
            })
            .collect();
        let mut found_writes: Vec<String> =
            reading.writes.iter().map(|write| holes(&write.path)).collect();
        let found_opaque = reading.runs.iter().any(|run| run.certainty == Certainty::Opaque);
        expected.sort();
        expected_writes.sort();
        found.sort();
        found_writes.sort();
        if (&found, &found_writes) != (&expected, &expected_writes)
            || found_opaque != (opaque == "1")
            || reading.unreadable.is_some()
        {
            wrong.push(format!(
                "row {number}: {line}\n  expected {expected:?} {expected_writes:?} {opaque}\n  found    {found:?} {found_writes:?} {found_opaque} {:?}",
                reading.unreadable
            ));
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_spelling_of_a_gated_command_is_seen_and_no_mention_is() {
    let mut wrong = Vec::new();
    for (number, row) in rows(include_str!("commands/runs.tsv")) {
        let [line, pattern, expected, reason] = row[..] else { panic!("row {number}") };
        let line = unescaped(line);
        let reading = shell::read(&line);
        let found = reading.may_run(pattern);
        if found != (expected == "match") {
            wrong.push(format!(
                "row {number}, {reason}: {line}\n  {expected} {pattern}: {:?} {:?}",
                reading.keys(),
                reading.unreadable
            ));
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_written_path_is_seen_with_how_and_nothing_else_is() {
    let mut wrong = Vec::new();
    for (number, row) in rows(include_str!("commands/writes.tsv")) {
        let [line, expected, reason] = row[..] else { panic!("row {number}") };
        let line = unescaped(line);
        let reading = shell::read(&line);
        let mut expected: Vec<String> =
            expected.split("; ").filter(|write| !write.is_empty()).map(str::to_owned).collect();
        let mut found: Vec<String> = reading
            .writes
            .iter()
            .map(|write| holes(&format!("{:?} ", write.how).to_lowercase()) + &holes(&write.path))
            .collect();
        expected.sort();
        found.sort();
        if found != expected || reading.unreadable.is_some() {
            wrong.push(format!(
                "row {number}, {reason}: {line}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_command_says_in_which_folder_it_runs() {
    let rows: &[(&str, &[&str])] = &[
        ("git push", &[]),
        ("cd ../b; cd ..; cd a; git push", &["../a"]),
        ("if x; then cd ../b; fi; git push", &["", "../b"]),
        ("cd ../b && git push", &["../b"]),
        ("pushd ../b && make && git push && popd", &["../b"]),
        ("pushd ../b && make && popd && git push", &[]),
        ("(cd ../b && make); git push", &[]),
        ("(cd ../b; git push)", &["../b"]),
        ("bash -c 'cd ../b && git push'", &["../b"]),
        ("cd ../b || cd ../c; git push", &["../b", "../c"]),
        ("git -C ../b push", &["../b"]),
        ("git -C .. -C b push", &["../b"]),
        ("cd ~/b && git -C c push", &["~/b/c"]),
        ("git -C \"$(mktemp -d)\" push", &["${?}"]),
        ("git --git-dir=../b/.git --work-tree=../b push", &["../b/"]),
        ("git --git-dir .git push", &[]),
        ("GIT_DIR=../b/.git git push", &["../b/"]),
        ("export GIT_DIR=../b/.git; git push", &["../b/"]),
        ("git push -C ../b", &[]),
        ("env -C ../b git push", &["../b"]),
        ("sudo -D ../b git push", &["../b"]),
        ("make -C ../b release", &["../b"]),
        ("make release --directory=../b", &["../b"]),
        ("npm --prefix ../b publish", &["../b"]),
        ("npm publish --prefix ../b", &["../b"]),
        ("pnpm --dir ../b publish", &["../b"]),
        ("cargo publish --manifest-path ../b/Cargo.toml", &["../b/"]),
        ("terraform -chdir=../b apply", &["../b"]),
        ("gh -R owner/b pr merge 7", &[]),
    ];
    for (line, expected) in rows {
        let reading = shell::read(line);
        let gated = ["git push", "release", "publish", "apply", "pr merge"];
        let run = reading
            .runs
            .iter()
            .rfind(|run| gated.iter().any(|it| run.words().join(" ").contains(it)));
        let mut found: Vec<String> = run.unwrap().folders.iter().map(|it| holes(it)).collect();
        found.sort();
        assert_eq!(found, *expected, "{line}");
    }
}

#[test]
fn what_people_write_is_read_to_its_end() {
    let busy = |n: u32| match n % 6 {
        0 => format!("mkdir -p build/o{n} && cp src/a{n}.c build/o{n}/"),
        1 => "for f in src/*.c; do gcc -c \"$f\" -o \"$(basename \"$f\" .c).o\" || exit 1; done"
            .to_owned(),
        2 => format!("echo \"step {n}\" >> log; git status --short | grep -v '^??' | head -5"),
        3 => format!("x{n}=$(date +%s); rm -f tmp{n}.txt; mv a{n} b{n}"),
        4 => format!("if [ \"$x{n}\" = y ]; then ./gen{n}.sh; else sed -i s/a/b/ conf{n}; fi"),
        _ => format!("python3 -c 'import json; print(json.load(open(\"f{n}\")))' > out{n}.json"),
    };
    let script: String = (0..200).map(|n| busy(n) + "\n").collect();
    let prose = "It's a line of $HOME, of (signs) and of words.\n".repeat(340);
    let code = "x = foo.bar(1, [2, 3], key=open(\"f\").read())\n".repeat(180);
    for line in [
        format!("bash <<'EOF'\n{script}EOF"),
        format!("cat > s.sh <<'EOF'\n{script}EOF\nchmod +x s.sh && ./s.sh"),
        format!("cat > notes.md <<EOF\n{prose}EOF"),
        format!("cat > notes.md <<'EOF'\n{prose}EOF"),
        format!("python3 -c '{code}'"),
        format!("python3 - <<'EOF'\n{code}EOF"),
    ] {
        for end in ["", "\ngit push"] {
            let reading = shell::read(&format!("{line}{end}"));
            let start: String = line.chars().take(40).collect();
            assert_eq!(reading.unreadable, None, "{start}");
            assert_eq!(reading.may_run("Bash:git push*"), !end.is_empty(), "{start}");
        }
    }
}
