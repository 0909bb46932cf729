//! Programs that write, remove or show the files in their arguments.

use super::grammar::{Grammar, lists, words_of};
use super::index::index;
use crate::shell::How;

#[derive(Debug)]
pub(in crate::shell) struct FileProgram {
    pub(in crate::shell) names: &'static str,
    /// The words of a subcommand that must come first.
    pub(in crate::shell) then: &'static [&'static str],
    pub(in crate::shell) grammar: Grammar,
    /// Only with one of these options; always where there are none.
    pub(in crate::shell) when: &'static str,
    /// Not with any of these.
    pub(in crate::shell) unless: &'static str,
    pub(in crate::shell) files: Files,
    /// `None`: they are read.
    pub(in crate::shell) how: Option<How>,
}

/// Which of the words are the files.
#[derive(Debug, Clone, Copy)]
pub(in crate::shell) enum Files {
    /// All operands after the first few.
    After(usize),
    /// All operands, but a program's first one where none of these options gave it (`sed`).
    AfterProgram(&'static str),
    /// The last of at least two operands, or the value of `-t`.
    Destination,
    /// The last of at least two operands, and nothing else (`rsync`).
    Last,
    /// All but the last of at least two.
    Sources,
    /// The values of these options.
    Values(&'static str),
    /// The first of the operands, and nothing else.
    First,
    /// Operands that begin with this.
    Prefixed(&'static str),
    /// The folder that the line has gone to, where there are fewer operands than this.
    Here(usize),
}

const fn row(names: &'static str) -> FileProgram {
    FileProgram {
        names,
        then: &[],
        grammar: Grammar::NONE,
        when: "",
        unless: "",
        files: Files::After(0),
        how: None,
    }
}

impl FileProgram {
    /// Whether its words are what git takes for paths.
    pub(in crate::shell) fn takes_pathspecs(&self) -> bool {
        matches!(self.then, ["restore" | "rm", ..])
    }

    /// Whether what it copies may go to another machine: `pod:/path`, `s3://bucket/key`.
    pub(in crate::shell) fn copies_elsewhere(&self) -> bool {
        let copies = self.how.is_some() && matches!(self.files, Files::Destination);
        copies
            && words_of(self.names)
                .any(|name| lists("aws gsutil rclone gcloud kubectl docker", name))
    }

    const fn then(self, then: &'static [&'static str]) -> Self {
        Self { then, ..self }
    }

    const fn grammar(self, grammar: Grammar) -> Self {
        Self { grammar, ..self }
    }

    const fn options(self, letters: &'static str, long: &'static str) -> Self {
        self.grammar(options(letters, long))
    }

    const fn when(self, when: &'static str) -> Self {
        Self { when, ..self }
    }

    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }

    const fn files(self, files: Files) -> Self {
        Self { files, ..self }
    }

    const fn how(self, how: How) -> Self {
        Self { how: Some(how), ..self }
    }
}

const fn options(letters: &'static str, long: &'static str) -> Grammar {
    Grammar { letters, long }
}

const COPY: Grammar = options("tSgmoZ", "target-directory suffix group mode owner context");
const SED: Grammar = options("efl", "expression file line-length");
const CURL: Grammar = options(
    "oHdXuAebFTKmwxEcrTCYyzD",
    "dump-header stderr trace trace-ascii hsts alt-svc etag-save libcurl output \
            header data request user user-agent url form max-time retry proxy cert \
            output-dir data-raw data-binary connect-timeout upload-file config cookie \
            cookie-jar write-out",
);
const WGET: Grammar = options(
    "OoaPtTUeiA",
    "output-document output-file append-output directory-prefix tries timeout \
            user-agent header input-file post-data save-cookies hsts-file rejected-log \
            warc-file",
);
/// Options of sqlite3 with a value, behind one dash or two.
const SQLITE: &str = "cmd -cmd init -init separator -separator newline -newline nullvalue -nullvalue \
            mmap -mmap maxsize -maxsize vfs -vfs escape -escape lookaside -lookaside \
            pagecache -pagecache";
const TAR: Grammar = options("fCbXTI", "file directory exclude files-from exclude-from transform");
const GREP: Grammar = options(
    "efmABCdD",
    "regexp file max-count include exclude exclude-dir context after-context \
            before-context color",
);

const RSYNC: &str = "eTBPioFcJlS";
const RSYNC_LONG: &str = "exclude include rsh filter files-from exclude-from out-format log-file \
            backup-dir bwlimit write-batch only-write-batch";
const REPORTS: &str = "junitxml junit-xml output-file output cache-location cobertura-xml";

/// However many operands there are.
const ALWAYS: usize = usize::MAX;

/// A verb of git that shows something, to a file where it is told so.
const fn shown(verb: &'static [&'static str]) -> FileProgram {
    row("git").then(verb).options("", "output").files(Files::Values("output")).how(How::Write)
}

/// A program may have several rows; each that fits counts.
pub(in crate::shell) static FILE_PROGRAMS: &[FileProgram] = &[
    row("tee gtee").unless("a append").how(How::Write),
    row("tee gtee").when("a append").how(How::Append),
    row("sponge").how(How::Write),
    row("rm rmdir unlink shred srm trash trash-put rimraf del grm gshred gunlink wipe \
        scrub del-cli gvfs-trash")
    .options("ns", "iterations size random-source")
    .how(How::Remove),
    row("touch gtouch").options("drt", "date reference time").how(How::Touch),
    row("mkdir gmkdir").options("mZ", "mode context").how(How::Directory),
    row("mktemp").options("p", "suffix tmpdir").how(How::Write),
    row("mkfifo mknod").options("mZ", "mode").how(How::Write),
    row("truncate gtruncate").options("sr", "size reference").how(How::Write),
    row("cp gcp install ginstall ditto")
        .grammar(COPY)
        .unless("d")
        .files(Files::Destination)
        .how(How::Write),
    row("cp gcp").grammar(COPY).when("d").files(Files::Destination).how(How::Write),
    row("cp gcp install rsync scp").grammar(COPY).files(Files::Sources),
    row("install").grammar(COPY).when("d directory").how(How::Directory),
    row("rsync scp")
        .options(
            "eTBPioFcJlS",
            "exclude include rsh filter files-from exclude-from out-format log-file \
            backup-dir bwlimit",
        )
        .files(Files::Last)
        .how(How::Write),
    row("mv gmv").grammar(COPY).how(How::Move),
    row("rsync")
        .options(RSYNC, RSYNC_LONG)
        .when("remove-source-files")
        .files(Files::Sources)
        .how(How::Remove),
    // What the source has not got is gone from it.
    row("rsync")
        .options(RSYNC, RSYNC_LONG)
        .when(
            "del delete delete-before delete-during delete-delay delete-after delete-excluded \
            delete-missing-args",
        )
        .files(Files::Last)
        .how(How::Remove),
    row("convert magick sox qpdf pdftotext pdftoppm sass lessc ddrescue mksquashfs ffmpeg \
        objcopy")
    .files(Files::Last)
    .how(How::Write),
    row("aws").then(&["s3", "cp"]).files(Files::Destination).how(How::Write),
    row("aws").then(&["s3", "sync"]).files(Files::Destination).how(How::Write),
    row("aws").then(&["s3", "mv"]).how(How::Move),
    row("kubectl oc")
        .then(&["cp"])
        .options("cn", "container namespace")
        .files(Files::Destination)
        .how(How::Write),
    row("docker podman nerdctl").then(&["cp"]).files(Files::Destination).how(How::Write),
    row("gh")
        .then(&["release", "download"])
        .options("ODpRA", "output dir pattern repo archive")
        .files(Files::Values("O output D dir"))
        .how(How::Write),
    row("gh").then(&["repo", "clone"]).files(Files::After(1)).how(How::Directory),
    row("gh").then(&["gist", "clone"]).files(Files::After(1)).how(How::Directory),
    row("cargo")
        .options("jpF", "target-dir root artifact-dir manifest-path")
        .files(Files::Values("target-dir root artifact-dir"))
        .how(How::Write),
    row("pip pip3")
        .options("trcd", "target log report dest requirement root prefix")
        .files(Files::Values("t target log report d dest prefix"))
        .how(How::Write),
    row("pytest mypy pylint ruff eslint coverage")
        .options("c", REPORTS)
        .files(Files::Values(REPORTS))
        .how(How::Write),
    row("mv gmv")
        .grammar(COPY)
        .when("t target-directory")
        .files(Files::Values("t target-directory"))
        .how(How::Move),
    row("ln gln link symlink").grammar(COPY).files(Files::Destination).how(How::Link),
    row("chmod chown chgrp gchmod chattr chcon")
        .options("", "reference from")
        .unless("reference")
        .files(Files::After(1))
        .how(How::Chmod),
    row("chmod chown chgrp").options("", "reference from").when("reference").how(How::Chmod),
    row("sed gsed")
        .grammar(SED)
        .when("i in-place I")
        .files(Files::AfterProgram("e expression f file"))
        .how(How::Edit),
    row("sed gsed")
        .grammar(SED)
        .unless("i in-place I")
        .files(Files::AfterProgram("e expression f file")),
    row("perl").options("eEImMIx", "").when("i").files(Files::AfterProgram("e E")).how(How::Edit),
    row("ruby").options("eErI", "").when("i").files(Files::AfterProgram("e")).how(How::Edit),
    row("awk gawk mawk")
        .options("Fvfi", "")
        .when("i")
        .files(Files::AfterProgram("f"))
        .how(How::Edit),
    row("awk gawk mawk nawk").options("Fvfi", "").unless("i").files(Files::AfterProgram("f")),
    row("yq tomlq xq")
        .options("poI", "input-format output-format")
        .when("i inplace in-place")
        .files(Files::After(1))
        .how(How::Edit),
    row("ed ex vi vim nvim nano emacs code micro hx")
        .options("cSuT", "cmd")
        .unless("R")
        .how(How::Edit),
    row("patch gpatch").options("pidoDBFrVYz", "strip input directory output").how(How::Edit),
    row("patch gpatch")
        .options("pidoDBFrVYz", "strip input directory output reject-file")
        .files(Files::Values("o output r reject-file"))
        .how(How::Write),
    row("gofmt goimports shfmt").options("ri", "").when("w").how(How::Edit),
    row("rustfmt")
        .options("", "edition config config-path emit color")
        .unless("check")
        .how(How::Edit),
    row("black isort autopep8 yapf")
        .options("lt", "line-length target-version config")
        .unless("check diff")
        .how(How::Edit),
    row("ruff")
        .then(&["format"])
        .options("", "config line-length")
        .unless("check diff")
        .how(How::Edit),
    row("ruff")
        .then(&["check"])
        .options("", "config select ignore")
        .when("fix fix-only")
        .how(How::Edit),
    row("prettier").options("", "config parser plugin").when("w write").how(How::Edit),
    row("eslint biome stylelint").options("c", "config ext rule").when("fix write").how(How::Edit),
    row("clang-format").options("", "style").when("i").how(How::Edit),
    row("sort gsort")
        .options("oktST", "output key field-separator")
        .files(Files::Values("o output"))
        .how(How::Write),
    row("shuf pandoc gcc cc clang g++ clang++ rustc ld as dot protoc wkhtmltopdf csvsort \
        iconv strip base64 xmllint flex bison m4 nasm")
    .options("otfF", "output")
    .files(Files::Values("o output"))
    .how(How::Write),
    row("openssl gpg age")
        .options("o", "-out -in -k -pass output -writerand -keyout -CAserial")
        .files(Files::Values("-out o output -writerand -keyout -CAserial"))
        .how(How::Write),
    row("uniq").options("fsw", "").files(Files::After(1)).how(How::Write),
    row("split gsplit")
        .options("abCln", "lines bytes number")
        .files(Files::After(1))
        .how(How::Write),
    row("dd gdd").files(Files::Prefixed("of=")).how(How::Write),
    row("dd gdd").files(Files::Prefixed("if=")),
    row("curl")
        .grammar(CURL)
        .files(Files::Values(
            "o output output-dir c cookie-jar D dump-header stderr trace trace-ascii hsts alt-svc \
            etag-save libcurl",
        ))
        .how(How::Write),
    row("wget")
        .grammar(WGET)
        .files(Files::Values(
            "O output-document o output-file a append-output P directory-prefix save-cookies \
            hsts-file rejected-log warc-file",
        ))
        .how(How::Write),
    row("tar gtar bsdtar")
        .grammar(TAR)
        .when("c create r append u update")
        .files(Files::Values("f file"))
        .how(How::Write),
    row("tar gtar bsdtar")
        .grammar(TAR)
        .when("x extract get")
        .files(Files::Values("C directory"))
        .how(How::Write),
    row("unzip").options("dx", "").files(Files::Values("d")).how(How::Write),
    row("7z 7za 7zz 7zr unar").options("o", "").files(Files::Values("o")).how(How::Write),
    row("tar gtar bsdtar")
        .grammar(TAR)
        .when("x extract get")
        .unless("C directory O to-stdout")
        .files(Files::Here(ALWAYS))
        .how(How::Write),
    row("unzip")
        .options("dx", "")
        .unless("d l p c t v Z z")
        .files(Files::Here(ALWAYS))
        .how(How::Write),
    row("curl")
        .grammar(CURL)
        .when("O remote-name remote-name-all")
        .unless("output-dir")
        .files(Files::Here(ALWAYS))
        .how(How::Write),
    row("wget")
        .grammar(WGET)
        .unless("O output-document P directory-prefix spider")
        .files(Files::Here(ALWAYS))
        .how(How::Write),
    row("git")
        .then(&["init"])
        .options("b", "initial-branch template")
        .files(Files::Here(1))
        .how(How::Directory),
    row("zip").options("xib", "").files(Files::First).how(How::Write),
    row("zip").options("xib", "").when("m move").files(Files::After(1)).how(How::Remove),
    row("gzip bzip2 xz zstd gunzip bunzip2 unxz lzma unlzma lzip lzop pigz pbzip2 \
        compress uncompress unzstd lz4 brotli")
    .options("So", "suffix output")
    .unless("c stdout to-stdout t l test list")
    .how(How::Edit),
    row("sqlite3").options("", SQLITE).files(Files::First).how(How::Edit),
    // An archive and its files, or an option with two values.
    row("sqlite3")
        .options("", SQLITE)
        .when("A lookaside -lookaside pagecache -pagecache")
        .files(Files::After(1))
        .how(How::Edit),
    row("xxd").options("clsog", "").files(Files::After(1)).how(How::Write),
    row("git")
        .then(&["clone"])
        .options("bcjou", "branch config jobs origin depth reference")
        .files(Files::Here(ALWAYS))
        .how(How::Write),
    row("git").then(&["rm"]).unless("cached").how(How::Remove),
    row("git").then(&["mv"]).how(How::Move),
    row("git").then(&["restore"]).options("s", "source").unless("S staged").how(How::Write),
    row("git").then(&["restore"]).options("s", "source").when("W worktree").how(How::Write),
    row("git")
        .then(&["clone"])
        .options("bcjou", "branch config depth origin reference template jobs")
        .files(Files::After(1))
        .how(How::Directory),
    row("git")
        .then(&["worktree", "add"])
        .options("bB", "reason orphan")
        .files(Files::First)
        .how(How::Directory),
    row("git").then(&["worktree", "remove"]).files(Files::First).how(How::Remove),
    row("git").then(&["worktree", "move"]).how(How::Move),
    row("git")
        .then(&["format-patch"])
        .options("ov", "output-directory output reroll-count subject-prefix suffix")
        .files(Files::Values("o output-directory output"))
        .how(How::Write),
    shown(&["log"]),
    shown(&["diff"]),
    shown(&["show"]),
    shown(&["shortlog"]),
    row("git")
        .then(&["archive"])
        .options("o", "output format prefix")
        .files(Files::Values("o output"))
        .how(How::Write),
    row("git")
        .then(&["config"])
        .options("f", "file blob type")
        .unless("get list l get-all get-regexp")
        .files(Files::Values("f file"))
        .how(How::Edit),
    row("git").then(&["init"]).options("b", "initial-branch template").how(How::Directory),
    row("cat bat batcat less more head tail nl tac od hexdump strings wc cut paste column \
        fold fmt rev md5sum sha256sum file stat view zcat diff cmp comm join sort uniq \
        source .")
    .options("ncdfkstljNAw", "lines bytes delimiter fields key line-range language"),
    // Its `-d` takes nothing.
    row("base64 gbase64 base32").options("w", "wrap"),
    row("xxd").options("clsog", ""),
    row("grep egrep fgrep rg ag ack ggrep")
        .grammar(GREP)
        .files(Files::AfterProgram("e regexp f file")),
    row("jq yq gojq tomlq xq")
        .options("fL", "from-file indent")
        .files(Files::AfterProgram("f from-file")),
];

pub(in crate::shell) fn rows(name: &str) -> impl Iterator<Item = &'static FileProgram> {
    index!(FILE_PROGRAMS)
        .rows(name)
        .map(|place| &FILE_PROGRAMS[place])
        .filter(move |row| lists(row.names, name))
}
