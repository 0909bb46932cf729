//! Programs that write, remove or show the files in their arguments.

use super::grammar::{Grammar, lists, words_of};
use super::index::index;
use crate::shell::How::{self, Append, Chmod, Directory, Edit, Link, Move, Remove, Touch, Write};
use Files::{After, AfterProgram, Destination, First, Here, Last, Prefixed, Sources, Values};

#[derive(Debug)]
pub(in crate::shell) struct FileProgram {
    pub(in crate::shell) names: &'static str,
    /// The words of a subcommand that must come first.
    pub(in crate::shell) then: &'static str,
    pub(in crate::shell) grammar: Grammar,
    /// Only with one of these options; always if empty.
    pub(in crate::shell) when: &'static str,
    /// Not with any of these.
    pub(in crate::shell) unless: &'static str,
    pub(in crate::shell) files: Files,
    /// `None`: they are read.
    pub(in crate::shell) how: Option<How>,
}

#[derive(Debug, Clone, Copy)]
pub(in crate::shell) enum Files {
    /// All operands after the first few.
    After(usize),
    /// All operands, except the first one if none of these options gives the script (`sed`).
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
    /// The rest of an operand after this prefix: `of=` in `dd of=x`.
    Prefixed(&'static str),
    /// The line's current folder, if there are fewer operands than this.
    Here(usize),
}

const fn changes(how: How, names: &'static str) -> FileProgram {
    FileProgram { how: Some(how), ..reads(names) }
}

const fn reads(names: &'static str) -> FileProgram {
    let (files, grammar) = (After(0), Grammar::NONE);
    FileProgram { names, then: "", grammar, when: "", unless: "", files, how: None }
}

impl FileProgram {
    /// Whether its words are git's path patterns.
    pub(in crate::shell) fn takes_pathspecs(&self) -> bool {
        matches!(self.then, "restore" | "rm")
    }

    /// Whether its files may be on another machine: `pod:/path`, `s3://bucket/key`.
    pub(in crate::shell) fn copies_elsewhere(&self) -> bool {
        let copies = self.how.is_some() && matches!(self.files, Files::Destination);
        copies
            && words_of(self.names)
                .any(|name| lists("aws gsutil rclone gcloud kubectl docker", name))
    }

    const fn then(self, then: &'static str) -> Self {
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
/// Options of sqlite3 with a value, after one dash or two.
const SQLITE: &str = "cmd -cmd init -init separator -separator newline -newline nullvalue \
    -nullvalue mmap -mmap maxsize -maxsize vfs -vfs escape -escape lookaside -lookaside pagecache \
    -pagecache";
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

/// For any number of operands.
const ALWAYS: usize = usize::MAX;

/// A verb of git that shows something, or writes it to the file of `--output`.
const fn shown(verb: &'static str) -> FileProgram {
    changes(Write, "git").then(verb).options("", "output").files(Values("output"))
}

/// A program may have several rows; each that matches counts.
// Laid out by hand, as `cargo fmt` gives each option of a row a line of its own.
#[rustfmt::skip]
pub(in crate::shell) static FILE_PROGRAMS: &[FileProgram] = &[
    changes(Write, "tee gtee").unless("a append"),
    changes(Append, "tee gtee").when("a append"),
    changes(Write, "sponge"),
    changes(Remove, "rm rmdir unlink shred srm trash trash-put rimraf del grm gshred gunlink wipe \
        scrub del-cli gvfs-trash").options("ns", "iterations size random-source"),
    changes(Touch, "touch gtouch").options("drt", "date reference time"),
    changes(Directory, "mkdir gmkdir").options("mZ", "mode context"),
    changes(Write, "mktemp").options("p", "suffix tmpdir"),
    changes(Write, "mkfifo mknod").options("mZ", "mode"),
    changes(Write, "truncate gtruncate").options("sr", "size reference"),
    changes(Write, "cp gcp install ginstall ditto").grammar(COPY).unless("d").files(Destination),
    changes(Write, "cp gcp").grammar(COPY).when("d").files(Destination),
    reads("cp gcp install rsync scp").grammar(COPY).files(Sources),
    changes(Directory, "install").grammar(COPY).when("d directory"),
    changes(Write, "rsync scp")
        .options("eTBPioFcJlS", "exclude include rsh filter files-from exclude-from out-format \
        log-file backup-dir bwlimit").files(Last),
    changes(Move, "mv gmv").grammar(COPY),
    changes(Remove, "rsync").options(RSYNC, RSYNC_LONG).when("remove-source-files").files(Sources),
    // It removes files that are not in the source.
    changes(Remove, "rsync").options(RSYNC, RSYNC_LONG)
        .when("del delete delete-before delete-during delete-delay delete-after delete-excluded \
        delete-missing-args").files(Last),
    changes(Write, "convert magick sox qpdf pdftotext pdftoppm sass lessc ddrescue mksquashfs \
        ffmpeg objcopy").files(Last),
    changes(Write, "aws").then("s3 cp").files(Destination),
    changes(Write, "aws").then("s3 sync").files(Destination),
    changes(Move, "aws").then("s3 mv"),
    changes(Write, "kubectl oc").then("cp").options("cn", "container namespace").files(Destination),
    changes(Write, "docker podman nerdctl").then("cp").files(Destination),
    changes(Write, "gh").then("release download")
        .options("ODpRA", "output dir pattern repo archive").files(Values("O output D dir")),
    changes(Directory, "gh").then("repo clone").files(After(1)),
    changes(Directory, "gh").then("gist clone").files(After(1)),
    changes(Write, "cargo").options("jpF", "target-dir root artifact-dir manifest-path")
        .files(Values("target-dir root artifact-dir")),
    changes(Write, "pip pip3").options("trcd", "target log report dest requirement root prefix")
        .files(Values("t target log report d dest prefix")),
    changes(Write, "pytest mypy pylint ruff eslint coverage").options("c", REPORTS)
        .files(Values(REPORTS)),
    changes(Move, "mv gmv").grammar(COPY).when("t target-directory")
        .files(Values("t target-directory")),
    changes(Link, "ln gln link symlink").grammar(COPY).files(Destination),
    changes(Chmod, "chmod chown chgrp gchmod chattr chcon").options("", "reference from")
        .unless("reference").files(After(1)),
    changes(Chmod, "chmod chown chgrp").options("", "reference from").when("reference"),
    changes(Edit, "sed gsed").grammar(SED).when("i in-place I")
        .files(AfterProgram("e expression f file")),
    reads("sed gsed").grammar(SED).unless("i in-place I")
        .files(AfterProgram("e expression f file")),
    changes(Edit, "perl").options("eEImMIx", "").when("i").files(AfterProgram("e E")),
    changes(Edit, "ruby").options("eErI", "").when("i").files(AfterProgram("e")),
    changes(Edit, "awk gawk mawk").options("Fvfi", "").when("i").files(AfterProgram("f")),
    reads("awk gawk mawk nawk").options("Fvfi", "").unless("i").files(AfterProgram("f")),
    changes(Edit, "yq tomlq xq").options("poI", "input-format output-format")
        .when("i inplace in-place").files(After(1)),
    changes(Edit, "ed ex vi vim nvim nano emacs code micro hx").options("cSuT", "cmd").unless("R"),
    changes(Edit, "patch gpatch").options("pidoDBFrVYz", "strip input directory output"),
    changes(Write, "patch gpatch")
        .options("pidoDBFrVYz", "strip input directory output reject-file")
        .files(Values("o output r reject-file")),
    changes(Edit, "gofmt goimports shfmt").options("ri", "").when("w"),
    changes(Edit, "rustfmt").options("", "edition config config-path emit color").unless("check"),
    changes(Edit, "black isort autopep8 yapf").options("lt", "line-length target-version config")
        .unless("check diff"),
    changes(Edit, "ruff").then("format").options("", "config line-length").unless("check diff"),
    changes(Edit, "ruff").then("check").options("", "config select ignore").when("fix fix-only"),
    changes(Edit, "prettier").options("", "config parser plugin").when("w write"),
    changes(Edit, "eslint biome stylelint").options("c", "config ext rule").when("fix write"),
    changes(Edit, "clang-format").options("", "style").when("i"),
    changes(Write, "sort gsort").options("oktST", "output key field-separator")
        .files(Values("o output")),
    changes(Write, "shuf pandoc gcc cc clang g++ clang++ rustc ld as dot protoc wkhtmltopdf \
        csvsort iconv strip base64 xmllint flex bison m4 nasm").options("otfF", "output")
        .files(Values("o output")),
    changes(Write, "openssl gpg age")
        .options("o", "-out -in -k -pass output -writerand -keyout -CAserial")
        .files(Values("-out o output -writerand -keyout -CAserial")),
    changes(Write, "uniq").options("fsw", "").files(After(1)),
    changes(Write, "split gsplit").options("abCln", "lines bytes number").files(After(1)),
    changes(Write, "dd gdd").files(Prefixed("of=")),
    reads("dd gdd").files(Prefixed("if=")),
    changes(Write, "curl").grammar(CURL)
        .files(Values("o output output-dir c cookie-jar D dump-header stderr trace trace-ascii \
        hsts alt-svc etag-save libcurl")),
    changes(Write, "wget").grammar(WGET)
        .files(Values("O output-document o output-file a append-output P directory-prefix \
        save-cookies hsts-file rejected-log warc-file")),
    changes(Write, "tar gtar bsdtar").grammar(TAR).when("c create r append u update")
        .files(Values("f file")),
    changes(Write, "tar gtar bsdtar").grammar(TAR).when("x extract get")
        .files(Values("C directory")),
    changes(Write, "unzip").options("dx", "").files(Values("d")),
    changes(Write, "7z 7za 7zz 7zr unar").options("o", "").files(Values("o")),
    changes(Write, "tar gtar bsdtar").grammar(TAR).when("x extract get")
        .unless("C directory O to-stdout").files(Here(ALWAYS)),
    changes(Write, "unzip").options("dx", "").unless("d l p c t v Z z").files(Here(ALWAYS)),
    changes(Write, "curl").grammar(CURL).when("O remote-name remote-name-all").unless("output-dir")
        .files(Here(ALWAYS)),
    changes(Write, "wget").grammar(WGET).unless("O output-document P directory-prefix spider")
        .files(Here(ALWAYS)),
    changes(Directory, "git").then("init").options("b", "initial-branch template").files(Here(1)),
    changes(Write, "zip").options("xib", "").files(First),
    changes(Remove, "zip").options("xib", "").when("m move").files(After(1)),
    changes(Edit, "gzip bzip2 xz zstd gunzip bunzip2 unxz lzma unlzma lzip lzop pigz pbzip2 \
        compress uncompress unzstd lz4 brotli").options("So", "suffix output")
        .unless("c stdout to-stdout t l test list"),
    changes(Edit, "sqlite3").options("", SQLITE).files(First),
    // `-A` is an archive and its files; `-lookaside` takes two values.
    changes(Edit, "sqlite3").options("", SQLITE).when("A lookaside -lookaside pagecache -pagecache")
        .files(After(1)),
    changes(Write, "xxd").options("clsog", "").files(After(1)),
    changes(Write, "git").then("clone")
        .options("bcjou", "branch config jobs origin depth reference").files(Here(ALWAYS)),
    changes(Remove, "git").then("rm").unless("cached"),
    changes(Move, "git").then("mv"),
    changes(Write, "git").then("restore").options("s", "source").unless("S staged"),
    changes(Write, "git").then("restore").options("s", "source").when("W worktree"),
    changes(Directory, "git").then("clone")
        .options("bcjou", "branch config depth origin reference template jobs").files(After(1)),
    changes(Directory, "git").then("worktree add").options("bB", "reason orphan").files(First),
    changes(Remove, "git").then("worktree remove").files(First),
    changes(Move, "git").then("worktree move"),
    changes(Write, "git").then("format-patch")
        .options("ov", "output-directory output reroll-count subject-prefix suffix")
        .files(Values("o output-directory output")),
    shown("log"),
    shown("diff"),
    shown("show"),
    shown("shortlog"),
    changes(Write, "git").then("archive").options("o", "output format prefix")
        .files(Values("o output")),
    changes(Edit, "git").then("config").options("f", "file blob type")
        .unless("get list l get-all get-regexp").files(Values("f file")),
    changes(Directory, "git").then("init").options("b", "initial-branch template"),
    reads("cat bat batcat less more head tail nl tac od hexdump strings wc cut paste column fold \
        fmt rev md5sum sha256sum file stat view zcat diff cmp comm join sort uniq source .")
        .options("ncdfkstljNAw", "lines bytes delimiter fields key line-range language"),
    // Its `-d` takes nothing.
    reads("base64 gbase64 base32").options("w", "wrap"),
    reads("xxd").options("clsog", ""),
    reads("grep egrep fgrep rg ag ack ggrep").grammar(GREP).files(AfterProgram("e regexp f file")),
    reads("jq yq gojq tomlq xq").options("fL", "from-file indent")
        .files(AfterProgram("f from-file")),
];

pub(in crate::shell) fn rows(name: &str) -> impl Iterator<Item = &'static FileProgram> {
    index!(FILE_PROGRAMS)
        .rows(name)
        .map(|place| &FILE_PROGRAMS[place])
        .filter(move |row| lists(row.names, name))
}
