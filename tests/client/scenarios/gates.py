"""Gated commands: denied, reviewed, and then really run."""
from story import APPROVES, Step, Tool, World, bash, decide, do, expect, run, say, scenario, spawn

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


@scenario
def a_gated_push_by_a_subagent_is_denied_too(world: World):
    helper = Tool("Agent", {"description": "Help", "prompt": "You are the HELPER. Push it.",
                            "subagent_type": "general-purpose", "run_in_background": False})
    s = world.play(
        "Push the second line.", config=PUSHES,
        agent=[COMMIT, do(helper), say("Denied."), spawn(), run("git push -q origin main"), say("Pushed.")],
        helpers=[[run("git push -q origin main"), say("I may not.")]],
        reviewers=[APPROVES],
    )
    expect("whether the subagent's push was denied", s.results("helper")[0].failed).equals(True)
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())


@scenario
def an_approval_lasts_until_the_next_prompt_of_the_user(world: World):
    push = run("git push -q origin main")
    s = world.play(
        "Push the second line.", Step("Push it to the copy as well.", resume=True), config=PUSHES,
        agent=[COMMIT, push, spawn(), push, push, say("Pushed."),
               run("git push -q origin main:copy"), spawn(), run("git push -q origin main:copy"), say("Pushed.")],
        reviewers=[APPROVES, APPROVES],
    )
    pushes = [s.results()[n].failed for n in (1, 3, 4, 5, 7)]
    expect("which pushes failed", pushes).equals([True, False, False, True, False])
    expect("answers at the stops", s.kinds("Stop")).equals(["pass", "pass"])


@scenario
def a_change_after_the_approval_is_told_to_the_user(world: World):
    push = run("git push -q origin main")
    s = world.play(
        "Push the second line.", config=PUSHES,
        agent=[COMMIT, push, spawn(), run("echo third > more.txt && git add -A && git commit -qm Third"), push,
               say("Pushed.")],
        reviewers=[APPROVES],
    )
    words = [reply.word_to_user for reply in s.replies("PreToolUse", "Bash") if reply.word_to_user]
    expect("words to the user at the push", " ".join(words)).has("more.txt")
    expect("whether the push failed", s.results()[4].failed).equals(False)
