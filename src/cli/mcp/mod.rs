//! `roz mcp`: an MCP server with the intents as tools, which the client starts. `rmcp` implements
//! the protocol; [`tools`] has the tools.
//!
//! The server does not know which session calls it: the hooks for its tools record what is
//! selected.

mod tools;

use std::{panic, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::{RequestContext, ServerInitializeError},
};
use serde_json::Value;

use self::tools::TOOLS;
use super::Done;
use crate::world::{World, in_a_line};

/// Serve the intents as MCP tools (the client runs it)
///
/// `roz init --intent` adds it to a project's `.mcp.json`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve a reviewer's decision instead: for a client whose events do not say which agent acts
    #[arg(long)]
    reviewer: bool,
}

struct Server {
    tools: &'static [tools::Tool],
    instructions: &'static str,
}

const INTENTS: Server = Server {
    tools: TOOLS,
    instructions: "This project declares what is worked on. Before you change anything, call \
                   select_active_intent with the id of the intent that you are working on, and stay \
                   inside its scope.",
};

const REVIEWER: Server =
    Server { tools: tools::REVIEWER, instructions: "A review ends with the tool `decide`." };

pub(super) fn run(args: &Args, _: &World) -> super::Result {
    // The client does not show stderr.
    panic::set_hook(Box::new(|info| {
        super::hook::log_crash("mcp", info.payload_as_str().unwrap_or("no words"));
    }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|err| format!("failed to start the server: {err}"))?;
    let served = runtime.block_on(async {
        let tools = if args.reviewer { REVIEWER } else { INTENTS };
        match tools.serve(rmcp::transport::stdio()).await {
            Ok(served) => {
                let _ = served.waiting().await;
                Ok(Done::Well)
            }
            // The client closed the connection.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(Done::Well),
            Err(err) => {
                let why = in_a_line(&err);
                Err(format!("the client did not begin as MCP requires: {why}").into())
            }
        }
    });
    // Tasks that are still reading or writing are not needed any more.
    runtime.shutdown_background();
    served
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("roz", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |item: &tools::Tool| {
            let schema = item.schema().as_object().cloned().unwrap_or_default();
            let hints = ToolAnnotations::from_raw(
                None,
                Some(item.only_reads),
                Some(false),
                Some(true),
                Some(false),
            );
            Tool::new(item.name, item.about, Arc::new(schema)).with_annotations(hints)
        };
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        };
        // Each call has its own time; the server may run for days.
        let world = World::from_env();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = |text: String| vec![ContentBlock::text(text)];
        let result = match tool.run(&arguments, &world) {
            Ok(Done::Said(value, ..)) if tool.only_reads => CallToolResult::structured(value),
            Ok(Done::Said(_, words, _)) => CallToolResult::success(text(words.trim_end().into())),
            Ok(Done::Well) => CallToolResult::success(Vec::new()),
            Err(why) => CallToolResult::error(text(why)),
        };
        Ok(result.into())
    }
}
