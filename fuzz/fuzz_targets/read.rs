//! Whatever the bytes: an answer, soon, and the same one each time.

#![no_main]

use libfuzzer_sys::fuzz_target;
use roz::shell;
use std::hint::black_box;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let reading = shell::read(&text);
    for key in reading.keys() {
        assert!(key.starts_with("Bash:"));
        black_box(shell::may_match("Bash:git push*", &key));
    }
    assert_eq!(reading, shell::read(&text));
    black_box(shell::raw_words(&text));
    // The same as code of another language.
    let program = ["python3 -c", "node -e", "perl -e", "ruby -e", "awk", "php -r"][bytes.len() % 6];
    black_box(shell::read(&format!("{program} '{}'", text.replace('\'', "'\\''"))));
});
