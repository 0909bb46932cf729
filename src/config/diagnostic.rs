//! A problem in a configuration: where it is and what to do about it.

use std::{fmt, path::Path};

use serde::{Deserialize, Serialize};

/// Displays as one line: `…/config.toml:3: what is wrong; what to do`. As JSON `{"file", "line",
/// "variable", "problem", "remedy"}`; what does not apply is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    #[serde(flatten)]
    pub place: Place,
    pub problem: String,
    pub remedy: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub(super) file: Option<String>,
    /// From 1; `None` for the whole file.
    pub(super) line: Option<usize>,
    pub(super) variable: Option<String>,
}

impl Place {
    pub fn file(path: &Path, line: Option<usize>) -> Self {
        Self { file: Some(path.to_string_lossy().into_owned()), line, variable: None }
    }

    pub fn variable(name: &str) -> Self {
        Self { variable: Some(name.to_owned()), ..Self::default() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.variable {
            return write!(f, "the variable {name}");
        }
        write!(f, "{}", self.file.as_deref().unwrap_or_default().escape_debug())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// For messages: short, on one line, without control characters.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

/// The candidate that `name` is a misspelling of, if it looks like one.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    let far = |text: &str| strsim::osa_distance(&name, &text.to_lowercase());
    let (distance, candidate) =
        candidates.into_iter().map(|candidate| (far(candidate), candidate)).min()?;
    (distance <= candidate.len().div_ceil(3)).then_some(candidate)
}

/// `a`, `b` or `c`.
pub(super) fn alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<_> = words.into_iter().map(quoted).collect();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
