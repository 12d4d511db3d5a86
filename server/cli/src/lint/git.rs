//! Git, asked for what its repository contains, in a way that starts nothing and connects to nothing.
//!
//! Settings and attributes of a repository can name programs: filters, external differences, hooks, monitors, transports. The commands used here are
//! those that read objects and the index, and never a file of the work tree; what else could start a program is turned off.

use project::read;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// How long git may be silent. A pipe in the place of one of its files would keep it for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Settings that take precedence over those of the repository.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=",
    "diff.external=",
    "protocol.allow=never",
];

/// Variables that keep git from writing, asking, connecting and replacing objects.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// A repository.
pub struct Git {
    /// The folder in which git runs.
    folder: PathBuf,
    /// The file with the user's own attributes, instead of what the repository names.
    attributes: PathBuf,
    /// Variables of the environment that do not apply.
    left_out: &'static [&'static str],
}

/// Variables with which git takes another repository than the one around its working directory.
const REPOSITORY_VARIABLES: &[&str] = &["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

impl Git {
    /// The repository of the working directory, and the folder of its work tree; the error is a message for the user.
    pub fn open() -> Result<(Self, PathBuf), String> {
        let mut git = Git { folder: PathBuf::from("."), attributes: PathBuf::new(), left_out: &[] };
        let root = git.text(&["rev-parse", "--show-toplevel"])?;
        git.folder = PathBuf::from(root.trim_end_matches('\n'));
        git.attributes = git.user_attributes().unwrap_or_default();
        let root = git.folder.clone();
        Ok((git, root))
    }

    /// The names of the tracked files in a folder, all or some, each with a zero byte after it; none outside of a repository. The error is a message for the user.
    pub fn tracked(folder: &Path, names: &[&str]) -> Result<String, String> {
        if !folder.canonicalize().is_ok_and(|real| real.ancestors().any(|around| around.join(".git").exists())) {
            return Ok(String::new());
        }
        let git = Git { folder: folder.to_owned(), attributes: PathBuf::new(), left_out: REPOSITORY_VARIABLES };
        // The index is only read, so that it does not matter whose it is.
        git.text(&[&["-c", "safe.directory=*", "--literal-pathspecs", "ls-files", "-z", "--"], names].concat())
    }

    /// The file with the user's own attributes.
    fn user_attributes(&self) -> Option<PathBuf> {
        let named = self.text(&["config", "--global", "--type=path", "--get", "core.attributesFile"]);
        let default = || {
            let folder = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
            let folder = folder.or_else(|| std::env::home_dir().map(|home| home.join(".config")))?;
            Some(folder.join("git/attributes"))
        };
        let file = named.ok().map(|name| PathBuf::from(name.trim_end_matches('\n'))).or_else(default)?;
        file.is_file().then_some(file)
    }

    /// What a command prints; the error is a message for the user.
    pub fn text(&self, arguments: &[&str]) -> Result<String, String> {
        self.answer(arguments, Vec::new())
    }

    /// What a command prints that reads an input; the error is a message for the user.
    pub fn answer(&self, arguments: &[&str], input: Vec<u8>) -> Result<String, String> {
        let mut child = self.start(arguments, Stdio::piped())?;
        let sent = child.stdin.take().map(|stdin| send(stdin, input));
        let (output, errors) = (child.stdout.take().map(collect), child.stderr.take().map(collect));
        let mut received = |from: Option<Receiver<Vec<u8>>>| match from.map(|from| from.recv_timeout(PATIENCE)) {
            Some(Err(_)) => Err(silent(&mut child)),
            bytes => Ok(bytes.and_then(Result::ok).unwrap_or_default()),
        };
        let (output, errors) = (received(output)?, received(errors)?);
        drop(sent);
        let status = child.wait().map_err(|error| format!("cannot run git: {}", read::reason(&error)))?;
        if status.success() {
            return Ok(String::from_utf8_lossy(&output).into_owned());
        }
        let reason = String::from_utf8_lossy(&errors);
        Err(reason.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
    }

    /// A reader of the repository's objects; the error is a message for the user.
    pub fn objects(&self) -> Result<Objects, String> {
        let mut child = self.start(&["cat-file", "--batch"], Stdio::null())?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Objects { child, stdin, answers: answers(stdout) }),
            _ => Err("cannot run git".to_owned()),
        }
    }

    fn start(&self, arguments: &[&str], errors: Stdio) -> Result<Child, String> {
        let mut command = Command::new("git");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let mut own = OsString::from("core.attributesFile=");
        own.push(&self.attributes);
        command.arg("-c").arg(own).arg("--no-pager").args(arguments).current_dir(&self.folder);
        for variable in self.left_out {
            command.env_remove(variable);
        }
        command.envs(VARIABLES.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "git is not installed".to_owned(),
            _ => format!("cannot run git: {}", read::reason(&error)),
        })
    }
}

/// Ends a process that says nothing. Returns a message for the user.
fn silent(child: &mut Child) -> String {
    let _ = child.kill().and_then(|()| child.wait());
    format!("git does not answer within {} s", PATIENCE.as_secs())
}

/// Reads all that a process prints, in a thread.
fn collect(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Writes what a process reads, in a thread: it may print before it has read everything.
fn send(mut to: ChildStdin, input: Vec<u8>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let _ = to.write_all(&input);
    })
}

/// Reads objects, by one process.
pub struct Objects {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Option<Vec<u8>>>,
}

impl Objects {
    /// The bytes of an object; `None` if the repository does not have it, or if it is larger than any input; the error is a message for the user.
    pub fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>, String> {
        let sent = self.stdin.write_all(format!("{id}\n").as_bytes()).and_then(|()| self.stdin.flush());
        sent.map_err(|error| format!("cannot run git: {}", read::reason(&error)))?;
        self.answers.recv_timeout(PATIENCE).map_err(|_| silent(&mut self.child))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The answers of `cat-file --batch`, read in a thread.
fn answers(stdout: impl Read + Send + 'static) -> Receiver<Option<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(0);
    std::thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        while let Ok(answer) = answer(&mut stdout) {
            if sender.send(answer).is_err() {
                break;
            }
        }
    });
    receiver
}

/// One answer: `ID TYPE SIZE`, the bytes and a line break, or a line that says that there is no such object.
fn answer(stdout: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = String::new();
    if stdout.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, _, size] = words[..] else { return Ok(None) };
    let size: u64 = size.parse().map_err(io::Error::other)?;
    if size > read::MAX_SIZE {
        io::copy(&mut stdout.take(size + 1), &mut io::sink())?;
        return Ok(None);
    }
    let mut bytes = Vec::new();
    stdout.take(size + 1).read_to_end(&mut bytes)?;
    bytes.pop();
    Ok(Some(bytes))
}

/// The attribute files that apply to a file in a work tree have to be small regular files: git would read a pipe or a device for ever. The error names one that is not.
pub fn check_attribute_files(root: &Path, name: &str) -> Result<(), String> {
    let folders = Path::new(name).ancestors().skip(1);
    let files = folders.map(|folder| root.join(folder).join(".gitattributes"));
    for file in files.chain([root.join(".git/info/attributes")]) {
        match file.symlink_metadata() {
            Ok(about) if about.is_file() && about.len() <= read::MAX_SETTINGS_SIZE => {}
            Ok(_) => return Err(format!("{} is not a regular file of at most 1 MiB", file.display())),
            Err(_) => {}
        }
    }
    Ok(())
}
