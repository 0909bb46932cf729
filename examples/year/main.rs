//! A simulated year: `cargo run --release --example year [SEED]`.
//!
//! Useful learnings keep coming, useless ones sink, and the hit rate rises.

#![expect(clippy::print_stdout, reason = "it prints what came out")]

mod model;

fn main() {
    let seed = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(1);
    println!("seed {seed}\n");
    println!(
        "{:>5} {:>9} {:>9} {:>6} {:>10} {:>8} {:>8} {:>8} {:>8}",
        "month",
        "sessions",
        "learnings",
        "shown",
        "opened",
        "hit rate",
        "useful",
        "useless",
        "starved"
    );
    let months = model::year(seed);
    let number = (1..).map(|it: u32| it.to_string());
    let quarters = [("first", &months[..3]), ("last", &months[9..])];
    let quarters = quarters.map(|(name, it)| (name.to_owned(), model::sum(it)));
    for (number, it) in number.zip(months.iter().copied()).chain(quarters) {
        println!(
            "{number:>5} {:>9} {:>9} {:>6} {:>10} {:>7.0}% {:>7.0}% {:>7.0}% {:>8}",
            it.sessions,
            it.learnings,
            it.shown,
            it.opened,
            it.hit_rate() * 100.0,
            it.useful_share() * 100.0,
            it.useless_share() * 100.0,
            format!("{}/{}", it.starved, it.wanted),
        );
    }
    println!(
        "\nfirst, last: three months each. useful, useless: of what was shown. starved: useful learnings whose topic came up five\n\
         times or more in the month and that were not shown once, of all such."
    );
}
