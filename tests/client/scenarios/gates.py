"""Gated commands: denied, reviewed, and then really run."""
from story import World, bash, decide, do, expect, run, say, scenario, spawn

PUSHES = '[review.gates]\ntools = ["Bash:git push*"]\n'
COMMIT = run("echo second >> notes.txt && git commit -qam Second")


@scenario
def a_gated_push_is_denied_reviewed_and_then_run(world: World):
    s = world.play(
        "Push the second line.", config=PUSHES,
        agent=[COMMIT, run("git push -q origin main"), spawn(), run("git push -q origin main"), say("Pushed.")],
        reviewers=[[run("roz context {{session}}"), run("git push -q origin main"), run("git ls-remote origin | wc -l"),
                    decide("COMPLETE", "Fine to push."), say("Approved.")]],
    )
    expect("answers to the agent's and the reviewer's push", s.kinds("PreToolUse", "Bash").count("deny")).equals(2)
    denied, pushed = s.results()[1], s.results()[3]
    expect("the denial", denied.text).has("Bash:git push*", s.id, "roz:roz")
    expect("whether the push failed after the approval", pushed.failed, pushed.text).equals(False)
    expect("branches of the remote while it was reviewed", s.results("reviewer")[2].text.strip()).equals("0")
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())
    expect("roz context", s.results("reviewer")[0].text).has("git push -q origin main", "Push the second line.")
    expect("answers at the stop", s.kinds("Stop")).equals(["pass"])


@scenario
def two_gated_calls_at_once_need_one_review(world: World):
    both = do(bash("git push -q origin main"), bash("git push -q origin main:copy"))
    s = world.play(
        "Push the second line, twice.", config=PUSHES,
        agent=[COMMIT, both, spawn(), both, say("Pushed.")],
        reviewers=[[run("git ls-remote origin | wc -l"), decide("COMPLETE", "Fine to push."), say("Approved.")]],
    )
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, True, True, False, False, False])
    expect("branches of the remote while it was reviewed", s.results("reviewer")[0].text.strip()).equals("0")
    head = s.place.git("rev-parse", "HEAD").strip()
    expect("what the remote has", [s.remote("main"), s.remote("copy")]).equals([head, head])
    expect("answers at the stop", s.kinds("Stop")).equals(["pass"])
