use super::*;

#[test]
fn folders_of_shims_are_known_by_their_names() {
    let path = "/h/.roz/shims/0123456789abcdef:/usr/bin:/h/.pyenv/shims:/x/shims/0123456789abcdef/";
    assert_eq!(without_folders(path).as_deref(), Some("/usr/bin:/h/.pyenv/shims"));
    for path in ["/usr/bin::/bin", "/h/.pyenv/shims:/bin", "/x/shims/0123:/bin", ""] {
        assert_eq!(without_folders(path), None, "{path}");
    }
}
