//! What a hook runs stands together in the binary: the linker is told which
//! functions come first. See `benches/hot.py`.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to it by the environment")]

use std::{env, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=.cargo/hot.ld");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|it| it == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "musl") {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        let script = Path::new(&folder).join(".cargo/hot.ld");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{}", script.display());
        // Code and constants in one mapping from the file's beginning: what a hook runs and reads
        // lies in its first large page then (2 MiB), and is there after one fault instead of forty.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,noseparate-code");
    }
}
