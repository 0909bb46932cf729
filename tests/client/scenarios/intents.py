"""Declared work under the real client: the handshake, the scope on every way
of writing, stale files, a person's word."""
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from story import Step, Tool, World, bash, do, expect, run, say, scenario
from scenarios.memory import AT_THE_BRIM

FILE_SERVER = Path(__file__).resolve().parent.parent / "stand_ins" / "file_server.py"
INTENTS = """\
active_intents:
  - id: INT-001
    name: Login by link
    status: TODO  # not begun
    owned_scope: ["src/auth/**"]
    constraints: [No new dependency]
    acceptance_criteria: [A link works once]
  - id: INT-002
    name: Invoices by mail
    status: TODO
    owned_scope: ["src/billing/**", "src/auth/login*"]
"""
INVOICE = "src/billing/invoice.ts"
LOGIN = "src/auth/login.ts"


def place_with_intents(world: World, config: str = ""):
    servers = {"roz": {"command": "roz", "args": ["mcp"]},
               "files": {"command": sys.executable, "args": [str(FILE_SERVER)]}}
    return world.place(config, home={".claude/settings.json": json.dumps({"enableAllProjectMcpServers": True})},
                       project={".orchestration/active_intents.yaml": INTENTS, INVOICE: "export const n = 1\n",
                                LOGIN: "export const login = 1\n", ".mcp.json": json.dumps({"mcpServers": servers})})


def select(intent: str = "INT-001", tokens: int = 100):
    return do(Tool("mcp__roz__select_active_intent", {"intent_id": intent}), tokens=tokens)


def write(place, path: str, text: str = "x\n") -> Tool:
    return Tool("Write", {"file_path": str(place.project / path), "content": text})


def read(place, path: str):
    return do(Tool("Read", {"file_path": str(place.project / path)}))


def ledger(place) -> list[dict]:
    file = place.project / ".orchestration" / "agent_trace.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def contexts(s, turn: int) -> int:
    return s.remembered(turn).count("<intent_context>")


@scenario
def a_write_before_the_handshake_is_refused_and_the_agent_selects_and_goes_on(world: World):
    place = place_with_intents(world)
    new = do(write(place, "src/auth/new.ts"))
    s = world.play("Add a file.", place=place, agent=[new, select(), new, say("Done.")])
    told = s.replies("SessionStart")[0].context
    expect("what a session is told", told).has("select_active_intent", "- INT-001 (TODO) Login by link: src/auth/**")
    denied, selected, written = s.results()
    expect("the refusal", denied.text).has("You must cite a valid active Intent ID.", "MISSING_INTENT",
                                           "roz intent select", "INT-001")
    expect("the answer of the tool", selected.text).has("<intent_context>", "A link works once")
    expect("whether the second write failed", written.failed, written.text).equals(False)
    expect("how often the context is told", contexts(s, 3)).equals(1)
    expect("the file", (place.project / "src/auth/new.ts").read_text()).equals("x\n")
    text = (place.project / ".orchestration/active_intents.yaml").read_text()
    expect("what is declared", text).has("status: TODO  # not begun")
    expect("what the ledger says was changed", [f["path"] for r in ledger(place) for f in r["files"]]).equals(["src/auth/new.ts"])


@scenario
def an_intent_is_selected_by_the_verb_and_told_once(world: World):
    place = place_with_intents(world)
    new = do(write(place, "src/auth/new.ts"))
    s = world.play("Add a file.", place=place,
                   agent=[run("roz intent select INT-001"), new, run("roz intent select INT-001 >/dev/null"), say("Done.")])
    expect("the verb's answer", s.results()[0].text).has("<intent_context>", "src/auth/**")
    expect("how often the context is told", contexts(s, 1)).equals(1)
    expect("whether the write failed", s.results()[1].failed, s.results()[1].text).equals(False)
    expect("how often, where the second answer was thrown away", contexts(s, 3)).equals(2)


@scenario
def no_way_of_writing_leads_out_of_the_scope(world: World):
    place = place_with_intents(world)
    invoice = str(place.project / INVOICE)
    writes = [
        Tool("Edit", {"file_path": invoice, "old_string": "n = 1", "new_string": "n = 2"}),
        write(place, "src/billing/new.ts"),
        bash(f"cat > {INVOICE} <<EOF\nx\nEOF"),
        bash(f"sed -i s/1/2/ {INVOICE}"),
        bash(f"mv {LOGIN} src/billing/moved.ts"),
        bash(f"git checkout -- {INVOICE}"),
        bash("cd src/billing && touch other.ts"),
        bash("bash -c 'echo x | tee src/billing/teed.ts'"),
        Tool("mcp__files__write_file", {"path": INVOICE, "content": "x"}),
        Tool("mcp__files__move_file", {"source": LOGIN, "destination": "src/billing/moved.ts"}),
    ]
    s = world.play("Change the invoices.", place=place,
                   agent=[select(), read(place, INVOICE), *[do(tool) for tool in writes], say("I may not.")])
    for tool, result in zip(writes, s.results()[2:], strict=True):
        expect(f"whether {tool.name} {tool.input} was refused", result.failed, result.text).equals(True)
        if "CIRCUIT_OPEN" not in result.text:
            expect(f"the refusal of {tool.name}", result.text).has("Scope Violation: INT-001 is not authorized", "SCOPE_VIOLATION")
    expect("the files", sorted(p.name for p in (place.project / "src").rglob("*.ts"))).equals(["invoice.ts", "login.ts"])
    expect("the invoice", (place.project / INVOICE).read_text()).equals("export const n = 1\n")
    refused = [e for e in s.debug["trace"] if e["event_type"] == "intent_refused"]
    expect("refusals in the trace", len(refused)).equals(len(writes))
    expect("the ledger", ledger(place)).equals([])


@scenario
def a_servers_tool_writes_inside_the_scope_and_reads_anywhere(world: World):
    place = place_with_intents(world)
    s = world.play("Change it.", place=place, agent=[
        do(Tool("mcp__files__read_file", {"path": INVOICE})), select(),
        do(Tool("mcp__files__write_file", {"path": "src/auth/by_server.ts", "content": "a\nb\n"})), say("Done.")])
    expect("which calls failed", [r.failed for r in s.results()], s.results()[-1].text).equals([False] * 3)
    expect("what the ledger says was changed", [f["path"] for r in ledger(place) for f in r["files"]]).equals(["src/auth/by_server.ts"])


@scenario
def of_two_sessions_at_one_file_the_second_write_is_stale(world: World):
    place = place_with_intents(world)
    mine = run(f"sed -i s/1/mine/ {LOGIN}")
    first = world.play("Look.", place=place, agent=[select(), read(place, LOGIN), say("Seen.")])
    second = world.play("Change it.", place=place,
                        agent=[select("INT-002"), read(place, LOGIN), run(f"sed -i s/login/theirs/ {LOGIN}"), say("Changed.")])
    expect("whether the second session's write failed", second.results()[2].failed, second.results()[2].text).equals(False)
    again = world.play(Step("Change it.", resume=first.id), place=place,
                       agent=[mine, run(f"cat {LOGIN}"), mine, say("Changed.")])
    stale, _, changed = again.results()[-3:]
    expect("the first session's write", stale.text).has("STALE_FILE", "has changed since you read it", '"expected_hash":"sha256:')
    expect("its write after it has read again", changed.failed, changed.text).equals(False)
    expect("the file", (place.project / LOGIN).read_text()).equals("export const theirs = mine\n")


@scenario
def a_live_session_at_the_same_files_is_told_to_agent_and_user(world: World):
    place = place_with_intents(world)
    go = place.root / "tmp" / "go"
    begun = run("until roz intent show INT-001 | grep -q 'Sessions working on it'; do sleep 0.1; done")
    with ThreadPoolExecutor() as threads:
        first = threads.submit(world.play, "Look.", place=place, agent=[
            select(), run(f"until [ -e {go} ]; do sleep 0.1; done"), say("Seen.")])
        second = world.play("Change it.", place=place, agent=[
            begun, select("INT-002"), run(f"touch {go}"), say("I wait.")])
    reply = second.replies("PostToolUse", "select")[0]
    for told in (reply.context, reply.word_to_user):
        expect("what is told of the other session", told).has(first.result().id, "INT-001", "both own `src/auth/login")
    expect("what the agent hears", second.heard(2)).has(reply.context)
    third = world.play("Change it.", place=place, agent=[select("INT-002"), say("Alone.")])
    reply = third.replies("PostToolUse", "select")[0]
    expect("what is told of sessions that have ended", reply.context + reply.word_to_user).equals("")


@scenario
def what_cannot_be_had_back_is_a_persons_to_allow(world: World):
    place = place_with_intents(world)
    s = world.play("Remove it.", place=place,
                   agent=[select(), run("rm -rf src/auth"), run("git push --force origin main"), say("I may not.")])
    expect("answers to the calls", [r.kind for r in s.replies("PreToolUse", "Bash")]).equals(["deny", "deny"])
    # Where the client skips permissions nobody answers a question.
    removed, pushed = s.results()[1:]
    expect("whether they failed", [removed.failed, pushed.failed]).equals([True, True])
    expect("what the agent is told", removed.text).has("CRITICAL", "HITL_REQUIRED")
    expect("the file", (place.project / LOGIN).exists()).equals(True)
    expect("what the remote has", s.remote("main")).equals("")


@scenario
def compaction_does_not_lose_the_intent(world: World):
    place = place_with_intents(world)
    new = do(write(place, "src/auth/new.ts"))
    s = world.play(
        Step("Begin.", max_turns=4), Step("/compact", resume=True), Step("Go on.", resume=True), place=place,
        agent=[select(), say("Begun."), new, say("Done.")])
    expect("answers at the compaction", s.kinds("SessionStart", "compact")).equals(["context"])
    told = s.replies("SessionStart", "compact")[0].context
    expect("what the agent is told after it", told).has("You are still working on INT-001", "<intent_context>", "A link works once")
    expect("what the agent remembers when it goes on", s.remembered(2)).has(told)
    expect("whether the write failed", s.results()[1].failed, s.results()[1].text).equals(False)


@scenario
def a_compaction_within_a_turn_does_not_lose_the_intent(world: World):
    place = place_with_intents(world)
    new = do(write(place, "src/auth/new.ts"))
    s = world.play("Begin.", place=place, env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "200000"},
                   agent=[select(), run("echo one"), run("echo two"), do(bash("echo three"), tokens=AT_THE_BRIM), new, say("Done.")])
    told = s.replies("SessionStart", "compact")[0].context
    expect("what the agent is told after it", told).has("You are still working on INT-001", "<intent_context>")
    expect("what the agent remembers", s.remembered(4)).has(told)
    expect("whether the write failed", s.results()[-1].failed, s.results()[-1].text).equals(False)


@scenario
def a_nested_repository_is_no_way_out(world: World):
    place = place_with_intents(world)
    s = world.play("Change it.", place=place, agent=[
        select(), run("git init -q src/auth/sub && cd src/auth/sub"),
        # From here on the client's folder is the new repository.
        run("pwd && echo x > inside.ts"), run("echo x > ../../billing/out.ts"), run(f"touch {place.project}/out.ts"),
        do(write(place, "out.ts")), run("git init -q ../../../sub"), say("I may not.")])
    expect("which calls failed", [r.failed for r in s.results()], repr([r.text for r in s.results()])) \
        .equals([False, False, False, True, True, True, True])
    expect("the current folder", s.results()[2].text).has("src/auth/sub")
    for refused in s.results()[3:]:
        expect("the refusal", refused.text).has("SCOPE_VIOLATION")
    expect("what is there", sorted(p.name for p in place.project.rglob("*.ts"))).equals(["inside.ts", "invoice.ts", "login.ts"])


@scenario
def a_subagent_is_at_its_parents_intent(world: World):
    place = place_with_intents(world)
    helper = Tool("Agent", {"description": "Help", "prompt": "You are the HELPER. Change it.",
                            "subagent_type": "general-purpose", "run_in_background": False})
    s = world.play("Change it.", place=place, agent=[select(), do(helper), say("Done.")],
                   helpers=[[do(write(place, "src/auth/new.ts")), do(write(place, "src/billing/new.ts")), say("In part.")]])
    inside, outside = s.results("helper")
    expect("whether the write inside failed", inside.failed, inside.text).equals(False)
    expect("the write outside", outside.text).has("SCOPE_VIOLATION", "INT-001")
