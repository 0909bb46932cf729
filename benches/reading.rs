//! What a reading costs: over the corpus, over lines as agents write them, and over the worst that
//! the limits let through. Prints the least, the median and the worst, and at the end what of all
//! came nearest to the bar, or went beyond it; asserts nothing.

use roz::shell;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a line of 64 KiB may take.
const BAR: Duration = Duration::from_millis(5);

/// Arguments pick the lines whose names hold one of them.
fn main() {
    let picked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_picked = |name: &str| picked.is_empty() || picked.iter().any(|pick| name.contains(pick));
    if is_picked("corpus") {
        corpus();
    }
    let mut worst_of_all: Option<(Duration, &str)> = None;
    let typical = [("300 characters", typical(), 10_000), ("a commit", commit(), 10_000)];
    let worst = worst().into_iter().map(|(name, line)| (name, line, 20));
    for (name, line, rounds) in typical.into_iter().chain(worst) {
        if is_picked(name) {
            let times = times(&line, rounds);
            report(name, line.len(), &times);
            let least = for_64_kib(times[0], line.len());
            if worst_of_all.is_none_or(|(most, _)| least > most) {
                worst_of_all = Some((least, name));
            }
        }
    }
    if let Some((most, name)) = worst_of_all {
        verdict(most, name);
    }
}

/// Of a longer line the part that the bar is for.
fn for_64_kib(time: Duration, bytes: usize) -> Duration {
    const MEANT: f64 = 64.0 * 1024.0;
    #[expect(clippy::cast_precision_loss, reason = "at most a megabyte")]
    let longer = (bytes as f64 / MEANT).max(1.0);
    time.div_f64(longer)
}

/// By the least of each: what others on the machine take is nobody's fault.
#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn verdict(most: Duration, name: &str) {
    let is = if most <= BAR { "within" } else { "beyond" };
    println!("\nworst of all for 64 KiB: {name}, {most:.1?}, {is} the bar of {BAR:?}");
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn report(name: &str, bytes: usize, times: &[Duration]) {
    let median = times[times.len() / 2];
    // On a machine that others share, the least is what the reading itself costs.
    let (least, worst) = (times[0], times[times.len() - 1]);
    println!(
        "{name:<40} {bytes:>8} bytes   least {least:>10.1?}   median {median:>10.1?}   worst {worst:>10.1?}"
    );
}

/// Sorted.
fn times(line: &str, rounds: usize) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            black_box(shell::read(black_box(line)).keys());
            begun.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn corpus() {
    let lines = include_str!("../tests/it/commands/runs.tsv")
        .lines()
        .filter(|row| !row.starts_with('#'))
        .filter_map(|row| row.split('\t').next())
        .map(|cell| cell.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\"));
    let mut each: Vec<Duration> = lines.map(|line| times(&line, 20)[10]).collect();
    each.sort();
    report("the corpus, a line", 0, &each);
}

fn typical() -> String {
    "cd /home/u/project && git add -A && git commit -m \"fix: close the reader before it is dropped\" \
     && cargo test --workspace 2>&1 | tail -n 20; for f in src/a.rs src/b.rs; do grep -n 'TODO' \"$f\" \
     | head -5; done; if [ -f Cargo.lock ]; then echo \"locked: $(wc -l < Cargo.lock)\"; fi > /tmp/out.txt"
        .to_owned()
}

fn commit() -> String {
    "git commit -m \"$(cat <<'EOF'\nfix: don't lose (the) `last` line\n\nCo-Authored-By: A <a@b.c>\nEOF\n)\" && git status"
        .to_owned()
}

/// Code as people write it.
const MODULE: &str = "function pick(list, name) {\n  const found = list.filter((it) => it.name === name);\n\
     \x20 if (found.length === 0) {\n    throw new Error(`no ${name} in ${list.length}`);\n  }\n\
     \x20 return found.map((it) => ({ ...it, at: it.line + 1, text: it.text.trim() }));\n}\n";

/// Functions each of which calls the one before.
fn functions() -> String {
    let mut all = "def f0(a):\n  return a\n".to_owned();
    for n in 1..10 {
        let before = n - 1;
        let text = format!("def f{n}(a):\n  b = f{before}(a)\n  return [b, f{before}(b)]\n");
        all.push_str(&text);
    }
    all
}

/// What costs most for its length.
fn worst() -> Vec<(&'static str, String)> {
    let fill = |text: &str| text.repeat(64 * 1024 / text.len());
    // The same with another name each time, in the place of `#`.
    let each = |text: &str| {
        let mut all = String::new();
        for n in 0.. {
            let one = text.replace('#', &n.to_string());
            if all.len() + one.len() > 64 * 1024 {
                break;
            }
            all.push_str(&one);
        }
        all
    };
    vec![
        ("64 KiB of copies", fill("cp a b;")),
        ("64 KiB of copies of many", each("cp a# b#;")),
        ("64 KiB of moves", fill("mv a b;")),
        ("64 KiB of moves of many", each("mv a# b#;")),
        ("64 KiB of links", fill("ln a b;")),
        ("64 KiB of symbolic links", fill("ln -s a b;")),
        ("64 KiB of scripts", each("bash s#.sh;")),
        ("64 KiB of scripts written and run", each("echo a>s#;sh s#;")),
        ("64 KiB of a script's arguments", each("bash s.sh #;")),
        ("64 KiB of sources", each(". f#;")),
        ("64 KiB of programs", each("./s#;")),
        ("64 KiB of replacements", fill("${x//a/b} ")),
        ("64 KiB of appends alone", fill(">> f;")),
        ("64 KiB of appends to many", each("echo a>>f#;")),
        ("64 KiB of files removed", format!("rm {}", each("f# "))),
        ("64 KiB of removals", each("rm f#;")),
        ("64 KiB of modes", each("chmod +x f#;")),
        ("64 KiB of patterns", format!("rm {}", fill("* "))),
        ("64 KiB of an array", format!("x=({})", fill("a "))),
        ("64 KiB of an array that grows", fill("x+=(a);")),
        ("64 KiB of elements", each("x[#]=a;")),
        ("64 KiB of an array's uses", format!("x=({});{}", "a ".repeat(9000), fill("a ${x[@]};"))),
        ("64 KiB of a text that grows", fill("x+=a;")),
        ("64 KiB of a chain of assignments", fill("x=$x&&") + "a"),
        ("64 KiB of many variables", each("x#=a;")),
        ("64 KiB of split words", format!("IFS=,;x=a,b,c;{}", fill("$x "))),
        ("64 KiB of git", each("git -C d# st;")),
        ("64 KiB of git's settings", fill("git -c a=b c;")),
        ("64 KiB of env", fill("env a=b c;")),
        ("64 KiB of searches", fill("find . -delete;")),
        ("64 KiB of searches into xargs", fill("find .|xargs rm;")),
        ("64 KiB of backticks", fill("`a`")),
        ("64 KiB of pushd", fill("pushd a;")),
        ("64 KiB of unclosed copies", fill("cp a b;") + "'"),
        ("64 KiB of a word", fill("a")),
        ("64 KiB of commands", fill("a;")),
        ("64 KiB of real commands", fill("git status -s && grep -n x f | head -5\n")),
        ("64 KiB of words", fill("a ")),
        ("64 KiB of assignments", fill("x=$x;")),
        ("64 KiB of assignments that grow", fill("x=$x$x;")),
        ("64 KiB of quotes", fill("'a'\"b\"")),
        ("64 KiB of substitutions", fill("$(a)")),
        ("64 KiB of subshells", fill("(a);")),
        ("64 KiB of branches", fill("if a;then x=b;fi;")),
        ("64 KiB of loops", fill("for x in a b;do x=$x;done;")),
        ("64 KiB of braces", fill("{a,b} ")),
        ("64 KiB of braces in a word", fill("{a,b}")),
        ("64 KiB of here-documents", fill("cat <<E\n$x\nE\n")),
        ("64 KiB of sudo", fill("sudo ")),
        ("64 KiB of functions", fill("f(){ f;};f;")),
        ("64 KiB of eval", fill("eval 'a b';")),
        ("64 KiB of bash -c", fill("bash -c 'a b';")),
        ("64 KiB of echo into sh", fill("echo a|sh;")),
        (
            "64 KiB of choices",
            format!("for x in a b c d;do for y in 1 2 3 4;do {} done;done", fill("$x$y;")),
        ),
        ("64 KiB of python", format!("python3 -c '{}'", fill("os.system(\"a\");"))),
        ("64 KiB of python brackets", format!("python3 -c '{}'", fill("f("))),
        ("64 KiB of python names", format!("python3 -c '{}'", each("a#=1;a#;"))),
        ("64 KiB of perl here-documents", format!("perl -e '{}'", fill("<<A;\n"))),
        ("64 KiB of perl here-documents on a line", format!("perl -e '{}'", fill("<<A."))),
        ("64 KiB of base64", format!("echo {} | base64 -d | sh", fill("YTti"))),
        ("64 KiB of variables", fill("$a$b ")),
        ("64 KiB of cuts", format!("x={};{}", "a".repeat(4000), fill("${x%b*};"))),
        (
            "64 KiB of arithmetic on a long text",
            format!("x={}1;{}", "1+".repeat(16_000), fill("((x));").split_off(32_004)),
        ),
        ("64 KiB of cd", fill("cd a;")),
        ("64 KiB of appends", fill("echo a>>f;")),
        ("64 KiB of case", fill("case $x in a)b;;esac;")),
        ("64 KiB of sed", format!("sed '{}'", fill("s/a/b/;"))),
        ("64 KiB of python names again", format!("python3 -c '{}'", fill("a=1;a=2;"))),
        ("64 KiB of calls of functions", format!("python3 -c '{}{}'", functions(), fill("f9(1);"))),
        ("64 KiB of node", format!("node -e '{}'", fill(MODULE))),
        // A shorter line may be walked as far.
        ("30 KiB of links", fill("ln a b;").split_off(34 * 1024)),
        ("30 KiB of git", each("git -C d# st;").split_off(34 * 1024)),
        ("8 KiB of links", fill("ln a b;").split_off(56 * 1024)),
        ("100,000 parentheses", "(".repeat(100_000)),
        ("100,000 substitutions", "$(".repeat(100_000)),
        ("4,000 stages", "cat | ".repeat(3_999) + "git push"),
        ("1 MB of a's", "a".repeat(1_000_000)),
        ("64 KiB of raw words", fill("a 'b ")),
    ]
}
