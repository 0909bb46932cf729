//! Functions of other languages that run commands or write files.

use super::super::{How, Interpreter};
use super::index::index;

#[derive(Debug)]
pub(in super::super) struct Function {
    pub(in super::super) languages: &'static [Interpreter],
    pub(in super::super) names: &'static [&'static str],
    pub(in super::super) kind: Kind,
    /// Something that must stand in the code, where the name alone says too little.
    pub(in super::super) needs: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// One string is code for a shell; a list, or several strings, are a program's words.
    Shell,
    /// A program, then its arguments, as a list or one by one.
    Program,
    /// The same, and the arguments begin with the program's name once more.
    Named,
    /// The same behind a mode: `spawnlp(P_WAIT, "git", "git", "push")`.
    Spawned,
    /// What a library does with a program that it names itself: these words, then its arguments.
    Behalf(&'static [&'static str]),
    /// Starts a program in a way of its own: its words are not followed.
    Starter,
    /// Code in the same language.
    Code,
    /// The same where it is a text; else a function, or something else.
    CodeText,
    /// A function by its name, then its arguments: `call_user_func("system", …)`.
    ByName,
    /// A file of code.
    Source,
    /// A file, by its place among the arguments.
    File(usize, How),
    /// Two files, the second is made.
    Copy(How),
    /// A path and a mode.
    Open,
    /// Perl's: a handle, a mode, a path; or a handle and both in one.
    PerlOpen,
    /// Perl's `IO::File`: both in one, or a path and a mode of either kind.
    PerlFile,
    /// A path that methods are called on.
    Path,
    /// Splits a string into words.
    Words,
    /// A method of such a path.
    Method(How),
    /// Shows its arguments, or writes them to what it is called on.
    Shows(Form),
    /// Makes a text of a format and what is put in.
    Formats,
    /// A text between others: `join(" ", …)`.
    Joins,
    /// The list that it is given.
    Listed,
    /// The text that it is given and nothing else, perhaps with a path before it: `which("git")`.
    Found,
}

/// How arguments are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Form {
    /// One behind the other.
    Plain,
    /// With blanks between them, as one line.
    Line,
    /// Each as a line.
    Lines,
    /// The first is a format.
    Format,
}

impl Kind {
    /// Whether it starts programs.
    pub(in super::super) fn starts(self) -> bool {
        matches!(
            self,
            Self::Shell
                | Self::Program
                | Self::Named
                | Self::Spawned
                | Self::Behalf(_)
                | Self::Starter
        )
    }
}

const PYTHON: &[Interpreter] = &[Interpreter::Python];
const NODE: &[Interpreter] = &[Interpreter::JavaScript];
const PERL: &[Interpreter] = &[Interpreter::Perl];
const RUBY: &[Interpreter] = &[Interpreter::Ruby];
const PHP: &[Interpreter] = &[Interpreter::Php];
const AWK: &[Interpreter] = &[Interpreter::Awk];
const LUA: &[Interpreter] = &[Interpreter::Lua];
const PROCESSES: &[&str] = &["child_process", "execa", "Bun", "Deno", "shelljs", "zx", "await $"];

/// Libraries of git, as code brings them in.
const PYTHONS_GITS: &[&str] = &[
    "import git",
    "from git",
    "import pygit2",
    "import dulwich",
    "from dulwich",
    "sh.git",
    "from sh import git",
];
const NODES_GITS: &[&str] = &["simple-git", "simpleGit", "isomorphic-git", "nodegit"];
const RUBYS_GITS: &[&str] = &["Git.open", "Git.init", "Rugged"];

const fn row(
    languages: &'static [Interpreter],
    names: &'static [&'static str],
    kind: Kind,
    needs: &'static [&'static str],
) -> Function {
    Function { languages, names, kind, needs }
}

pub(in super::super) static FUNCTIONS: &[Function] = &[
    row(PYTHON, &["system", "popen", "getoutput", "getstatusoutput"], Kind::Shell, &[]),
    row(PYTHON, &["create_subprocess_shell"], Kind::Shell, &[]),
    row(
        PYTHON,
        &["run", "call", "check_call", "check_output", "Popen", "spawn"],
        Kind::Shell,
        &["subprocess", "pty", "import sh", "invoke", "pexpect", "sarge", "delegator"],
    ),
    row(PYTHON, &["split"], Kind::Words, &["shlex"]),
    row(PYTHON, &["create_subprocess_exec"], Kind::Program, &[]),
    row(
        PYTHON,
        &["execv", "execvp", "execve", "execvpe", "posix_spawn", "posix_spawnp"],
        Kind::Named,
        &[],
    ),
    row(
        PYTHON,
        &["spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe"],
        Kind::Spawned,
        &[],
    ),
    row(PYTHON, &["execl", "execlp", "execle", "execlpe"], Kind::Named, &[]),
    row(PYTHON, &["git"], Kind::Behalf(&["git"]), &["import sh", "from sh", "plumbum"]),
    row(PYTHON, &["local"], Kind::Shell, &["fabric"]),
    row(PYTHON, &["execute"], Kind::Shell, &["import git", "from git"]),
    row(PYTHON, &["bake"], Kind::Behalf(&["git"]), &["sh.git", "from sh import git"]),
    row(PYTHON, &["push"], Kind::Behalf(&["git", "push"]), PYTHONS_GITS),
    row(PYTHON, &["commit"], Kind::Behalf(&["git", "commit"]), PYTHONS_GITS),
    row(PYTHON, &["merge"], Kind::Behalf(&["git", "merge"]), PYTHONS_GITS),
    row(PYTHON, &["create_tag"], Kind::Behalf(&["git", "tag"]), PYTHONS_GITS),
    row(PYTHON, &["subprocess_exec", "subprocess_shell", "fork_exec"], Kind::Starter, &[]),
    row(PYTHON, &["exec", "eval", "compile"], Kind::Code, &[]),
    row(PYTHON, &["run", "runctx", "runeval"], Kind::CodeText, &["pdb", "rofile", "bdb"]),
    row(
        PYTHON,
        &["push", "runsource", "runcode", "interact"],
        Kind::Code,
        &["nteractiveConsole", "nteractiveInterpreter", "code.interact"],
    ),
    row(PYTHON, &["run_path"], Kind::Source, &["runpy"]),
    // Which function that is, a variable says.
    row(PYTHON, &["breakpoint"], Kind::Shell, &[]),
    row(PYTHON, &["get"], Kind::Shell, &["webbrowser"]),
    row(PYTHON, &["timeit", "Timer", "repeat", "runctx"], Kind::Code, &["timeit", "rofile"]),
    row(PYTHON, &["list", "tuple"], Kind::Listed, &[]),
    row(PYTHON, &["which"], Kind::Found, &["shutil"]),
    row(PYTHON, &["print"], Kind::Shows(Form::Line), &[]),
    row(PYTHON, &["write", "writelines"], Kind::Shows(Form::Plain), &[]),
    row(PYTHON, &["open"], Kind::Open, &[]),
    row(PYTHON, &["Path", "PurePath", "PosixPath", "str", "abspath", "join"], Kind::Path, &[]),
    row(PYTHON, &["expanduser"], Kind::Path, &[]),
    row(PYTHON, &["write_text", "write_bytes"], Kind::Method(How::Write), &[]),
    row(PYTHON, &["touch"], Kind::Method(How::Touch), &[]),
    row(PYTHON, &["unlink", "rmdir"], Kind::Method(How::Remove), &[]),
    row(PYTHON, &["symlink_to", "hardlink_to"], Kind::Method(How::Link), &[]),
    row(
        PYTHON,
        &["remove", "unlink", "rmtree", "removedirs"],
        Kind::File(0, How::Remove),
        &["os", "shutil"],
    ),
    row(PYTHON, &["makedirs", "mkdir"], Kind::File(0, How::Directory), &["os"]),
    row(PYTHON, &["chmod", "chown", "lchmod"], Kind::File(0, How::Chmod), &["os"]),
    row(PYTHON, &["symlink", "link"], Kind::File(1, How::Link), &["os"]),
    row(PYTHON, &["truncate"], Kind::File(0, How::Write), &["os"]),
    row(PYTHON, &["utime"], Kind::File(0, How::Touch), &["os"]),
    row(PYTHON, &["make_archive"], Kind::File(0, How::Write), &["shutil"]),
    row(PYTHON, &["connect"], Kind::File(0, How::Edit), &["sqlite3"]),
    row(
        PYTHON,
        &["rename", "renames", "replace", "move"],
        Kind::Copy(How::Move),
        &["os", "shutil"],
    ),
    row(PYTHON, &["copy", "copy2", "copyfile", "copytree"], Kind::Copy(How::Write), &["shutil"]),
    row(NODE, &["execSync"], Kind::Shell, &[]),
    row(NODE, &["exec"], Kind::Shell, PROCESSES),
    row(NODE, &["$", "sh"], Kind::Shell, PROCESSES),
    row(NODE, &["spawn", "execFile", "Command", "execa", "execaSync"], Kind::Program, PROCESSES),
    row(NODE, &["spawnSync", "execFileSync"], Kind::Program, &[]),
    row(NODE, &["sync", "spawn"], Kind::Program, &["cross-spawn"]),
    row(NODE, &["push"], Kind::Behalf(&["git", "push"]), NODES_GITS),
    row(NODE, &["commit"], Kind::Behalf(&["git", "commit"]), NODES_GITS),
    row(NODE, &["merge"], Kind::Behalf(&["git", "merge"]), NODES_GITS),
    row(NODE, &["raw"], Kind::Behalf(&["git"]), NODES_GITS),
    row(NODE, &["execaCommand", "execaCommandSync"], Kind::Shell, PROCESSES),
    row(NODE, &["eval", "Function"], Kind::Code, &[]),
    row(NODE, &["log", "info", "print"], Kind::Shows(Form::Line), &[]),
    row(NODE, &["write"], Kind::Shows(Form::Plain), &[]),
    row(NODE, &["setTimeout", "setInterval", "setImmediate"], Kind::CodeText, &[]),
    row(NODE, &["Worker"], Kind::CodeText, &["eval"]),
    row(
        NODE,
        &["binding", "setupPrimary", "setupMaster"],
        Kind::Starter,
        &["spawn_sync", "cluster"],
    ),
    row(NODE, &["fork"], Kind::Starter, &["execPath"]),
    row(NODE, &["DatabaseSync"], Kind::File(0, How::Edit), &["sqlite"]),
    row(
        NODE,
        &["runInThisContext", "runInNewContext", "runInContext", "compileFunction", "Script"],
        Kind::Code,
        &["vm"],
    ),
    row(
        NODE,
        &[
            "writeFileSync",
            "writeFile",
            "writeTextFile",
            "writeTextFileSync",
            "createWriteStream",
            "outputFileSync",
            "outputFile",
            "outputJsonSync",
            "truncateSync",
        ],
        Kind::File(0, How::Write),
        &[],
    ),
    row(NODE, &["appendFileSync", "appendFile"], Kind::File(0, How::Append), &[]),
    row(
        NODE,
        &["unlinkSync", "unlink", "rmSync", "rm", "rmdirSync", "removeSync"],
        Kind::File(0, How::Remove),
        &["fs", "Deno"],
    ),
    row(
        NODE,
        &["mkdirSync", "mkdir", "ensureDirSync"],
        Kind::File(0, How::Directory),
        &["fs", "Deno"],
    ),
    row(
        NODE,
        &["utimesSync", "utimes", "lutimesSync", "futimesSync"],
        Kind::File(0, How::Touch),
        &["fs"],
    ),
    row(NODE, &["mkdtempSync", "mkdtemp"], Kind::File(0, How::Directory), &["fs"]),
    row(NODE, &["chmodSync", "chmod", "chownSync"], Kind::File(0, How::Chmod), &["fs", "Deno"]),
    row(NODE, &["symlinkSync", "symlink", "linkSync"], Kind::File(1, How::Link), &["fs", "Deno"]),
    row(NODE, &["renameSync", "rename", "moveSync"], Kind::Copy(How::Move), &["fs", "Deno"]),
    row(
        NODE,
        &["copyFileSync", "copyFile", "cpSync", "copySync"],
        Kind::Copy(How::Write),
        &["fs", "Deno"],
    ),
    row(PERL, &["system", "exec", "readpipe"], Kind::Shell, &[]),
    row(PERL, &["open2", "open3", "capturex", "systemx", "run3"], Kind::Starter, &[]),
    row(
        PERL,
        &["command", "command_oneline", "command_noisy", "run"],
        Kind::Behalf(&["git"]),
        &["use Git", "-MGit"],
    ),
    row(PERL, &["eval"], Kind::Code, &[]),
    row(PERL, &["print"], Kind::Shows(Form::Plain), &[]),
    row(PERL, &["say"], Kind::Shows(Form::Lines), &[]),
    row(PERL, &["printf"], Kind::Shows(Form::Format), &[]),
    row(PERL, &["sprintf"], Kind::Formats, &[]),
    row(PERL, &["join"], Kind::Joins, &[]),
    row(PERL, &["do", "require"], Kind::Source, &[]),
    row(PERL, &["run", "run_forked"], Kind::Shell, &["IPC::Cmd", "IPC::Run"]),
    row(PERL, &["reader", "writer"], Kind::Program, &["IO::Pipe"]),
    row(PERL, &["new"], Kind::PerlFile, &["IO::File"]),
    row(PERL, &["sysopen", "dbmopen"], Kind::File(1, How::Write), &[]),
    row(PERL, &["tie"], Kind::File(2, How::Edit), &["Tie::File", "DB_File"]),
    row(PERL, &["truncate"], Kind::File(0, How::Write), &[]),
    row(PERL, &["rmtree", "remove_tree"], Kind::File(0, How::Remove), &[]),
    row(PERL, &["mkpath", "make_path"], Kind::File(0, How::Directory), &[]),
    row(PERL, &["utime"], Kind::File(2, How::Touch), &[]),
    row(PERL, &["open"], Kind::PerlOpen, &[]),
    row(PERL, &["unlink", "rmdir"], Kind::File(0, How::Remove), &[]),
    row(PERL, &["rename", "move"], Kind::Copy(How::Move), &[]),
    row(PERL, &["copy"], Kind::Copy(How::Write), &[]),
    row(PERL, &["mkdir"], Kind::File(0, How::Directory), &[]),
    row(PERL, &["chmod"], Kind::File(1, How::Chmod), &[]),
    row(PERL, &["symlink", "link"], Kind::File(1, How::Link), &[]),
    row(
        RUBY,
        &[
            "system",
            "exec",
            "spawn",
            "popen",
            "capture2",
            "capture2e",
            "capture3",
            "popen3",
            "popen2",
            "popen2e",
            "pipeline",
            "sh",
        ],
        Kind::Shell,
        &[],
    ),
    row(RUBY, &["push"], Kind::Behalf(&["git", "push"]), RUBYS_GITS),
    row(RUBY, &["commit"], Kind::Behalf(&["git", "commit"]), RUBYS_GITS),
    row(RUBY, &["eval", "instance_eval"], Kind::Code, &[]),
    row(RUBY, &["puts"], Kind::Shows(Form::Lines), &[]),
    row(RUBY, &["print", "write"], Kind::Shows(Form::Plain), &[]),
    row(RUBY, &["printf"], Kind::Shows(Form::Format), &[]),
    row(RUBY, &["sprintf", "format"], Kind::Formats, &[]),
    row(RUBY, &["load"], Kind::Source, &[]),
    row(RUBY, &["send", "public_send", "__send__"], Kind::ByName, &[]),
    // Behind a `|` they run it.
    row(RUBY, &["read", "readlines", "foreach", "binread"], Kind::Open, &["IO"]),
    row(RUBY, &["open", "new"], Kind::Open, &["File", "IO", "open"]),
    row(RUBY, &["write", "binwrite"], Kind::File(0, How::Write), &["File", "IO"]),
    row(
        RUBY,
        &["delete", "unlink", "rm", "rm_f", "rm_rf", "rm_r", "rmtree"],
        Kind::File(0, How::Remove),
        &["File", "FileUtils", "Dir"],
    ),
    row(
        RUBY,
        &["mkdir", "mkdir_p", "makedirs"],
        Kind::File(0, How::Directory),
        &["Dir", "FileUtils"],
    ),
    row(RUBY, &["touch"], Kind::File(0, How::Touch), &["FileUtils"]),
    row(RUBY, &["chmod"], Kind::File(1, How::Chmod), &["File", "FileUtils"]),
    row(
        RUBY,
        &["symlink", "link", "ln_s", "ln_sf", "ln"],
        Kind::File(1, How::Link),
        &["File", "FileUtils"],
    ),
    row(RUBY, &["rename", "mv", "move"], Kind::Copy(How::Move), &["File", "FileUtils"]),
    row(RUBY, &["cp", "copy", "cp_r"], Kind::Copy(How::Write), &["File", "FileUtils"]),
    row(PHP, &["system", "exec", "shell_exec", "passthru", "popen", "proc_open"], Kind::Shell, &[]),
    row(PHP, &["pcntl_exec"], Kind::Program, &[]),
    row(PHP, &["eval"], Kind::Code, &[]),
    row(PHP, &["echo", "print", "fwrite", "fputs"], Kind::Shows(Form::Plain), &[]),
    row(PHP, &["printf"], Kind::Shows(Form::Format), &[]),
    row(PHP, &["sprintf"], Kind::Formats, &[]),
    row(PHP, &["implode", "join"], Kind::Joins, &[]),
    row(PHP, &["call_user_func", "call_user_func_array", "array_map"], Kind::ByName, &[]),
    row(
        PHP,
        &["include", "include_once", "require", "require_once"],
        Kind::Source,
        &["://", "data:"],
    ),
    row(PHP, &["file_put_contents"], Kind::File(0, How::Write), &[]),
    row(PHP, &["fopen"], Kind::Open, &[]),
    row(PHP, &["unlink", "rmdir"], Kind::File(0, How::Remove), &[]),
    row(PHP, &["mkdir"], Kind::File(0, How::Directory), &[]),
    row(PHP, &["touch"], Kind::File(0, How::Touch), &[]),
    row(PHP, &["chmod", "chown"], Kind::File(0, How::Chmod), &[]),
    row(PHP, &["symlink", "link"], Kind::File(1, How::Link), &[]),
    row(PHP, &["rename"], Kind::Copy(How::Move), &[]),
    row(PHP, &["copy"], Kind::Copy(How::Write), &[]),
    row(AWK, &["system"], Kind::Shell, &[]),
    row(AWK, &["print"], Kind::Shows(Form::Line), &[]),
    row(AWK, &["printf"], Kind::Shows(Form::Format), &[]),
    row(AWK, &["sprintf"], Kind::Formats, &[]),
    row(LUA, &["execute", "popen"], Kind::Shell, &["os", "io"]),
    row(LUA, &["print"], Kind::Shows(Form::Line), &[]),
    row(LUA, &["write"], Kind::Shows(Form::Plain), &[]),
    row(LUA, &["open"], Kind::Open, &["io"]),
    row(LUA, &["remove"], Kind::File(0, How::Remove), &["os"]),
    row(LUA, &["rename"], Kind::Copy(How::Move), &["os"]),
    row(LUA, &["output"], Kind::File(0, How::Write), &["io"]),
    row(LUA, &["load", "loadstring"], Kind::Code, &[]),
    row(LUA, &["dofile", "loadfile"], Kind::Source, &[]),
];

/// The rows for a name. One name may have several.
pub(in super::super) fn find(
    language: Interpreter,
    name: &str,
) -> impl Iterator<Item = &'static Function> {
    index!(FUNCTIONS)
        .rows(name)
        .map(|place| &FUNCTIONS[place])
        .filter(move |row| row.languages.contains(&language) && row.names.contains(&name))
}
