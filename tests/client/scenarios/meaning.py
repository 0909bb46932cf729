"""What changes mean, under the real client: a feature, a pure rename and a move
by an agent; the ledger's classes, the map and the blame that come of them; a
test that fails."""
import json

from story import Tool, World, bash, do, expect, run, say, scenario
from scenarios.intents import LOGIN, ledger, place_with_intents, read, select, write

FEATURE = """\
export const login = 1

function checked(token: string): string {
  if (token === "") {
    throw new Error("no token")
  }
  return token
}

export function renew(token: string): string {
  return checked(token) + "'"
}
"""


def details(record: dict) -> list[dict]:
    return record["metadata"]["dev.roz"]["files"]


def blame(s, path: str) -> list[str | None]:
    ran = s.roz("blame", path, "--json")
    expect("whether blame worked", ran.returncode, ran.stderr).equals(0)
    return [line["intent_id"] for line in json.loads(ran.stdout)["lines"]]


@scenario
def a_feature_a_rename_and_a_move_are_told_apart_and_traced(world: World):
    place = place_with_intents(world)
    file = str(place.project / LOGIN)
    rename = Tool("Edit", {"file_path": file, "old_string": "checked", "new_string": "present", "replace_all": True})
    # The definitions go to a file of its own, in one command.
    move = bash(f"tail -n +3 {LOGIN} > src/auth/renewal.ts && printf 'export const login = 1\\n' > {LOGIN}")
    s = world.play("Let links be renewed.", place=place, agent=[
        select(), read(place, LOGIN), do(write(place, LOGIN, FEATURE)), do(rename), do(move), say("Done.")])
    expect("which calls failed", [r.failed for r in s.results()], s.results()[-1].text).equals([False] * 5)
    records = [r for r in ledger(place) if r["files"]]
    expect("the classes", [r["mutation_class"] for r in records]).equals(["INTENT_EVOLUTION", "AST_REFACTOR", "AST_REFACTOR"])
    feature, renamed, moved = (details(r) for r in records)
    expect("what is new", [d["name"] for d in feature[0]["evidence"]["definitions"]]).equals(["checked", "renew"])
    expect("the proof of the rename", (renamed[0]["evidence"]["step"], renamed[0]["evidence"]["renamed"])).equals(("rename", [["checked", "present"]]))
    expect("the proof of the move", [d["evidence"]["step"] for d in moved]).equals(["move", "move"])
    text = (place.project / ".orchestration/intent_map.md").read_text()
    expect("the map", text).has("## `INT-001` Login by link", "| `src/auth/renewal.ts` | `present`")
    expect("the map's own rebuild", s.roz("intent", "map").returncode).equals(0)
    expect("the map afterwards", (place.project / ".orchestration/intent_map.md").read_text()).equals(text)
    expect("whose the lines are", set(blame(s, "src/auth/renewal.ts"))).equals({"INT-001"})
    expect("what is told of one", s.roz("why", "src/auth/renewal.ts:1").stdout).has("INT-001: Login by link", "refactor")
    expect("whether the ledger is whole", s.roz("ledger", "verify").returncode).equals(0)


@scenario
def a_failing_test_offers_a_lesson_that_the_next_handshake_tells(world: World):
    place = place_with_intents(world)
    test = run("python3 -m unittest no_such_test_of_ours")
    lesson = do(Tool("mcp__roz__record_lesson", {"lesson": "Links expire by the server's clock.", "intent_id": "INT-001"}))
    s = world.play("Run the tests.", place=place,
                   agent=[select(), test, test, lesson, run("roz intent select INT-001"), say("Done.")])
    failed = [r for r in s.replies("PostToolUseFailure")]
    expect("how often a lesson is offered", ["record_lesson" in r.context for r in failed]).equals([True, False])
    expect("the offer", failed[0].context).has("`unittest` failed", "--intent INT-001")
    expect("what the model hears of it", s.remembered(2)).has("`unittest` failed")
    expect("the next handshake", s.results()[-1].text).has("<lesson>Links expire by the server")
