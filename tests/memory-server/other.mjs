// A memory server with tools of its own, on the protocol's own library: keeps
// learnings in the file that its argument names.
import fs from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const path = process.argv[2];
const load = () => (fs.existsSync(path) ? JSON.parse(fs.readFileSync(path, "utf8")) : []);
const save = (all) => fs.writeFileSync(path, JSON.stringify(all));
const text = (it) => JSON.stringify(it).toLowerCase();

const tools = {
    keep(it) {
        const all = load();
        if (all.some((other) => other.id === it.id)) throw new Error(`exists: ${it.id}`);
        save([...all, it]);
        return "kept";
    },
    list: () => load(),
    find: ({ query, limit }) => ({
        found: load()
            .filter((it) => query.toLowerCase().split(/\s+/).some((word) => text(it).includes(word)))
            .slice(0, limit),
    }),
    set_status({ id, status }) {
        const all = load();
        const it = all.find((other) => other.id === id);
        if (!it) throw new Error(`no such: ${id}`);
        it.status = status;
        save(all);
        return "done";
    },
};

const server = new Server({ name: "other", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
        const answer = tools[params.name](params.arguments ?? {});
        return { content: [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }] };
    } catch (err) {
        return { isError: true, content: [{ type: "text", text: String(err) }] };
    }
});
await server.connect(new StdioServerTransport());
