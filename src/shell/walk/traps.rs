//! The traps that are set: `trap 'code' EXIT`.

#[derive(Debug, Default)]
pub(super) struct Traps {
    codes: Vec<String>,
    /// Those that call a function which is not defined yet.
    undefined: Vec<String>,
}

impl Traps {
    pub(super) fn set(&mut self, code: &str) {
        self.codes.push(code.to_owned());
    }

    pub(super) fn set_undefined(&mut self, code: &str) {
        self.undefined.push(code.to_owned());
    }

    /// A point to go back to at the end of a subshell.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.codes.len(), self.undefined.len())
    }

    /// The traps to run at the end of the shell that began at `mark`. `is_defined` says whether a
    /// function has that name by now.
    pub(super) fn take(
        &mut self,
        mark: (usize, usize),
        is_defined: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let calls_defined =
            |code: &mut String| code.split_whitespace().next().is_some_and(&is_defined);
        let mut codes = self.codes.split_off(mark.0.min(self.codes.len()));
        codes.extend(self.undefined.extract_if(.., calls_defined));
        codes
    }

    /// Forgets those that still call nothing.
    pub(super) fn forget(&mut self, mark: (usize, usize)) {
        self.undefined.truncate(mark.1);
    }
}
