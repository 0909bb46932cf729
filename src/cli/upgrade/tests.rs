use super::*;

#[test]
fn the_command_follows_from_where_the_binary_is() {
    for (path, expected) in [
        ("/home/u/.cargo/bin/roz", "cargo install --locked roz"),
        ("/opt/homebrew/Cellar/roz/1.0/bin/roz", "brew upgrade roz"),
        ("/usr/lib/node_modules/roz/bin/roz", "npm update --global roz"),
        ("/home/u/.local/bin/roz", "git pull && ./install.sh"),
    ] {
        assert_eq!(way(Path::new(path)).1, expected, "{path}");
    }
}
