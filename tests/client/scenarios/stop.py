"""The stop: held while a review is open, released by an approval, by the
breaker, or by the user."""
from story import APPROVES, Step, Tool, World, after_hook, decide, do, expect, run, say, scenario, spawn, until

FINDING = "The second line is misspelt."


@scenario
def the_stop_is_held_until_the_reviewer_approves(world: World):
    s = world.play(
        "#roz Add a second line to notes.txt.",
        agent=[run("echo second >> notes.txt"), say("Done."), spawn(), say("Reviewed and done.")],
        reviewers=[APPROVES],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    expect("what the agent is told at its stop", s.heard(2)).has("Agent", "roz:roz", s.id)
    expect("what the reviewer knows when it starts", s.opening().heard).has(s.id, f"--token {s.token}")
    context, decision = s.results("reviewer")
    expect("roz context", context.text).has("Add a second line to notes.txt", "notes.txt")
    expect("whether roz decide failed", decision.failed, decision.text).equals(False)
    expect("decision", s.review["decision"]["type"]).equals("complete")
    expect("summary", s.review["decision"]["summary"]).equals("Looks right.")
    expect("outcome of the attempt", s.outcomes()).equals(["success"])
    for exchange in s.of("agent"):
        expect("what the agent hears", exchange.heard).lacks(s.token)


@scenario
def findings_reach_the_agent_and_a_second_review_releases_it(world: World):
    s = world.play(
        "#roz Add a second line to notes.txt.",
        agent=[run("echo secnod >> notes.txt"), say("Done."), spawn(), say("Reviewed."),
               run("sed -i s/secnod/second/ notes.txt"), spawn(), say("Fixed and reviewed.")],
        reviewers=[[decide("ISSUES", "Not yet.", f'--message "{FINDING}"'), say("There are issues.")], APPROVES],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "block", "pass"])
    expect("what the agent is told at its second stop", s.heard(4)).has(FINDING, "roz:roz")
    told = s.opening(1).heard + s.results("reviewer", 1)[0].text
    expect("what the second reviewer is told of the first", told).has(FINDING)
    expect("decision", s.review["decision"]["type"]).equals("complete")
    expect("verdicts in the history", s.verdicts()).equals(["issues", "complete"])


@scenario
def after_three_blocks_the_stop_passes_and_the_user_is_told(world: World):
    s = world.play("#roz Do nothing.", agent=[say(f"Done, I said ({n}).") for n in range(4)])
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "block", "block", "pass"])
    word = s.replies("Stop")[-1].word_to_user
    expect("the word to the user", word.lower()).has("review")
    expect("exit codes of the client", s.exit_codes).equals([0])
    expect("breaker", s.review["circuit_breaker_tripped"]).equals(True)
    if world.version != "2.1.197":  # the older client shows such a word to nobody in this mode
        expect("what the user sees", s.notices()).has(f"Stop says: {word}")


@scenario
def a_prompt_that_asks_for_no_review_is_left_alone(world: World):
    s = world.play("Add a second line to notes.txt. #rozzz is a word.", agent=[run("echo second >> notes.txt"), say("Done.")])
    for reply in s.replies():
        expect(f"answer of {reply.name}", reply.stdout.strip()).equals("{}")


@scenario
def the_user_ends_a_review(world: World):
    s = world.play(
        Step("#roz Do nothing.", max_turns=1), Step("#roz:stop That will do.", resume=True),
        agent=[say("Done."), say("Thank you.")],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    expect("the word to the user", s.replies("UserPromptSubmit")[-1].word_to_user.lower()).has("review")


@scenario
def the_stop_passes_while_other_subagents_work(world: World):
    helper = Tool("Agent", {"description": "Help", "prompt": "You are the HELPER. Help.",
                            "subagent_type": "general-purpose", "run_in_background": True})
    s = world.play(
        "#roz Do nothing.",
        agent=[do(helper), say("I wait for the helper."), say("It is done."), spawn(), say("Reviewed.")],
        helpers=[[until(say("Helped."), after_hook("Stop"))]],
        reviewers=[APPROVES],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["pass", "block", "pass"])
    expect("the word to the user", s.replies("Stop")[0].word_to_user.lower()).has("review")
    expect("outcomes of the attempts", s.outcomes()).equals(["success"])
