"""Reviewers in the background, whose end comes to the agent as a notification."""
from story import World, after_hook, decide, expect, run, say, scenario, spawn, until

from scenarios.gates import COMMIT, PUSHES


def approves_after(stops: int) -> list:
    return [run("roz context {{session}}"),
            until(decide("COMPLETE", "Fine."), after_hook("Stop", stops)),
            say("Approved.")]


@scenario
def the_stop_passes_while_the_reviewer_works(world: World):
    s = world.play(
        "#roz Do nothing.",
        agent=[say("Done."), spawn(background=True), say("I wait for the reviewer."), say("Reviewed.")],
        reviewers=[approves_after(stops=2)],
    )
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass", "pass"])
    expect("answer while the reviewer works", s.replies("Stop")[1].json).equals({})
    expect("what woke the agent", s.heard(3)).has("<task-notification>")
    expect("decision", s.review["decision"]["type"]).equals("complete")


@scenario
def an_approval_from_the_background_opens_the_gate(world: World):
    s = world.play(
        "Push the second line.", config=PUSHES,
        agent=[COMMIT, run("git push -q origin main"), spawn(background=True), say("I wait for the reviewer."),
               run("git push -q origin main"), say("Pushed.")],
        reviewers=[approves_after(stops=1)],
    )
    expect("what woke the agent", s.heard(4)).has("<task-notification>")
    denied, pushed = s.results()[1], s.results()[3]
    expect("whether the first push was denied", denied.failed).equals(True)
    expect("whether the second push failed", pushed.failed, pushed.text).equals(False)
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())
    expect("answers at the stops", s.kinds("Stop")).equals(["pass", "pass"])


@scenario
def a_notification_is_no_prompt_of_the_user(world: World):
    s = world.play(
        "Add a second line to notes.txt.", config='[review]\nmode = "always"\n',
        agent=[run("echo second >> notes.txt"), say("Done."), spawn(background=True), say("I wait for the reviewer."), say("Reviewed.")],
        reviewers=[[*approves_after(stops=2)[:-1], say("#roz: approved.")]],
    )
    expect("what woke the agent", s.heard(4)).has("<task-notification>", "#roz: approved.")
    expect("answers at the stops", s.kinds("Stop")).equals(["block", "pass", "pass"])
