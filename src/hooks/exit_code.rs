//! Reads a command's exit code from the transcript, for a client that does not report it.

use super::Input;
use crate::{
    clients::Capability,
    core::{event::What, tool::Tool},
    world::read_ending,
};

/// Bytes at the transcript's end that are searched.
const LAST: u64 = 1 << 20;

/// The exit code stays unknown if it is not found.
pub(super) fn look_up_exit_code(input: &mut Input) {
    let What::PostToolUse { call, succeeded } = &mut input.event.what else { return };
    let is_told = input.client.can(Capability::ExitCodes);
    let (Some(path), Some(id), Tool::Shell { .. }, false) =
        (&input.transcript_path, &call.tool_use_id, &call.tool, is_told)
    else {
        return;
    };
    let text = read_ending(path, LAST).unwrap_or_default();
    let mut lines = text.lines().rev();
    input.exit_code = lines.find_map(|line| input.client.recorded_exit_code(line, id));
    *succeeded &= input.exit_code.is_none_or(|code| code == 0);
}
