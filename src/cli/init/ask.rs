//! The questions of `roz init`, one for each gate.

use std::io::{self, BufRead, Write};

use super::{Found, Wants};

/// Asks until each question is answered; none if the answers end before: who
/// goes away wants nothing of it.
pub(super) fn wants(
    found: &Found,
    answers: &mut impl BufRead,
    questions: &mut impl Write,
) -> io::Result<Option<Wants>> {
    let told = found.told();
    if !told.is_empty() {
        write!(questions, "Here is:\n{told}\n")?;
    }
    let mut ask = |question: &str, default: bool| -> io::Result<Option<bool>> {
        loop {
            write!(questions, "{question} [{}] ", if default { "Y/n" } else { "y/N" })?;
            questions.flush()?;
            let mut line = String::new();
            if answers.read_line(&mut line)? == 0 {
                writeln!(questions)?;
                return Ok(None);
            }
            match line.trim().to_lowercase().as_str() {
                "" => return Ok(Some(default)),
                "y" | "yes" => return Ok(Some(true)),
                "n" | "no" => return Ok(Some(false)),
                _ => writeln!(questions, "Please answer y or n.")?,
            }
        }
    };
    let review = "Hold `git push` and closing tickets until a reviewer has approved?";
    let Some(review) = ask(review, true)? else { return Ok(None) };
    let reflection = "Have agents write down what they learned before a ticket closes?";
    let Some(reflection) = ask(reflection, true)? else { return Ok(None) };
    let intent = "Have agents declare what they are at, and keep them in its scope?";
    let Some(intent) = ask(intent, false)? else { return Ok(None) };
    let mut import = false;
    if found.has_older_learnings {
        let Some(answer) = ask("Copy the learnings that lie in `.grove/`?", true)? else {
            return Ok(None);
        };
        import = answer;
    }
    Ok(Some(Wants { review, reflection, intent, import }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(found: &Found, answers: &str) -> (Wants, String) {
        let mut questions = Vec::new();
        let wants = wants(found, &mut answers.as_bytes(), &mut questions).unwrap().unwrap();
        (wants, String::from_utf8(questions).unwrap())
    }

    #[test]
    fn enter_takes_what_is_proposed_and_an_end_ends_it() {
        let (all, told) = asked(&Found::default(), "\n\n\n");
        assert_eq!(
            (all.review, all.reflection, all.intent, all.import),
            (true, true, false, false)
        );
        assert!(told.starts_with("Hold `git push`"), "{told}");
        for answers in ["", "y\n", "y\ny\n", "n\ny"] {
            let ended = wants(&Found::default(), &mut answers.as_bytes(), &mut Vec::new());
            assert_eq!(ended.unwrap(), None, "{answers:?}");
        }
    }

    #[test]
    fn an_answer_that_is_none_is_asked_for_again() {
        let (wants, told) = asked(&Found::default(), "perhaps\nN\nYES\ny\n");
        assert_eq!((wants.review, wants.reflection, wants.intent), (false, true, true));
        assert!(told.contains("Please answer y or n."), "{told}");
    }

    #[test]
    fn what_is_here_is_told_first_and_older_learnings_are_asked_for() {
        let found = Found {
            systems: vec!["tissue".to_owned()],
            tests: vec!["cargo test"],
            has_older_learnings: true,
            ..Found::default()
        };
        let (wants, told) = asked(&found, "\n\n\n\n");
        assert!(wants.import);
        assert!(told.starts_with("Here is:\n  tickets     tissue\n  tests       cargo test\n"));
    }
}
