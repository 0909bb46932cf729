use rustix::process::getpgid;

use super::*;

#[test]
fn a_program_is_fed_more_than_a_pipe_holds() {
    let input = vec![b'x'; 1 << 20];
    let ran = feed(command("cat"), &input, Instant::now() + Duration::from_secs(20)).unwrap();
    assert!(ran.ok && ran.stdout == input);
}

#[test]
fn what_a_program_leaves_behind_is_not_waited_for() {
    let mut sh = command("sh");
    sh.args(["-c", "sleep 20 & echo said; exit 3"]);
    let until = Instant::now() + Duration::from_secs(10);
    let ran = run(sh, until).unwrap();
    assert_eq!((ran.ok, ran.code, &*ran.stdout), (false, Some(3), &b"said\n"[..]));
    assert!(Instant::now() < until);
}

#[test]
fn what_is_left_behind_and_never_stops_talking_is_not_listened_to() {
    let talks = |line: &str| {
        let mut sh = command("sh");
        sh.args(["-c", line]);
        sh
    };
    let until = Instant::now() + Duration::from_secs(30);
    let ran = run(talks("yes & echo $! >&2; exit 3"), until).unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).trim().parse().ok();
    kill_process_group(getpgid(said.and_then(Pid::from_raw)).unwrap(), Signal::KILL).unwrap();
    assert_eq!(ran.code, Some(3));
    assert!(Instant::now() < until);
    // Nor beyond the time.
    let until = Instant::now() + Duration::from_millis(50);
    let ran = run(talks("yes & yes"), until);
    assert!(matches!(ran, Err(Error::TimedOut(_))));
}

#[test]
fn what_is_left_behind_and_does_not_eat_is_not_waited_for() {
    let mut sh = command("sh");
    sh.args(["-c", "exec 3<&0; sleep 20 <&3 & exit 0"]);
    let until = Instant::now() + Duration::from_secs(10);
    assert!(feed(sh, &vec![b'x'; 1 << 20], until).unwrap().ok);
    assert!(Instant::now() < until);
}

#[test]
fn nothing_is_started_once_the_time_is_over() {
    let ran = run(command("roz-no-such-program"), Instant::now());
    assert!(matches!(ran, Err(Error::TimedOut(_))), "{ran:?}");
}

#[test]
fn a_program_that_does_not_eat_is_not_waited_for() {
    let mut sleep = command("sleep");
    sleep.arg("20");
    let until = Instant::now() + Duration::from_millis(50);
    let ran = feed(sleep, &vec![b'x'; 1 << 20], until);
    assert!(matches!(ran, Err(Error::TimedOut(_))), "{ran:?}");
    assert!(Instant::now() < until + Duration::from_secs(10));
}
