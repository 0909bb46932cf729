//! Runs other programs with closed streams or our pipes, and kills them when their time is over.

#![expect(clippy::disallowed_methods, reason = "this is where processes are started")]

use std::{
    ffi::OsStr,
    io::{self, Write as _},
    os::{fd::AsFd, unix::process::CommandExt as _},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process_group},
};

/// How much of a program's output is kept, in bytes.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// The same for a program whose whole output is wanted.
const MAX_LONG_OUTPUT: usize = 1024 * 1024 * 1024;

#[derive(Debug)]
pub struct Ran {
    pub ok: bool,
    /// The exit code; `None` if a signal ended it.
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

/// A program that roz starts for its own purposes. Neither it nor the programs that it starts are
/// shims.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(path) = super::shim_start::own_path() {
        command.env("PATH", path);
    }
    command
}

/// Runs a program until it ends or its time is over: then it is killed with everything that it
/// started in its process group. Does not wait for background processes that keep its output open.
pub fn run(command: Command, until: Instant) -> Result<Ran, Error> {
    start(command, b"", MAX_OUTPUT, until)
}

/// As [`run`], with `input` on the program's standard input.
pub fn feed(command: Command, input: &[u8], until: Instant) -> Result<Ran, Error> {
    start(command, input, MAX_OUTPUT, until)
}

/// As [`feed`], for an output that may be as long as a repository's notes.
pub fn feed_for_all(command: Command, input: &[u8], until: Instant) -> Result<Ran, Error> {
    start(command, input, MAX_LONG_OUTPUT, until)
}

fn start(
    mut command: Command,
    input: &[u8],
    max_output: usize,
    until: Instant,
) -> Result<Ran, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    if Instant::now() >= until {
        return Err(Error::TimedOut(name));
    }
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|err| Error::Start(name.clone(), err))?;
    let heard = std::thread::scope(|scope| {
        // A program may stop reading early; if it is killed, the pipe closes and the write fails.
        let write = |mut stdin: ChildStdin| scope.spawn(move || stdin.write_all(input).ok());
        let writing = child.stdin.take().map(write);
        let heard = listen(&mut child, until, max_output);
        // Background processes may not read the input either.
        if heard.is_err() || writing.is_some_and(|writing| !writing.is_finished()) {
            kill(&mut child);
        }
        heard
    });
    let (stdout, stderr) = heard.map_err(|err| match err.kind() {
        io::ErrorKind::TimedOut => Error::TimedOut(name.clone()),
        _ => Error::Io(name.clone(), err),
    })?;
    let status = wait(&mut child, until).ok_or(Error::TimedOut(name))?;
    Ok(Ran { ok: status.success(), code: status.code(), stdout, stderr })
}

/// Reads both streams until the program has ended.
fn listen(child: &mut Child, until: Instant, max_output: usize) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const ROUND: Duration = Duration::from_millis(5);
    /// Two pipes hold no more than this. Whatever follows comes from background processes.
    const IN_PIPES: usize = 2 * 1024 * 1024;
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let fds = [out.as_fd(), err.as_fd()];
    let mut open = [true, true];
    let mut heard = [Vec::new(), Vec::new()];
    let mut chunk = [0; 16 * 1024];
    let mut since_its_end = 0;
    while open != [false, false] && since_its_end <= IN_PIPES {
        let is_over = child.try_wait()?.is_some();
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() && !is_over {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Once it has ended, its output is complete.
        let left = if is_over { Duration::ZERO } else { left.min(ROUND) };
        let which: Vec<usize> = (0..2).filter(|stream| open[*stream]).collect();
        let mut polled: Vec<PollFd> = which
            .iter()
            .map(|stream| PollFd::from_borrowed_fd(fds[*stream], PollFlags::IN))
            .collect();
        match poll(&mut polled, Some(&timespec(left))) {
            Ok(0) if is_over => break,
            // The loop condition checks the time.
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => (),
            Err(err) => return Err(err.into()),
        }
        let is_ready = |polled: &PollFd| !polled.revents().is_empty();
        for (at, _) in which.iter().zip(&polled).filter(|(_, polled)| is_ready(polled)) {
            let n = rustix::io::read(fds[*at], &mut chunk)?;
            open[*at] = n > 0;
            if heard[*at].len() < max_output {
                heard[*at].extend_from_slice(&chunk[..n]);
            }
            since_its_end += if is_over { n } else { 0 };
        }
    }
    let [stdout, stderr] = heard;
    Ok((stdout, stderr))
}

pub(super) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

/// How the program ended; if its time is over, it is killed and the result is `None`.
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
