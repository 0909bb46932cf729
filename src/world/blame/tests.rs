use super::*;

#[test]
fn each_line_has_the_commit_that_was_named_before_it() {
    let (one, none) = ("a".repeat(40), "0".repeat(40));
    let text = format!(
        "{one} 1 1 1\nauthor Dev\ncommitter-time 100\nsummary first\nfilename old.rs\n\tone\n\
         {none} 2 2 1\nauthor Not Committed Yet\nfilename new.rs\n\ttwo\n{one} 2 3\n\tthree\n"
    );
    let origins = parse(&text);
    let at: Vec<usize> = origins.iter().flatten().map(|origin| origin.line).collect();
    assert_eq!(at, [1, 2]);
    let lines: Vec<Option<Commit>> =
        origins.into_iter().map(|origin| Some(origin?.commit)).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0].as_ref().map(|line| line.file.as_str()), Some("old.rs"));
    assert_eq!(lines[1], None);
    assert_eq!(lines[0], lines[2]);
    for text in ["", "\t", "x\n\tx", "\u{e9} 1\n\t\n"] {
        parse(text);
    }
}
