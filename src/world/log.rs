//! Append-only files to which several processes add whole lines.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _},
    ops::Range,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use super::files::{self, Access, At as _, Result};

/// A log that is open for appending.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) file: File,
    path: PathBuf,
}

impl Log {
    /// Opens the log, or begins it, and gives `access` to it then.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let found = files::open_for(path, &mut options, access)?;
        let (file, _) = found.ok_or_else(|| io::Error::from(ErrorKind::NotFound)).at(path)?;
        Ok(Self { file, path: path.into() })
    }

    /// In bytes.
    pub(crate) fn len(&self) -> Result<u64> {
        Ok(self.file.metadata().at(&self.path)?.len())
    }

    /// The offset at which `add` writes: one further if the last line has no newline.
    pub(crate) fn end(&self) -> Result<u64> {
        let length = self.len()?;
        Ok(if self.is_open(length)? { length + 1 } else { length })
    }

    /// Whether the last line before `length` lacks its newline.
    fn is_open(&self, length: u64) -> Result<bool> {
        let mut last = [b'\n'];
        if length > 0 {
            self.file.read_exact_at(&mut last, length - 1).at(&self.path)?;
        }
        Ok(last != [b'\n'])
    }

    /// Appends `lines` in one write, so that parallel writers do not interleave on a local disk.
    /// After an error the file contains nothing of `lines`, unless others have added to it since.
    pub(crate) fn add(&self, lines: &[u8]) -> Result<()> {
        let before = self.len()?;
        let begun = if self.is_open(before)? { &b"\n"[..] } else { b"" };
        self.write(before, &[begun, lines].concat()).at(&self.path)
    }

    /// Returns once everything that was added is on the disk.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_data().at(&self.path)
    }

    fn write(&self, before: u64, text: &[u8]) -> io::Result<()> {
        let mut written = 0;
        while written < text.len() {
            match (&self.file).write(&text[written..]) {
                Ok(n) if n > 0 => written += n,
                Err(err) if err.kind() == ErrorKind::Interrupted => (),
                failed => {
                    // The disk may be full. Keep what others have added since.
                    let now = self.file.metadata().map_or(0, |metadata| metadata.len());
                    if written > 0 && now == before + written as u64 {
                        let _ = self.file.set_len(before);
                    }
                    return Err(failed.err().unwrap_or(ErrorKind::WriteZero.into()));
                }
            }
        }
        Ok(())
    }

    /// Truncates the file to `length` bytes.
    pub(crate) fn cut(&self, length: u64) -> Result<()> {
        self.file.set_len(length).at(&self.path)
    }

    /// At most the last `length` bytes.
    pub(crate) fn tail(&self, length: u64) -> Result<Vec<u8>> {
        tail(&self.file, length).at(&self.path)
    }
}

pub(crate) fn tail(file: &File, length: u64) -> io::Result<Vec<u8>> {
    let all = file.metadata()?.len();
    let length = length.min(all);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, all - length)?;
    Ok(bytes)
}

/// How reading ended.
#[derive(Debug)]
pub(crate) struct Read {
    /// Where the last whole line ends.
    pub(crate) end: u64,
    /// The bytes after that.
    pub(crate) rest: Vec<u8>,
}

/// Each line of a part of the file, without its end, a piece at a time. Of a line no more than about
/// `longest` bytes are held.
pub(crate) fn each_line(
    mut file: &File,
    part: Range<u64>,
    longest: usize,
    mut each: impl FnMut(&[u8]),
) -> io::Result<Read> {
    file.seek(SeekFrom::Start(part.start))?;
    let mut reader = BufReader::with_capacity(256 << 10, file.take(part.end - part.start));
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        let read = reader.by_ref().take(longest as u64).read_until(b'\n', line);
        read.map(|read| (read as u64, line.pop_if(|byte| *byte == b'\n').is_some()))
    };
    let (mut end, mut line, mut excess) = (part.start, Vec::new(), Vec::new());
    loop {
        let (mut length, mut is_whole) = next(&mut line)?;
        while !is_whole {
            let (more, is_end) = next(&mut excess)?;
            if more == 0 {
                return Ok(Read { end, rest: line });
            }
            length += more;
            is_whole = is_end;
        }
        each(&line);
        end += length;
    }
}
