use serde_json::json;

use super::*;
use crate::shell::Options;

fn check(line: &str, own: &[&str]) -> Option<String> {
    let input = json!({ "command": line });
    let mut call = crate::clients::testing::call("Bash", input, "", None);
    call.read(&Options::default());
    let own: Vec<String> = own.iter().map(|text| (*text).to_owned()).collect();
    of(&call, &own)
}

#[test]
fn tests_linters_and_type_checkers_are_known_however_they_are_started() {
    for (line, name) in [
        ("cargo test -p ledger", "cargo test"),
        ("cd api && RUST_LOG=debug cargo +nightly test 2>&1 | tail -40", "cargo test"),
        ("cargo --offline clippy -- -D warnings", "cargo clippy"),
        ("cargo fmt --all -- --check", "cargo fmt"),
        ("timeout 60 pytest -x tests/", "pytest"),
        (".venv/bin/pytest", "pytest"),
        ("python3.12 -m pytest -q", "pytest"),
        ("python -m unittest discover", "unittest"),
        ("python manage.py test shop", "python manage.py test"),
        ("python3 ./manage.py test", "python manage.py test"),
        ("./manage.py test shop", "manage.py test"),
        ("cargo test > /tmp/out.txt 2>&1", "cargo test"),
        ("cargo test &> out.txt", "cargo test"),
        ("pytest -q | tee out.txt", "pytest"),
        ("uv run ruff check .", "ruff check"),
        ("ruff .", "ruff"),
        ("poetry run mypy src", "mypy"),
        ("npx eslint src", "eslint"),
        ("./node_modules/.bin/tsc --noEmit", "tsc"),
        ("npm test", "npm test"),
        ("npm run lint -- --fix", "npm lint"),
        ("npm run test:unit", "npm test:unit"),
        ("yarn typecheck", "yarn typecheck"),
        ("pnpm run check-types", "pnpm check-types"),
        ("bun test", "bun test"),
        ("go test ./...", "go test"),
        ("make -j4 check", "make check"),
        ("just lint", "just lint"),
        ("./gradlew :app:test", "gradlew :app:test"),
        ("./mvnw -q verify", "mvnw verify"),
        ("bundle exec rspec spec/a_spec.rb", "rspec"),
        ("vendor/bin/phpunit", "phpunit"),
        ("bash -c 'cargo test'", "cargo test"),
        ("prettier --check .", "prettier"),
        ("node --test", "node"),
    ] {
        assert_eq!(check(line, &[]).as_deref(), Some(name), "{line}");
    }
}

#[test]
fn what_builds_installs_or_only_mentions_one_is_none() {
    for line in [
        "cargo build",
        "cargo fmt",
        "cargo install cargo-nextest",
        "npm install test",
        "npm run build",
        "pip install pytest",
        "echo cargo test",
        "grep -rn pytest .",
        "git commit -m 'make test'",
        "make all",
        "make install PREFIX=/test",
        "ruff format .",
        "prettier --write .",
        "node server.js",
        "test -f x",
        "$RUNNER test",
        "python setup.py install",
        "./manage.py migrate",
        "python manage.py runserver test",
    ] {
        assert_eq!(check(line, &[]), None, "{line}");
    }
}

#[test]
fn a_formatter_checks_with_its_own_options_and_another_program_with_none() {
    let is_checking = |line: &str| shell::read(line).runs.iter().any(is_check);
    for line in [
        "cargo fmt --check",
        "ruff format --diff src",
        "isort --check-only format.py",
        "terraform fmt -check",
        "gofmt -l .",
        "npm test",
    ] {
        assert!(is_checking(line), "{line}");
    }
    for line in [
        "cargo fmt",
        "gofmt -l -w .",
        "prettier --check --write .",
        "npm run lint:fix -- --check",
        "pytest --snapshot-update --diff",
        "jest -u --dry-run",
    ] {
        assert!(!is_checking(line), "{line}");
    }
}

#[test]
fn the_users_own_are_patterns_and_what_is_unknown_matches_none() {
    let own = ["Bash:./verify*", "mcp__ci__run"];
    assert_eq!(check("./verify.sh --all", &own).as_deref(), Some("./verify.sh --all"));
    assert_eq!(check("$X", &own), None);
    assert_eq!(check("./other.sh", &own), None);
    let call = crate::clients::testing::call("mcp__ci__run", json!({}), "", None);
    assert_eq!(of(&call, &["mcp__ci__*".to_owned()]).as_deref(), Some("mcp__ci__run"));
}

#[test]
fn no_command_stands_in_two_tables() {
    let mut seen = std::collections::BTreeSet::new();
    let all = PROGRAMS.split_whitespace().chain(COMMANDS.split(',').map(str::trim));
    for text in all.chain(WITH.iter().map(|(text, _)| *text)) {
        assert!(!text.is_empty() && seen.insert(text), "{text}");
    }
}
