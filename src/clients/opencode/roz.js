// roz for opencode, written by `roz install`: turns the client's events into the payloads of `roz hook`,
// and its answers back. A throw in `tool.execute.before` refuses the call, so nothing here throws but a
// refusal: whatever goes wrong, the call runs.
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const ROZ = "@ROZ@"
const PATIENCE = 10000 // milliseconds for one event
const ROUNDS = 8 // how often a subagent may be held

/** The file into which roz writes how shells find its shims. */
const shells = (() => {
  try {
    return join(mkdtempSync(join(tmpdir(), "roz-")), "env.sh")
  } catch {
    return undefined
  }
})()

/** Runs a hook; never rejects. */
function hook(payload, cwd) {
  return new Promise((done) => {
    try {
      const env = shells ? { ...process.env, CLAUDE_ENV_FILE: shells } : process.env
      const child = spawn(ROZ, ["hook", payload.hook_event_name, "--client", "opencode"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] })
      let out = ""
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE)
      child.stdout.on("data", (part) => (out += part))
      child.stdin.on("error", () => {})
      child.on("error", () => done({}))
      child.on("close", () => {
        clearTimeout(timer)
        try {
          done(read(JSON.parse(out)))
        } catch {
          done({})
        }
      })
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done({})
    }
  })
}

function read(answer) {
  const inner = answer.hookSpecificOutput ?? {}
  const refused = inner.permissionDecision === "deny" || answer.decision === "block"
  return {
    refusal: refused ? inner.permissionDecisionReason ?? answer.reason ?? "refused" : undefined,
    context: inner.additionalContext,
    input: inner.updatedInput,
  }
}

/** Runs what must not throw. */
const quietly = (work) => async (...given) => {
  try {
    return await work(...given)
  } catch {
    return undefined
  }
}

// `opencode run` makes a second instance of the plugin in the same process when a session goes on after
// its first idle, so what is known is kept here.
const agents = new Map() // child session -> { parent, type }
const started = new Set() // sessions whose start was told
const fresh = new Set() // sessions that this process created
const holding = new Set() // sessions that go on because a stop was held
const said = new Map() // session -> last text of the model
const manner = new Map() // session -> { agent, model } of its last user message
const pending = new Set() // stops that are asked about, or held
const seen = new Set() // events that were dealt with

export const Roz = async ({ client, directory }) => {
  const root = (id) => (agents.has(id) ? root(agents.get(id).parent) : id)
  const tell = (event, id, more) => {
    const agent = agents.get(id)
    const who = agent ? { agent_id: id, agent_type: agent.type } : {}
    return hook({ session_id: root(id), cwd: directory, hook_event_name: event, ...who, ...more }, directory)
  }
  /** Prompts a session in roz's name and waits until it is done; the model's last text. */
  const say = async (id, text) => {
    const parts = [{ type: "text", text, synthetic: true }]
    const reply = await client.session.prompt({ path: { id }, body: { ...manner.get(id), parts } })
    return reply.data?.parts?.findLast((part) => part.type === "text")?.text ?? said.get(id)
  }
  const stop = quietly(async (id) => {
    const answer = await tell("Stop", id, { stop_hook_active: holding.has(id) })
    if (!answer.refusal) return void holding.delete(id)
    holding.add(id)
    await say(id, answer.refusal)
  })

  return {
    event: quietly(async ({ event }) => {
      const it = event.properties ?? {}
      if (event.id && seen.has(event.id)) return
      if (event.type === "session.created") {
        fresh.add(it.info.id)
        if (it.info.parentID) agents.set(it.info.id, { parent: it.info.parentID, type: it.info.agent ?? null })
      } else if (event.type === "message.part.updated") {
        const part = it.part
        if (part.type === "text" && part.time?.end) said.set(part.sessionID, part.text)
        if (part.type !== "tool" || part.state.status !== "error") return
        if (event.id) seen.add(event.id)
        const call = { tool_name: part.tool, tool_input: part.state.input, tool_use_id: part.callID }
        await tell("PostToolUseFailure", part.sessionID, { ...call, error: part.state.error })
      } else if (event.type === "session.idle" && !agents.has(it.sessionID)) {
        if (event.id) seen.add(event.id)
        const held = stop(it.sessionID)
        pending.add(held)
        await held.finally(() => pending.delete(held))
      }
    }),

    "chat.message": quietly(async (input, output) => {
      const id = input.sessionID
      manner.set(id, { agent: output.message.agent, model: output.message.model })
      const add = (text) => {
        if (!text) return
        const part = "prt_roz" + output.parts.length + Date.now().toString(36)
        output.parts.push({ id: part, sessionID: id, messageID: output.message.id, type: "text", text, synthetic: true })
      }
      if (agents.has(id)) {
        if (started.has(id)) return
        started.add(id)
        agents.get(id).type = input.agent ?? output.message.agent ?? agents.get(id).type
        return add((await tell("SubagentStart", id, {})).context)
      }
      if (!started.has(id)) {
        started.add(id)
        add((await tell("SessionStart", id, { source: fresh.has(id) ? "startup" : "resume" })).context)
      }
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!texts.length) return // our own words
      const prompt = texts.map((part) => part.text).join("\n").replace(/^"([^]*)"\n?$/, "$1")
      add((await tell("UserPromptSubmit", id, { prompt })).context)
    }),

    async "tool.execute.before"(input, output) {
      const call = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID }
      const answer = (await quietly(tell)("PreToolUse", input.sessionID, call)) ?? {}
      if (answer.refusal) throw new Error(answer.refusal)
      if (answer.input) Object.assign(output.args, answer.input) // the client keeps its own reference
    },

    "tool.execute.after": quietly(async (input, output) => {
      const child = input.tool === "task" ? output.metadata?.sessionId : undefined
      for (let round = 0; child && round < ROUNDS; round++) {
        const ended = await tell("SubagentStop", child, { stop_hook_active: round > 0 })
        if (!ended.refusal) break
        const text = await say(child, ended.refusal)
        output.output = output.output.replace(/<task_result>[^]*<\/task_result>/, () => `<task_result>\n${text}\n</task_result>`)
      }
      const of_server = Array.isArray(output.content) // an MCP tool's result has another form
      const { title, metadata } = output
      const call = { tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID }
      const tool_response = of_server ? { content: output.content } : { title, output: output.output, metadata }
      const answer = await tell("PostToolUse", input.sessionID, { ...call, tool_response })
      for (const text of [answer.refusal, answer.context].filter(Boolean)) {
        if (of_server) output.content.push({ type: "text", text })
        else output.output += "\n\n" + text
      }
    }),

    "shell.env": quietly(async (input, output) => {
      if (input.sessionID) output.env.ROZ_SESSION_ID = root(input.sessionID)
      if (shells) output.env.BASH_ENV = shells
    }),

    dispose: quietly(async () => {
      while (pending.size) await Promise.allSettled([...pending]) // `opencode run` leaves at the first idle
      for (const id of started) if (!agents.has(id)) await tell("SessionEnd", id, { reason: "other" })
    }),
  }
}
