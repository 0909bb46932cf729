//! The intent gate's ground: scopes before real files and links, and the
//! sidecar as it lies on the disk.

mod scope;
mod sidecar;
