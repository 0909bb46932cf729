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
        reviewers=[[run("git ls-remote origin | wc -l"), *APPROVES]],
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
def an_approval_outlives_the_next_prompt_of_the_user(world: World):
    push, again = run("git push -q origin main"), run("git push -q origin main:copy")
    s = world.play(
        "Push the second line.", Step("Push it to the copy as well.", resume=True), config=PUSHES,
        agent=[COMMIT, push, spawn(), push, push, say("Pushed."), again, say("Pushed.")],
        reviewers=[APPROVES],
    )
    pushes = [s.results()[n].failed for n in (1, 3, 4, 5)]
    expect("which pushes failed", pushes).equals([True, False, False, False])
    head = s.place.git("rev-parse", "HEAD").strip()
    expect("what the remote has", [s.remote("main"), s.remote("copy")]).equals([head, head])
    expect("answers at the stops", s.kinds("Stop")).equals(["pass", "pass"])


@scenario
def new_work_after_the_approval_is_denied_by_name_and_reviewed_alone(world: World):
    push = run("git push -q origin main")
    s = world.play(
        "Push the second line.", config=PUSHES,
        agent=[COMMIT, push, spawn(), run("echo third > more.txt && git add -A && git commit -qm Third"), push, spawn(),
               push, say("Pushed.")],
        reviewers=[APPROVES, APPROVES],
    )
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, True, False, False, True, False, False])
    denial = s.results()[4].text
    expect("the denial", denial).has("changed since the approval: more.txt (gate")
    shown = s.results("reviewer", 1)[0].text
    expect("what the second reviewer is shown", shown).has("more.txt", "+third")
    expect("what it is not shown again", shown).lacks("+second")
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())
    expect("answers at the stop", s.kinds("Stop")).equals(["pass"])


@scenario
def the_user_lets_one_push_through(world: World):
    push, another = run("git push -q origin main"), run("git push -q origin main:copy")
    s = world.play(
        Step("Push the second line.", max_turns=3), Step("#roz:allow", resume=True), config=PUSHES,
        agent=[COMMIT, push, say("It waits for a review."), push, another, say("Pushed once.")],
    )
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, True, False, True])
    expect("the denial, to the user", s.replies("PreToolUse", "Bash")[1].word_to_user).has("`#roz:allow`")
    expect("the answer to the user", s.replies("UserPromptSubmit")[-1].word_to_user).has("goes through, once")
    words = [reply.word_to_user for reply in s.replies() if "as you allowed" in reply.word_to_user]
    expect("how often the user is told that it was used", len(words)).equals(1)
    head = s.place.git("rev-parse", "HEAD").strip()
    expect("what the remote has", [s.remote("main"), s.remote("copy")]).equals([head, ""])
    # The user's later prompt releases the stop, not the gate.
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])


@scenario
def a_question_that_nobody_would_answer_is_a_denial_with_a_way_out(world: World):
    push = run("git push -q origin main")
    s = world.play(
        "Push the second line.", Step("Push it now.", resume=True), Step("#roz:allow", resume=True), config=PUSHES,
        agent=[COMMIT, push, *[say("It waits for a review.")] * 4, push, say("I may not."), push, say("Pushed.")],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block"] * 3 + ["pass"] * 3)
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, True, True, False])
    expect("the denial after the review was given up", s.results()[2].text).has("Nobody answers questions")
    denied = [reply for reply in s.replies("PreToolUse", "Bash") if reply.kind == "deny"][-1]
    expect("the denial, to the user", denied.word_to_user).has("`#roz:allow`")
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())


@scenario
def a_trial_holds_and_denies_nothing_and_stats_lists_what_it_would_have(world: World):
    s = world.play(
        "#roz Push the second line.", config="trial = true\n" + PUSHES,
        agent=[COMMIT, run("git push -q origin main"), say("Pushed.")],
    )
    expect("which calls failed", [r.failed for r in s.results()]).equals([False, False])
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())
    expect("answers at the stop", s.kinds("Stop")).equals(["pass"])
    expect("roz stats", s.roz("stats").stdout).has("This is a trial", "Bash: git push -q origin main", "the stop")
    expect("roz status", s.roz("status").stdout).has("trial")
