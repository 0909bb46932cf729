//! Recognises commands that check work: tests, linters, type checkers. If one fails, the agent is
//! offered to write down a lesson.
//!
//! To add a command, add a word to a table; users add patterns in `intent.checks`.

use crate::{
    core::{bounded, event::ToolCall, name_words::is_one, tool::ToolResult, tool_pattern},
    shell::{self, HOLE, Run},
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ended {
    /// It runs in the background, was stopped, or never began.
    #[default]
    Unknown,
    Well,
    Failed,
}

impl Ended {
    /// A command counts as failed only with an exit code: a command that was not found or was
    /// stopped has checked nothing.
    pub fn of(call: &ToolCall, succeeded: bool, result: &ToolResult) -> Self {
        const NOT_FOUND: [i32; 2] = [126, 127];
        const STOPPED: [i32; 4] = [129, 130, 137, 143];
        if succeeded {
            return if result.runs_on { Self::Unknown } else { Self::Well };
        }
        match result.exit_code {
            _ if call.tool.is_mcp() => Self::Failed,
            Some(code) if !NOT_FOUND.contains(&code) && !STOPPED.contains(&code) => Self::Failed,
            _ => Self::Unknown,
        }
    }
}

/// Programs that only check.
const PROGRAMS: &str = "\
    pytest py.test unittest nose2 green tox nox flake8 pylint pyflakes pycodestyle pydocstyle mypy \
    pyright basedpyright pytype pyre bandit vulture ty \
    jest vitest mocha ava karma jasmine tap qunit cypress eslint tslint stylelint oxlint standard xo \
    tsc vue-tsc svelte-check htmlhint markdownlint markdownlint-cli2 textlint \
    rspec minitest rubocop standardrb reek brakeman sorbet srb \
    phpunit pest phpstan psalm phpcs phan parallel-lint \
    ctest bats shellspec busted luacheck prove perlcritic cucumber behave \
    golangci-lint staticcheck errcheck gotestsum ginkgo revive gosec cargo-nextest cargo-deny \
    clang-tidy cppcheck cpplint clazy ktlint detekt checkstyle pmd spotbugs scalafix swiftlint \
    credo dialyzer hlint elm-test elm-review \
    shellcheck hadolint yamllint actionlint ansible-lint tflint jsonlint vale codespell typos \
    sqlfluff buf-lint spectral pre-commit prek";

/// A program and its subcommands, separated by commas.
const COMMANDS: &str = "\
    cargo test, cargo t, cargo nextest, cargo clippy, cargo check, cargo c, cargo deny, cargo miri, \
    go test, go vet, ruff check, ruff, python manage.py test, manage.py test, deno test, deno lint, deno check, \
    bun test, biome check, biome lint, biome ci, php artisan test, rails test, swift test, \
    zig test, zig build test, dart test, dart analyze, flutter test, flutter analyze, dotnet test, stack test, \
    cabal test, mix test, mix credo, mix dialyzer, playwright test, ng test, ng lint, hatch test, \
    crystal spec, nimble test, dune test, sbt test, terraform validate, helm lint, buf lint, \
    forge test, hardhat test, meson test, npm t, npm tst, nx affected, xcodebuild test, \
    docker build --check";

/// Commands that check only with one of these options.
const WITH: &[(&str, &str)] = &[
    ("cargo fmt", "--check"),
    ("rustfmt", "--check"),
    ("ruff format", "--check --diff"),
    ("black", "--check --diff"),
    ("isort", "-c --check --check-only"),
    ("prettier", "-c --check -l --list-different"),
    ("mix format", "--check-formatted"),
    ("clang-format", "-n --dry-run"),
    ("terraform fmt", "-check"),
    ("gofmt", "-l -d"),
    ("node", "--test"),
];

/// Programs that run targets of a project: any word may be a target.
const TARGETS: &str = "make gmake just task rake gradle gradlew mvn mvnw ant ninja bazel \
    bazelisk mage invoke inv poe sbt lein turbo nx grunt gulp moon earthly";

/// The same, but only the first word may be a script.
const SCRIPTS: &str = "npm yarn pnpm bun deno composer rush lerna wireit hatch pdm zig dune";

/// Words before the script's name.
const LEADING: &str = "run run-script task exec workspaces foreach";

/// Names of checking scripts, also as part of a name: `test:unit`.
const NAMES: &str = "test tests check checks lint lints linter verify spec specs \
    typecheck types clippy vet unittest e2e qa ci";

/// The first check that a call runs, in a few words. `own` are patterns over tool keys.
pub fn of(call: &ToolCall, own: &[String]) -> Option<String> {
    let runs = call.runs();
    let known = runs.clone().find_map(built_in).or_else(|| own_of(call, own))?;
    Some(bounded::plain_line(&bounded::line(&known, 60)))
}

/// Builds change no more than a test run does.
const BUILDS: &str = "\
    cargo build, cargo b, cargo bench, cargo doc, go build, python -m build, deno check, dotnet build, swift build, zig build, \
    mix compile, dart compile, flutter build, stack build, cabal build, ng build, next build, \
    vite build, sbt compile, mvn compile, gradle build, cmake --build";
const BUILD_NAMES: &str = "build builds compile";
/// With these options a check rewrites files.
const CHANGING: &str = "-u --update --updateSnapshot --update-snapshots --snapshot-update --fix \
    --fix-only --unsafe-fixes --write --apply --autofix --auto-correct --autocorrect -a -A \
    --in-place --accept --bless";
const CHANGING_NAMES: &str = "fix update write format fmt bless accept";
/// Whether a command only checks or builds, without an option that rewrites sources.
pub fn is_check(run: &Run) -> bool {
    let words = run.words();
    let known = built_in(run);
    // `cargo fmt --check`: the option is stronger than the name.
    let is_formatter = WITH.iter().any(|(command, _)| known.as_deref() == Some(command));
    let part =
        |word: &str| word.split([':', '-', '_', '.']).any(|part| is_one(CHANGING_NAMES, part));
    let changes = words.iter().any(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let says = !word.starts_with('-') && !word.contains('/') && part(word);
        is_one(CHANGING, name) || if is_formatter { is_one("-w -i", name) } else { says }
    });
    let sets = run.assignments.iter().any(|(name, _)| {
        let name = name.to_ascii_uppercase();
        ["UPDATE", "BLESS", "OVERWRITE", "ACCEPT"].iter().any(|text| name.contains(text))
    });
    !changes && !sets && (known.is_some() || builds(&words))
}

fn builds(words: &[&str]) -> bool {
    let mut words: Vec<&str> = words.to_vec();
    words.retain(|word| !word.starts_with(['+', '-']) || *word == "--build");
    let Some((first, rest)) = words.split_first() else { return false };
    let program = name(first);
    // `make -j8` runs the default target.
    let is_default = is_one("make gmake ninja", program) && rest.iter().all(|word| *word == "all");
    is_default
        || command_in(BUILDS, program, rest).is_some()
        || target(program, rest, BUILD_NAMES).is_some()
}

fn command_in(commands: &'static str, program: &str, rest: &[&str]) -> Option<&'static str> {
    commands.split(',').map(str::trim).find(|command| does(command, program, rest))
}

fn does(command: &str, program: &str, rest: &[&str]) -> bool {
    let (first, more) = command.split_once(' ').unwrap_or((command, ""));
    let rest = &rest[..rest.len().min(more.split_whitespace().count())];
    first == program && more.split_whitespace().eq(rest.iter().map(|text| script(text)))
}

fn target<'a>(program: &str, rest: &[&'a str], names: &str) -> Option<&'a str> {
    let is_named_so = |word: &&str| {
        !word.contains(['=', HOLE])
            && word.split([':', '-', '_', '.', '/']).any(|part| is_one(names, part))
    };
    let mut targets = rest.iter().copied().filter(|text| !text.starts_with('-'));
    if is_one(TARGETS, program) {
        targets.find(is_named_so)
    } else if is_one(SCRIPTS, program) {
        targets.find(|target| !is_one(LEADING, target)).filter(is_named_so)
    } else {
        None
    }
}

fn own_of(call: &ToolCall, own: &[String]) -> Option<String> {
    // A command with unknown parts is not a check.
    let mut keys = call.keys().iter().filter(|key| !key.contains(HOLE));
    let key = keys.find(|key| own.iter().any(|text| tool_pattern::matches(text, key)))?;
    Some(key.strip_prefix("Bash:").unwrap_or(key).to_owned())
}

fn built_in(run: &Run) -> Option<String> {
    let mut words = run.words();
    // `cargo +nightly test`
    words.retain(|word| !word.starts_with('+'));
    if words.first().is_none_or(|word| word.contains(HOLE)) {
        return None;
    }
    if is_python(name(words[0]))
        && let Some(module) = words.iter().position(|word| *word == "-m")
    {
        words.drain(..=module);
    }
    let (first, rest) = words.split_first()?;
    let program = if is_python(name(first)) { "python" } else { name(first) };
    if is_one(PROGRAMS, program) {
        return Some(program.to_owned());
    }
    // `ruff format` rewrites files, while `ruff` alone is an older `ruff check`.
    if let Some((command, with)) = WITH.iter().find(|pair| does(pair.0, program, rest)) {
        return run.argv.iter().any(|text| is_one(with, text)).then(|| (*command).to_owned());
    }
    let command = command_in(COMMANDS, program, rest).map(str::to_owned);
    command.or_else(|| Some(format!("{program} {}", target(program, rest, NAMES)?)))
}

fn name(program: &str) -> &str {
    shell::last_part(program)
}

/// Python programs are called by their paths.
fn script(word: &str) -> &str {
    word.strip_suffix(".py").map_or(word, |_| name(word))
}

fn is_python(program: &str) -> bool {
    let version = program.strip_prefix("python").or_else(|| program.strip_prefix("pypy"));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
        || program == "py"
}

#[cfg(test)]
mod tests;
