//! Learnings for a bench to be found: many, and made of words that nobody uses.

use std::fmt::Write as _;

/// Learnings as `roz reflect` writes them, about seven hundred things in as many
/// words as a project would have.
pub(crate) fn learnings(count: u64) -> String {
    let mut text = "# Learnings\n".to_owned();
    // Old ones that nobody refers to are archived.
    let written = chrono::Utc::now().to_rfc3339();
    for number in 0..count {
        let mark = format!("{number:06}");
        let topic = number % 700;
        let of = |at: u64| word(topic * 7 + at);
        let filler = |at: u64| word(10_000 + (number * 31 + at * 17) % 3000);
        let detail: Vec<String> =
            (0..22).map(|at| if at % 6 == 0 { of(at / 6) } else { filler(at) }).collect();
        let _ = write!(
            text,
            "\n## {} {} {} when {} is {} ^cl_20260102_{mark}\n\
             - **Status:** active ^{mark}\n\
             - **Category:** pitfall ^{mark}\n\
             - **Scope:** project ^{mark}\n\
             - **Confidence:** medium ^{mark}\n\
             - **Criteria:** behavior_changing ^{mark}\n\
             - **Tags:** {}, {} ^{mark}\n\
             - **Files:** src/{}/{}.rs ^{mark}\n\
             - **Session:** s{} ^{mark}\n\
             > {}. ^{mark}\n\
             - **Written:** {written} by roz 0.1.0 ^{mark}\n",
            of(0),
            filler(1),
            of(1),
            of(2),
            filler(2),
            of(0),
            of(3),
            of(0),
            filler(3),
            number / 3,
            detail.join(" "),
        );
    }
    text
}

/// A word of its own for each number.
pub(crate) fn word(number: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
        "va",
    ];
    // Odd, so that no two numbers below 2^16 give one.
    let mixed = (number * 40_503) % 65_536;
    (0..4).map(|at| SYLLABLES[(mixed >> (4 * at)) as usize % 16]).collect::<String>() + "k"
}
