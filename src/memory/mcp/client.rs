//! A conversation with a server: starts it, calls its tools, and kills it.
//!
//! The protocol is implemented by `rmcp`, the official client library. The length of messages is
//! limited, so a server that never ends a line does not fill the memory.

use std::{borrow::Cow, process::Stdio, time::Duration};

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation},
    service::RunningService,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::{
    core::{bounded, policy::McpPolicy},
    memory::{Error, Result},
    world::{self, process},
};

/// An initialized connection to a server.
pub(super) struct Talk {
    client: RunningService<RoleClient, ClientConfig>,
}

/// Starts the server and has `say` talk to it, for at most `patience`. Afterwards the server and
/// everything that it started has ended, whatever the result.
pub(super) fn talk<T>(
    server: &McpPolicy,
    patience: Duration,
    say: impl AsyncFnOnce(&Talk) -> Result<T>,
) -> Result<T> {
    let failed = |what: String| Error::Server { what };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|err| failed(format!("cannot be waited for: {err}")))?;
    let told = runtime.block_on(async {
        let mut command = process::command(server.command.as_deref().unwrap_or_default());
        command.args(&server.args).envs(&server.env);
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        let mut child =
            command.spawn().map_err(|err| failed(format!("cannot be started: {err}")))?;
        let group = child.id();
        let streams = child.stdout.take().zip(child.stdin.take());
        let conversation = async {
            let Some(streams) = streams else { return Err(failed("has no streams".into())) };
            let hello = info().serve(streams).await;
            let client = hello.map_err(|err| {
                failed(format!("does not answer the handshake: {}", short(&world::in_a_line(&err))))
            })?;
            say(&Talk { client }).await
        };
        let told = tokio::time::timeout(patience, conversation).await;
        if let Some(pid) = group.and_then(|group| i32::try_from(group).ok()).and_then(Pid::from_raw)
        {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = child.kill().await;
        told.unwrap_or_else(|_| Err(failed(format!("did not answer within {patience:?}"))))
    });
    // Tasks that are still reading or writing are not needed any more.
    runtime.shutdown_background();
    told
}

impl Talk {
    /// The tool's answer, parsed if it is JSON.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Value> {
        let failed = |what: String| Error::Server { what: format!("fails at `{tool}`: {what}") };
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            other => return Err(failed(format!("{other} is not an object"))),
        };
        let params =
            CallToolRequestParams::new(Cow::Owned(tool.to_owned())).with_arguments(arguments);
        let answer = self.client.call_tool(params).await;
        let answer = answer.map_err(|err| failed(short(&world::in_a_line(&err))))?;
        let texts = answer.content.iter().filter_map(|block| block.as_text());
        let text = texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
        if answer.is_error == Some(true) {
            return Err(failed(short(&text)));
        }
        let structured = answer.structured_content.filter(|value| !value.is_null());
        Ok(structured.or_else(|| serde_json::from_str(&text).ok()).unwrap_or(Value::String(text)))
    }

    /// The names of its tools.
    pub(super) async fn tools(&self) -> Result<Vec<String>> {
        let tools = self.client.list_all_tools().await.map_err(|err| Error::Server {
            what: format!("does not name its tools: {}", short(&world::in_a_line(&err))),
        })?;
        Ok(tools.into_iter().map(|tool| tool.name.into_owned()).collect())
    }
}

fn info() -> ClientConfig {
    let roz = Implementation::new("roz", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(ClientCapabilities::default(), roz)
}

/// A message of another program, shortened to fit a line of ours.
fn short(text: &str) -> String {
    bounded::plain_line(&bounded::line(text, 300))
}
