//! Other programs: started with closed streams or pipes of ours, and gone when their time is over.

#![expect(clippy::disallowed_methods, reason = "this is where processes are started")]

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    os::{fd::AsFd, unix::process::CommandExt as _},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process_group},
};

/// What a program printed at the most is kept.
pub(super) const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// The same of a program that is asked for all that it has.
const MAX_LONG_OUTPUT: usize = 1024 * 1024 * 1024;

#[derive(Debug)]
pub struct Ran {
    pub ok: bool,
    /// None: a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to start `{0}`")]
    Start(String, #[source] io::Error),
    #[error("`{0}` did not end in time")]
    TimedOut(String),
    #[error("failed to hear from `{0}`")]
    Io(String, #[source] io::Error),
}

/// A program that roz starts for itself: never a shim, and neither is what it starts.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(path) = super::shims::own_path() {
        command.env("PATH", path);
    }
    command
}

/// Runs a program to its end, or to the end of its time: then it is killed with everything that it
/// started in its process group.
pub fn run(mut command: Command, until: Instant) -> Result<Ran, Error> {
    command.stdin(Stdio::null());
    start(command, until, |child, until| listen(child, until, For::TheirEnds, MAX_OUTPUT))
}

/// As [`run`], and no longer than the program itself: what it has started and left behind with its
/// output open is not waited for.
pub fn run_alone(mut command: Command, until: Instant) -> Result<Ran, Error> {
    command.stdin(Stdio::null());
    start(command, until, |child, until| listen(child, until, For::ItsEnd, MAX_OUTPUT))
}

/// As [`run`], with `input` on the program's standard input.
pub fn feed(command: Command, input: &[u8], until: Instant) -> Result<Ran, Error> {
    feed_for(command, input, until, MAX_OUTPUT)
}

/// As [`feed`], for an output that may be as long as a repository's notes.
pub fn feed_for_all(command: Command, input: &[u8], until: Instant) -> Result<Ran, Error> {
    feed_for(command, input, until, MAX_LONG_OUTPUT)
}

fn feed_for(
    mut command: Command,
    input: &[u8],
    until: Instant,
    max_output: usize,
) -> Result<Ran, Error> {
    command.stdin(Stdio::piped());
    start(command, until, |child, until| {
        let stdin = child.stdin.take();
        std::thread::scope(|scope| {
            // A program that does not read to the end has its reasons; one that is killed closes
            // its end, and the writing fails.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            let heard = listen(child, until, For::TheirEnds, max_output);
            if heard.is_err() {
                kill(child);
            }
            heard
        })
    })
}

type Heard = io::Result<(Vec<u8>, Vec<u8>)>;

fn start(
    mut command: Command,
    until: Instant,
    listen: impl FnOnce(&mut Child, Instant) -> Heard,
) -> Result<Ran, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    if Instant::now() >= until {
        return Err(Error::TimedOut(name));
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|err| Error::Start(name.clone(), err))?;
    match listen(&mut child, until) {
        Ok((stdout, stderr)) => {
            let status = wait(&mut child, until).ok_or_else(|| Error::TimedOut(name.clone()))?;
            Ok(Ran { ok: status.success(), code: status.code(), stdout, stderr })
        }
        Err(err) => {
            kill(&mut child);
            match err.kind() {
                io::ErrorKind::TimedOut => Err(Error::TimedOut(name)),
                _ => Err(Error::Io(name, err)),
            }
        }
    }
}

/// How long is listened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    /// The streams': whoever holds them.
    TheirEnds,
    /// The program's.
    ItsEnd,
}

/// Both streams.
fn listen(child: &mut Child, until: Instant, how_long: For, max_output: usize) -> Heard {
    const ROUND: Duration = Duration::from_millis(5);
    /// No more than that is in a pipe: what comes behind it, others say.
    const IN_A_PIPE: usize = 1024 * 1024;
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let mut open = [true, true];
    let mut heard = [Vec::new(), Vec::new()];
    let mut chunk = [0; 16 * 1024];
    let mut is_over = false;
    let mut since_its_end = 0;
    while open != [false, false] {
        // Somebody who never stops talking keeps nobody from looking at the clock.
        if how_long == For::ItsEnd && !is_over {
            is_over = child.try_wait()?.is_some();
        }
        if is_over && since_its_end > 2 * IN_A_PIPE {
            break;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            if is_over {
                break;
            }
            return Err(io::ErrorKind::TimedOut.into());
        }
        let fds = [out.as_fd(), err.as_fd()];
        let which: Vec<usize> = (0..2).filter(|stream| open[*stream]).collect();
        let mut polled: Vec<PollFd> = which
            .iter()
            .map(|stream| PollFd::from_borrowed_fd(fds[*stream], PollFlags::IN))
            .collect();
        // What it has said is there when it has ended.
        let left = match how_long {
            For::TheirEnds => left,
            For::ItsEnd if is_over => Duration::ZERO,
            For::ItsEnd => left.min(ROUND),
        };
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) if is_over => break,
            // Whether there is time left is looked at above.
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => (),
            Err(err) => return Err(err.into()),
        }
        let ready: Vec<usize> = which
            .iter()
            .zip(&polled)
            .filter(|(_, polled)| !polled.revents().is_empty())
            .map(|(stream, _)| *stream)
            .collect();
        for at in ready {
            let n = rustix::io::read(fds[at], &mut chunk)?;
            if n == 0 {
                open[at] = false;
            } else if heard[at].len() < max_output {
                heard[at].extend_from_slice(&chunk[..n]);
            }
            if is_over {
                since_its_end += n;
            }
        }
    }
    let [stdout, stderr] = heard;
    Ok((stdout, stderr))
}

/// How the program ended; `None` and dead if its time is over.
fn wait(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_micros(200)),
            Ok(None) | Err(_) => {
                kill(child);
                return None;
            }
        }
    }
}

fn kill(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests;
