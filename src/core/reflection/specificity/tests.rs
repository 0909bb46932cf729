//! The labelled examples on which the gate was tuned.
//!
//! Long because of the table.

use super::*;
use crate::core::reflection::learning::{Category, Confidence, Learning, Scope, Status};

const B: Criterion = Criterion::BehaviorChanging;
const D: Criterion = Criterion::DecisionRationale;
const S: Criterion = Criterion::StableFact;
const R: Criterion = Criterion::ExplicitRequest;

/// Worth keeping.
const GOOD: &[(Criterion, &str, &str)] = &[
    (
        B,
        "bcrypt in an async handler stalls the tokio worker; use spawn_blocking",
        "`bcrypt::verify` takes about 250 ms of CPU and blocked unrelated requests under load.",
    ),
    (
        S,
        "CI runs on Node 18, so `Array.prototype.toSorted` is missing there",
        "Local machines have Node 20. The build passed locally and failed in CI with `toSorted is not a function`.",
    ),
    (
        B,
        "Run `make gen` after touching proto/*.proto, or the Go client drifts",
        "The generated files are committed and nothing checks them; the server then rejects the new field at run time.",
    ),
    (
        D,
        "Sessions are JSON files and not SQLite because hooks start cold",
        "Opening SQLite costs 3 ms per process, the file 0.2 ms; there are no queries across sessions on the hot path.",
    ),
    (
        S,
        "The staging database is wiped every Sunday night",
        "Fixtures created by hand are gone on Monday. Seed them with `scripts/seed_staging.sh` instead.",
    ),
    (
        B,
        "Pass --locked to cargo in CI",
        "Without it Cargo.lock is rewritten when a dependency publishes a patch, and the cache key changes on every run.",
    ),
    (
        R,
        "The user wants British spelling in all user-facing text",
        "Asked for explicitly in the review of the onboarding screens: colour, organise, cancelled.",
    ),
    (
        S,
        "Webhooks of the payment provider are delivered at least once",
        "Stripe retries for three days when the endpoint does not answer 2xx within 10 seconds, so handlers must be idempotent on event.id.",
    ),
    (
        B,
        "Quote globs in package.json scripts",
        "npm runs scripts with sh, which expands `**` as `*`; eslint then sees only the first level and reports nothing.",
    ),
    (
        D,
        "Retry budget lives in the gateway, not in each client",
        "With retries in both a single outage became 9 requests per call; the gateway sees the deadline and can stop.",
    ),
    (
        S,
        "`git stash` does not stash untracked files without -u",
        "A generated fixture stayed in the tree and made the bisect fail at every commit.",
    ),
    (
        B,
        "Do not mock the clock in billing tests; pass `now` to compute_invoice",
        "freezegun patches datetime but not the C extension of the decimal library, so dates differ by the local zone.",
    ),
    (
        S,
        "The legacy importer writes latin-1",
        "Files older than 2019 in /data/import contain bytes above 0x7f that are not UTF-8; decode with cp1252.",
    ),
    (
        D,
        "We kept kebab-case in the CLI flags",
        "clap derives kebab-case by default, the docs already use it, and changing it would break 14 scripts in ops/.",
    ),
    (
        B,
        "Check `pg_stat_activity` before adding an index on a live table",
        "CREATE INDEX CONCURRENTLY waits for every open transaction; a forgotten psql session held it for six hours.",
    ),
    (
        S,
        "A stop hook that exits with 2 blocks the client",
        "Exit 1 is shown to the user and ignored. Only 2 feeds stderr back to the agent.",
    ),
    (
        B,
        "Close the response body in the Go client even on a non-200 status",
        "Connections leaked: with 100 errors the pool of http.Transport was empty and calls waited for the 30 s timeout.",
    ),
    (
        S,
        "macOS `sed -i` needs an argument",
        "`sed -i '' s/a/b/` there and `sed -i s/a/b/` on Linux: use perl -pi in scripts that run on both.",
    ),
    (
        B,
        "Restart the vite dev server after editing .env",
        "It reads import.meta.env once at start; hot reload kept the old API_URL and the login called production.",
    ),
    (
        D,
        "Amounts are stored as integer cents",
        "Floats lost a cent in the refunds report of March; NUMERIC would have needed a migration of 40 tables.",
    ),
    (
        S,
        "The mobile app caches feature flags for 24 hours",
        "Turning a flag off does not stop clients before the next day; use the kill switch endpoint /v2/kill for emergencies.",
    ),
    (
        B,
        "Use `ORDER BY id` with LIMIT in the export job",
        "Postgres returned rows in another order after a vacuum and pages overlapped, so 312 customers got two mails.",
    ),
    (
        R,
        "Never push to the release branch without asking",
        "The maintainer said so after the 2.3 hotfix was overwritten; open a pull request against release/2.x instead.",
    ),
    (
        S,
        "jest runs test files in separate workers",
        "Module state is not shared between files, so a port chosen in one is free again in the next: pick port 0.",
    ),
    (
        B,
        "Escape % in the systemd unit's ExecStart",
        "systemd expands %i and friends; a date format in the command line made the unit fail with `Failed to resolve specifiers`.",
    ),
    (
        S,
        "The client retries failed webhooks for a day",
        "Handlers have to be idempotent: a duplicate delivery created two invoices for the same order.",
    ),
    (
        B,
        "Delete the build folder after switching the toolchain",
        "Stale object files from clang crash the linker with an unrelated message about relocation; a clean rebuild fixes it.",
    ),
    (
        D,
        "The queue is polled instead of pushed",
        "Push needs an open inbound port at the customer, which their firewall policy forbids.",
    ),
    (
        S,
        "Timestamps in the audit log are local time",
        "The vendor's appliance has no zone setting, so entries jump by an hour in October.",
    ),
    (
        B,
        "Freeze the schema cache before forking the workers",
        "Each unicorn worker warmed its own copy and memory grew to 4 GB; preload_app with the cache loaded shares it.",
    ),
    (
        S,
        "Der Importer liest nur Dateien mit Endung .csv",
        "Dateien mit großgeschriebener Endung werden still übergangen; vorher umbenennen oder den Filter in import.py anpassen.",
    ),
    (
        S,
        "登录接口在 5 次失败后锁定账号 15 分钟",
        "测试环境也会锁定，所以自动化测试要使用独立账号，否则后续用例全部失败。",
    ),
    (
        B,
        "Set PYTHONHASHSEED in the snapshot tests",
        "Set ordering differs per process and the snapshots flip; 0 makes them stable.",
    ),
    (
        D,
        "No ORM in the reporting service",
        "The queries use window functions and lateral joins which SQLAlchemy could express only as text.",
    ),
    (
        B,
        "Flush the logger before process.exit in the worker",
        "pino buffers asynchronously, so the last lines of a crash never reached Loki.",
    ),
    (
        S,
        "The feature branch pipeline skips integration tests",
        "Only main and release branches run them; a green check on a branch proves little.",
    ),
    (
        B,
        "Regenerate the lockfile inside the container",
        "npm on the host writes optional dependencies for macOS only and the Linux image then lacks esbuild's binary.",
    ),
    (
        D,
        "We kept polling in the dashboard because websockets die behind the corporate proxy",
        "The proxy drops idle connections after a minute and offers no setting for it.",
    ),
    (
        B,
        "Never run the seed script against the shared sandbox",
        "It truncates tables first, and two other teams keep their demo data there.",
    ),
    (
        S,
        "Dates in the CSV export are day first",
        "The finance tool expects that and silently swaps month and day below 13.",
    ),
    (
        R,
        "User asked to keep comments out of generated SQL",
        "Their DBA pastes it into a tool that breaks on two dashes.",
    ),
    (
        B,
        "Mock the payment gateway at the HTTP layer",
        "Patching the client class hid a missing header which the sandbox rejected later.",
    ),
    (
        S,
        "Renaming a column needs two deploys",
        "Old workers keep running for up to ten minutes and crash on the missing column.",
    ),
    (
        B,
        "Wrap useEffect fetches in an AbortController",
        "React 18 mounts twice in StrictMode, and the slower first response overwrote the second.",
    ),
    (
        D,
        "Tokens are opaque rather than JWT",
        "Revocation has to work at once, and a signed token stays valid until it expires.",
    ),
    (
        S,
        "The linter config is inherited from the monorepo root",
        "Local overrides in packages/ui/.eslintrc are ignored because root is true there.",
    ),
    (
        B,
        "Warm the connection pool before the readiness probe answers",
        "The first requests after a rollout waited for TLS handshakes and missed the deadline.",
    ),
    (
        S,
        "Customer ids can have leading zeros",
        "Parsing them as integers merged two accounts in the import of the old system.",
    ),
    (
        B,
        "Pin the base image by digest",
        "The tag moved overnight and the new glibc broke the prebuilt native module.",
    ),
    (
        D,
        "Background jobs run in the same process",
        "A separate worker would need its own deployment, and the load is a handful of mails an hour.",
    ),
    (
        S,
        "The search index lags the database by up to a minute",
        "Tests that search right after an insert are flaky; wait for the refresh call.",
    ),
    (
        B,
        "Use the fixtures folder, not live calls, in the scraper tests",
        "The site blocks the build servers after a few hundred requests.",
    ),
    (
        R,
        "The team wants squash merges only",
        "The release notes are made from the titles of the pull requests.",
    ),
    (
        S,
        "Feature toggles are evaluated once at startup",
        "Switching one needs a restart of every pod.",
    ),
];

/// Not worth keeping.
const BAD: &[(Criterion, &str, &str)] = &[
    (
        B,
        "Always write clean code",
        "Clean code is easier to read and to maintain in the future for everyone on the team.",
    ),
    (
        B,
        "It is important to test thoroughly",
        "Testing thoroughly before merging helps to find bugs early and makes sure that everything works as expected.",
    ),
    (
        S,
        "The code works well now",
        "After the changes everything is working as expected and the tests pass.",
    ),
    (
        B,
        "Be careful when changing existing code",
        "Changes can break things, so always make sure to understand the code before changing it.",
    ),
    (
        D,
        "We chose the best approach for the problem",
        "After considering various options this approach was the best because it is simple and clean.",
    ),
    (
        B,
        "Follow best practices",
        "Following best practices leads to better code quality and maintainability.",
    ),
    (
        S,
        "Error handling is essential",
        "Errors should always be handled properly so that the application is robust.",
    ),
    (
        B,
        "Read the documentation first",
        "Reading the documentation before starting saves time and avoids mistakes later.",
    ),
    (
        S,
        "Added pagination to the users endpoint",
        "Added limit and offset parameters to src/api/users.rs and updated the tests in tests/users.rs.",
    ),
    (
        B,
        "Fixed the login bug",
        "Fixed the null check in src/auth/login.ts and added a unit test for it.",
    ),
    (
        S,
        "Implemented the export feature",
        "Implemented ExportService with CSV and PDF support, all tests are passing.",
    ),
    (
        B,
        "Keep functions small and focused",
        "Small functions with a single responsibility are easier to understand, test and reuse.",
    ),
    (
        B,
        "Communication is key",
        "Communicating early with the team about problems helps to avoid misunderstandings.",
    ),
    (
        S,
        "The project has a good structure",
        "The code is well organised in modules and the structure is clear and consistent.",
    ),
    (
        B,
        "Write descriptive commit messages",
        "Meaningful messages help others to understand the changes in the future.",
    ),
    (
        B,
        "Use meaningful variable names",
        "Names should describe what the variable is for, to keep the code readable.",
    ),
    (
        D,
        "Refactoring improves maintainability",
        "The refactoring was needed because the code was hard to read; now it is easier to maintain.",
    ),
    (
        B,
        "Consider edge cases",
        "Always think about edge cases when implementing new features, to avoid bugs in production.",
    ),
    (
        B,
        "Check the logs when debugging",
        "The logs often contain useful information about what is going wrong.",
    ),
    (
        S,
        "Learned a lot about the codebase",
        "This session was very helpful to understand how the different parts work together.",
    ),
    (
        B,
        "Plan before starting to code",
        "Taking time to plan ahead leads to better results and fewer mistakes overall.",
    ),
    (
        B,
        "Make sure that all tests pass before merging",
        "It is crucial that tests pass, otherwise the main branch may be broken.",
    ),
    (
        S,
        "Performance matters",
        "Good performance is important for users and should be considered from the start.",
    ),
    (
        B,
        "Double check the configuration",
        "Configuration mistakes can cause problems, so double check everything.",
    ),
    (
        S,
        "Task completed successfully",
        "The task was completed without major issues and everything went smoothly.",
    ),
    (
        S,
        "Updated README.md and CHANGELOG.md",
        "Updated both files for the release 1.4.0 and bumped the version in Cargo.toml.",
    ),
    (
        B,
        "Refactored the parser module",
        "Moved the tokenizer into its own file src/parser/tokenizer.rs and renamed Parser to DocumentParser.",
    ),
    (
        R,
        "Good documentation is important",
        "Documentation should be kept up to date and be easy to understand for new people.",
    ),
    (
        B,
        "Debugging requires patience",
        "Working step by step and being methodical helps to find the cause of a bug.",
    ),
    (
        B,
        "Understand the requirements before implementing",
        "Misunderstood requirements lead to rework, so read the ticket carefully and ask questions.",
    ),
    (
        S,
        "The bug was caused by a small mistake",
        "It was a simple mistake in the code that was easy to fix once it was found.",
    ),
    (
        B,
        "Handle errors properly",
        "Make sure to handle all errors and give helpful messages to the user.",
    ),
    (
        D,
        "A simple solution is better than a complex one",
        "Keep it simple, because complex code is hard to maintain and to understand.",
    ),
    (
        B,
        "Tests are important for quality",
        "Having a good suite of tests gives confidence when changing things later on.",
    ),
    (
        S,
        "Completed the migration",
        "Migrated all endpoints to the new router and everything is green.",
    ),
    (
        B,
        "Ask questions when things are unclear",
        "It is better to ask early than to go in the wrong direction for a long time.",
    ),
    (
        S,
        "Wrote unit tests for UserService",
        "Added 12 tests covering create, update and delete in user_service_test.go.",
    ),
    (
        D,
        "The solution is elegant and maintainable",
        "It follows existing conventions and keeps the code easy to extend in the future.",
    ),
    (
        B,
        "Always validate input",
        "Input validation prevents bugs and security problems in the application.",
    ),
    (
        S,
        "Working with async code can be tricky",
        "There are many things to keep in mind when working with asynchronous code.",
    ),
    (B, "Break large tasks into smaller ones", "Smaller tasks are easier to manage and to review."),
    (
        B,
        "Look at similar code before writing new code",
        "The existing code usually shows how things are done in the project.",
    ),
    (
        B,
        "Improve error messages",
        "Good error messages help users and developers to find problems faster.",
    ),
    (S, "Fixed flaky test", "The test was flaky and now it is stable after the fix."),
    (
        B,
        "Refactor early and often",
        "Regular refactoring keeps the code clean and prevents technical debt.",
    ),
    (
        S,
        "The changes were successful",
        "All changes were implemented as requested and everything works.",
    ),
    (
        B,
        "Be consistent with naming",
        "Consistent naming makes the code easier to understand for everyone.",
    ),
    (
        D,
        "Chose a modular design",
        "A modular design makes the system flexible and easier to extend.",
    ),
    (
        B,
        "Verify assumptions before making changes",
        "Wrong assumptions lead to bugs, so verify them first.",
    ),
    (
        S,
        "Created new component for the settings page",
        "Created SettingsPage.tsx and connected it to the store, then updated routes.ts.",
    ),
    (
        B,
        "Write documentation for complex logic",
        "Complex logic is hard to understand later without documentation.",
    ),
    (
        S,
        "Dependencies need to be kept up to date",
        "Outdated dependencies can lead to security issues and incompatibilities.",
    ),
];

fn candidate((criterion, summary, detail): &(Criterion, &str, &str)) -> Learning {
    Learning {
        id: String::new(),
        status: Status::Active,
        ticket_id: None,
        session_id: None,
        created_at: chrono::DateTime::UNIX_EPOCH,
        roz_version: None,
        category: Category::Pattern,
        summary: (*summary).to_owned(),
        detail: (*detail).to_owned(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        criteria: vec![*criterion],
        tags: vec!["a".into()],
        context_files: Vec::new(),
        relevance: None,
        supersedes: None,
    }
}

/// How far from its bar each is, the closest first.
fn margins(rows: &[(Criterion, &str, &str)]) -> Vec<String> {
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let specificity = measure(&candidate(row));
            (
                specificity.score - specificity.bar,
                format!(
                    "{:.2} of {:.2}: {} {:?} {:?}",
                    specificity.score, specificity.bar, row.1, specificity.named, specificity.stock
                ),
            )
        })
        .collect();
    rows.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    rows.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_is_worth_keeping_passes() {
    let wrong: Vec<_> =
        GOOD.iter().filter(|pair| !objections(&candidate(pair)).is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{:#?}", margins(GOOD));
}

#[test]
fn what_could_be_said_of_anything_does_not() {
    let wrong: Vec<_> = BAD.iter().filter(|pair| objections(&candidate(pair)).is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{:#?}", margins(BAD));
}

#[test]
fn the_table_is_large_enough_to_mean_something() {
    assert!(GOOD.len() + BAD.len() >= 100 && GOOD.len().abs_diff(BAD.len()) < 10);
}

/// Nobody writes down for themselves who asked for it.
#[test]
fn how_the_user_wants_it_is_kept_as_they_would_write_it() {
    for (summary, detail) in [
        (
            "Never deploy to production without my explicit yes; staging is fine",
            "Ask with the list of commits that go out. After it watch the error rate for ten minutes.",
        ),
        (
            "Reviews: bugs first, each with file and line, no praise, no style remarks",
            "What the linter finds is of no interest. Say what would break, and for whom.",
        ),
        (
            "I want commit messages in the imperative, with a body that says why",
            "No emoji, no conventional-commits prefix unless the repository uses it already.",
        ),
    ] {
        let own = Learning { scope: Scope::Personal, ..candidate(&(R, summary, detail)) };
        assert_eq!(objections(&own), [""; 0], "{summary}");
        let of_project = Learning { scope: Scope::Project, ..own };
        assert!(measure(&of_project).implausible.contains(&R), "{summary}");
    }
    let vague = (
        R,
        "Always write good and clean code",
        "It is important to follow best practices at all times.",
    );
    let vague = Learning { scope: Scope::Personal, ..candidate(&vague) };
    assert_ne!(objections(&vague), [""; 0]);
}

#[test]
fn a_vague_candidate_is_told_what_it_names_and_what_is_missing() {
    let said = |detail| objections(&candidate(&(B, "Be careful with these", detail)))[0].clone();
    let nothing = said("It is important to be careful, and it is good to be so.");
    assert!(nothing.starts_with("too vague, and says what is true of anything (`"), "{nothing}");
    assert!(nothing.contains("`): name the file, function, command"), "{nothing}");
    let little = said("It is important to be careful with the API, and it is good to be so.");
    assert!(little.starts_with("too vague, it names only API, and says"), "{little}");
}

/// A scope and a request are only claims: they do not turn a vague text into a lesson.
#[test]
fn what_could_be_said_of_anything_is_not_kept_as_a_request_either() {
    for scope in [Scope::Personal, Scope::Project] {
        let claimed = |row| Learning { scope, criteria: vec![R], ..candidate(row) };
        let kept: Vec<_> =
            BAD.iter().filter(|pair| objections(&claimed(pair)).is_empty()).collect();
        assert!(kept.is_empty(), "{scope:?}: {kept:#?}");
    }
}
