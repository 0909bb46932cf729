//! The yardstick of `benches/hook.rs`: the least that any hook has to do. It reads the client's JSON
//! and answers that it has no objection.

use std::io::{Read as _, Write as _};

fn main() -> std::io::Result<()> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let payload: serde_json::Value = serde_json::from_str(&input)?;
    assert!(payload.is_object(), "a hook's input is an object");
    std::io::stdout().write_all(b"{}\n")
}
