"""What the agent is told again after its conversation was lost or left:
compaction and resume."""
from story import APPROVES, Step, World, bash, decide, do, expect, run, say, scenario, spawn

FINDING = "The second line is misspelt."
AT_THE_BRIM = 198_000  # of a window of 200,000: the client compacts before it asks again


@scenario
def a_compaction_within_a_turn_keeps_the_review(world: World):
    s = world.play(
        "#roz Do nothing.",
        env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"},
        agent=[run("echo one"), say("Done."), run("echo two"), do(bash("echo three"), tokens=AT_THE_BRIM), spawn(),
               say("Reviewed.")],
        reviewers=[APPROVES],
    )
    expect("answers at the compaction", s.kinds("SessionStart", "compact")).equals(["context"])
    told = s.replies("SessionStart", "compact")[0].context
    expect("what the agent is told after it", told).has("roz:roz", s.id)
    expect("what the agent remembers", s.remembered(4)).has(told)
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])


@scenario
def a_compaction_by_the_user_keeps_the_review(world: World):
    s = world.play(
        Step("#roz Do nothing.", max_turns=2), Step("/compact", resume=True), Step("Go on.", resume=True),
        agent=[run("echo one"), say("Done."), spawn(), say("Reviewed.")],
        reviewers=[APPROVES],
    )
    expect("answers at the compaction", s.kinds("SessionStart", "compact")).equals(["context"])
    told = s.replies("SessionStart", "compact")[0].context
    expect("what the agent is told after it", told).has("roz:roz", s.id)
    expect("what the agent remembers when it goes on", s.remembered(2)).has(told)
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])


@scenario
def a_resumed_session_keeps_the_findings(world: World):
    s = world.play(
        Step("#roz Do nothing.", max_turns=3), Step("Go on.", resume=True),
        agent=[say("Done."), spawn(), say("Reviewed."), spawn(), say("Reviewed again.")],
        reviewers=[[decide("ISSUES", "Not yet.", f'--message "{FINDING}"'), say("There are issues.")], APPROVES],
    )
    expect("answers at the start and the resume", s.kinds("SessionStart")).equals(["pass", "context"])
    told = s.replies("SessionStart", "resume")[0].context
    expect("what the agent is told on resume", told).has(FINDING, "roz:roz", s.id)
    expect("what the agent remembers when it goes on", s.remembered(3)).has(told)
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "block", "pass"])


@scenario
def a_fork_starts_afresh(world: World):
    s = world.play(
        Step("#roz Do nothing.", max_turns=1), Step("Go on.", resume=True, fork=True),
        agent=[say("Done."), say("Done, in another session.")],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass"])
    told = " ".join(reply.context + reply.word_to_user for reply in s.replies("SessionStart"))
    expect("what is told of the open review", told).has("review")
