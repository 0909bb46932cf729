"""Gated programs that something else starts: denied when they start, reviewed, and then really run."""
from story import APPROVES, Step, Tool, World, do, expect, run, say, scenario, spawn

from scenarios.gates import COMMIT, PUSHES

# The recipe runs a script in a file, so no command line says what it does.
FILES = {"Makefile": 'release:\n\t@sh -c "$$(cat steps)"\n', "steps": "git push -q origin main\n"}
RELEASE = run("make release")


def place(world: World):
    return world.place(PUSHES, project=FILES)


@scenario
def a_release_is_denied_at_the_run_reviewed_and_then_run(world: World):
    s = world.play(
        "Release it.", place=place(world),
        agent=[COMMIT, RELEASE, spawn(), RELEASE, say("Released.")],
        reviewers=[[RELEASE, run("git ls-remote origin | wc -l"), *APPROVES]],
    )
    denied, released = s.results()[1], s.results()[3]
    expect("answers before the calls of make", s.kinds("PreToolUse", "Bash").count("deny")).equals(0)
    expect("the denial", denied.text).has("`make release` got as far as `git push -q origin main`", "roz:roz", s.id)
    expect("whether the reviewer's own release failed", s.results("reviewer")[0].failed).equals(True)
    expect("branches of the remote while it was reviewed", s.results("reviewer")[1].text.strip()).equals("0")
    expect("whether the release failed after the approval", released.failed, released.text).equals(False)
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())
    expect("answers at the stop", s.kinds("Stop")).equals(["pass"])


@scenario
def a_release_by_a_subagent_and_in_the_background_is_denied_at_the_run(world: World):
    helper = Tool("Agent", {"description": "Help", "prompt": "You are the HELPER. Release it.",
                            "subagent_type": "general-purpose", "run_in_background": False})
    behind = Tool("Bash", {"command": "make release > said 2>&1; echo $? > code", "description": "x",
                           "run_in_background": True})
    wait = run("until [ -s code ]; do sleep 0.1; done; cat said code; rm said code")
    s = world.play(
        "Release it.", place=place(world),
        agent=[COMMIT, do(helper), do(behind), wait, spawn(), do(behind), wait, say("Released.")],
        helpers=[[RELEASE, say("I may not.")]],
        reviewers=[APPROVES],
    )
    expect("the subagent's release", s.results("helper")[0].text).has("got as far as")
    expect("the release in the background", s.results()[3].text).has("got as far as")
    expect("the one after the approval", s.results()[6].text.strip()).equals("0")
    expect("what the remote has", s.remote("main")).equals(s.place.git("rev-parse", "HEAD").strip())


@scenario
def a_release_is_denied_at_the_run_after_resume_compaction_and_clear(world: World):
    waits = [RELEASE, say("It waits for a review.")]
    s = world.play(
        Step("Release it.", max_turns=2), Step("Again.", resume=True), Step("/compact", resume=True),
        Step("And again.", resume=True), Step("/clear", resume=True), Step("Once more.", resume=True, max_turns=2),
        place=place(world), agent=[*waits, *waits, *waits, *waits],
    )
    denials = [e.heard for e in s.of("agent") if "got as far as" in e.heard]
    expect("how many releases were denied at the run", len(denials)).equals(4)
    expect("what the remote has", s.remote("main")).equals("")
