//! What asks for an activity, and what only looks like it.

use super::*;

fn asked(text: &str) -> Vec<&'static str> {
    let query = Query { text: text.into(), ..Query::default() };
    of_query(&query).into_iter().collect()
}

#[test]
fn each_has_a_name_of_its_own_and_a_query_has_a_bit_for_each() {
    let names: BTreeSet<&str> = ACTIVITIES.iter().map(|it| it.name).collect();
    assert!(names.len() == ACTIVITIES.len() && names.len() <= 32);
}

#[test]
fn cues_are_in_the_singular_and_lower_case() {
    for it in ACTIVITIES {
        let of = |it: &'static Cue| it.what.iter().chain(it.next).chain(it.not);
        let cues = it.cues.iter().flat_map(of);
        for word in cues.chain(it.said).chain(it.nouns).flat_map(|it| it.split(' ')) {
            assert!(word.is_empty() || !word.starts_with(' '), "of {}", it.name);
            assert_eq!(singular(word), word, "of {}", it.name);
            assert_eq!(word.to_lowercase(), word, "of {}", it.name);
        }
    }
}

#[test]
fn an_activity_is_asked_for_in_many_words() {
    for (text, wanted) in [
        ("ok, commit it", "commit"),
        ("put the fix and the docs in separate commits", "commit"),
        ("make a commit", "commit"),
        ("yep commit", "commit"),
        ("commit+push", "push"),
        ("#12 when done open a PR", "pull-request"),
        ("can you kindly raise a PR", "pull-request"),
        ("open the “PR”", "pull-request"),
        ("ok, PR it", "pull-request"),
        ("let’s commit it", "commit"),
        ("fix the csv export and\nopen a PR", "pull-request"),
        ("go test ./...", "run-tests"),
        ("merge main into this branch", "rebase"),
        ("update the dependencies", "upgrade"),
        ("thx lgtm. squash n push", "commit"),
        ("could you open the merge request, Jana can review it", "pull-request"),
        ("commit that, then put it up for review", "pull-request"),
        ("Please make a PR against main", "pull-request"),
        ("push it", "push"),
        ("rebase onto main", "rebase"),
        ("write tests for all the bad urls", "tests"),
        ("units.ts has no tests at all", "tests"),
        ("run the whole test suite", "run-tests"),
        ("check I haven't broken anything else", "run-tests"),
        ("update the changelog please", "documentation"),
        ("write docs/operations/restore.md: one page", "documentation"),
        ("Rename PvBuffer to PvCollector", "refactoring"),
        ("split src/main.rs, it has 1500 lines", "refactoring"),
        ("move all the callers", "refactoring"),
        ("replace our slugify by the `slug` crate", "dependency"),
        ("bump aws-sdk-s3 to the latest", "upgrade"),
        ("`docker compose up` says cannot connect", "containers"),
        ("write a small bash script", "script"),
        ("add the API key of the new provider", "secrets"),
        ("get 0.19.0 ready to go out", "release"),
        ("deploy it to staging", "deploy"),
        ("add a nullable column, and a migration", "migration"),
        ("benchmark it against the current flags", "benchmark"),
        ("fix the clippy warnings", "lint"),
        ("review the diff of this branch", "review"),
        ("can you review #482", "review"),
        ("check it in", "commit"),
        ("fix the failing tests", "run-tests"),
        ("profile the query", "benchmark"),
        ("close the ticket", "issue"),
        ("translate the size guide into Polish", "translation"),
    ] {
        assert!(asked(text).contains(&wanted), "{text}: {:?}", asked(text));
    }
}

#[test]
fn what_only_speaks_of_it_or_means_something_else_does_not_ask_for_it() {
    for text in [
        "which jobs does the CI run for a pull request? just list them",
        "explain how git bisect works",
        "explain what the commit message convention is",
        "why was the commit message so odd?",
        "no need to push",
        "don't commit yet",
        "without unit tests please",
        "the PR that is open has a conflict",
        "Two builds of the same commit differ",
        "commit the transaction before the ack",
        "we commit to nothing here",
        "squash the hero image",
        "amend the invoice total",
        "the image does not boot",
        "rename the menu item Bookings to Movements",
        "move the package to another locker",
        "move PayPal to the top",
        "their message never arrives",
        "format the price with two decimals",
        "fix the warning about low stock",
        "Profile picture upload fails",
        "profile the user opens is empty",
        "check the guests in",
        "review the 3 plans of the customer",
        "make the line-height 1.5",
        "release the connection when the version changes",
        "update the tax rate to 19.5",
        "upgrade the user to the pro plan",
        "add a column to the csv export",
        "make the column sortable",
        "set the container width to 100%",
        "add a password field to the signup form",
        "create a ticket when a mail arrives",
        "close tickets automatically after 7 days",
        "add a manual override for the valve",
        "document upload is broken",
        "add the book to the library",
        "push notifications to all users",
        "push all updates through the websocket",
        "add a test mode to the gateway",
        "add a script tag to the page",
        "resolve booking conflicts when two rooms overlap",
        "pull the main menu out of the layout",
        "rebase the price index to 2021",
        "",
    ] {
        assert_eq!(asked(text), [""; 0], "{text}");
    }
}

#[test]
fn no_verb_of_a_cue_is_passed_over() {
    let verbs = ACTIVITIES.iter().flat_map(|it| it.cues).flat_map(|it| it.verbs);
    assert_eq!(verbs.filter(|it| BEFORE.contains(it)).collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn a_learning_names_it_in_more_ways() {
    let read = |text: &str, by| super::read(text, by).into_iter().collect::<Vec<_>>();
    let of = |text| read(text, By::Summary);
    assert_eq!(of("opening a pull request"), ["pull-request"]);
    assert_eq!(of("Never push to main"), ["push"]);
    assert_eq!(of("Always run the linter before committing"), ["commit", "lint"]);
    assert_eq!(of("Use pnpm, never npm install"), ["dependency"]);
    assert_eq!(of("a renamed file is lost"), [""; 0]);
    assert_eq!(of("Pull requests start as drafts and name the ticket"), ["pull-request"]);
    assert_eq!(of("A PR description has the sections Why, What, Risk"), ["pull-request"]);
    assert_eq!(of("Commit messages say why"), ["commit"]);
    assert_eq!(of("Releases of the lock come first"), [""; 0]);
    assert_eq!(of("Cut a release from main; the changelog is written before"), ["release"]);
    for (text, wanted) in [
        ("PRs", "pull-request"),
        ("when a PR is opened", "pull-request"),
        ("before each commit", "commit"),
        ("unit tests", "tests"),
        ("new dependencies", "dependency"),
        ("API keys", "secrets"),
        ("README", "documentation"),
    ] {
        assert_eq!(read(text, By::Relevance), [wanted], "{text}");
    }
    assert_eq!(read("run the tests before pushing it", By::Relevance), ["run-tests"]);
}

#[test]
fn a_branch_says_what_is_done_on_it() {
    let of = |it: &str| {
        let query = Query { branch: it.into(), ..Query::default() };
        of_query(&query).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(of("docs/typos"), ["documentation"]);
    assert_eq!(of("chore/bump-serde"), ["upgrade"]);
    assert_eq!(of("main"), [""; 0]);
}
