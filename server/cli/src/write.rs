//! Files: edits applied to a text, and a new text put in place in one step.
//!
//! Must not know why a file changes.

use crate::output;
use diagnostics::Edit;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// A text after edits that are ordered and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        result.push_str(&text[at..edit.range.start]);
        result.push_str(&edit.text);
        at = edit.range.end;
    }
    result + &text[at..]
}

/// Puts a new text in a file's place in one step: whatever happens, either the old or the new text is there. Only if what the new text was made
/// from is there still: what somebody else wrote meanwhile is not lost. What one step would take from the file, such as its other names, is not
/// taken: then nothing is written.
pub fn replace(path: &Path, old: &[u8], text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let metadata = writable(&path)?;
    if links(&metadata) > 1 {
        return Err(io::Error::other("it has several hard links, and writing it would part them"));
    }
    let new = beside(&path, text.as_bytes(), Some(&metadata))?;
    if fs::read(&path)? != old {
        return Err(io::Error::other("it changed meanwhile; try again"));
    }
    Ok(new.persist(&path)?)
}

/// Writes a whole file: in one step where it is an ordinary one or none yet, and into it where it is a device, a pipe, or a file with several names.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What they stand for may be a file that another writes to: what both say comes one after the other.
    if path == Path::new("/dev/stdout") {
        return output::payload(bytes).map_err(io::Error::other);
    }
    if ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) {
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let metadata = fs::metadata(path).ok();
    let place = match &metadata {
        Some(metadata) if !metadata.is_file() || links(metadata) > 1 => None,
        Some(_) => path.canonicalize().ok(),
        // A link to what is not there yet: writing through it makes that.
        None => (!path.is_symlink()).then(|| path.to_owned()),
    };
    let Some(place) = place else { return fs::write(path, bytes) };
    if metadata.is_some() {
        writable(&place)?;
    }
    match beside(&place, bytes, metadata.as_ref()) {
        Ok(new) => Ok(new.persist(&place)?),
        // The file may be written, but not its folder.
        Err(error) if metadata.is_some() && error.kind() == io::ErrorKind::PermissionDenied => fs::write(&place, bytes),
        Err(error) => Err(error),
    }
}

/// What a file is that may be written: putting another in its place asks the folder alone.
fn writable(path: &Path) -> io::Result<Metadata> {
    let metadata = OpenOptions::new().write(true).open(path)?.metadata()?;
    match metadata.permissions().readonly() {
        true => Err(io::Error::other("it is read-only")),
        false => Ok(metadata),
    }
}

/// A new file beside another, with the same owner and permissions; without another, with those that a new file has.
fn beside(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<TempPath> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = create(folder)?;
    file.write_all(bytes)?;
    if let Some(like) = like {
        own(file.as_file(), like)?;
        file.as_file().set_permissions(like.permissions())?;
    }
    Ok(file.into_temp_path())
}

#[cfg(unix)]
fn create(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // The system takes away what its user wants no new file to have.
    let usual = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(".ptx-atomics-").permissions(usual).tempfile_in(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".ptx-atomics-").tempfile_in(folder)
}

/// Gives a file the owner and the group of another.
#[cfg(unix)]
fn own(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let metadata = file.metadata()?;
    let other = |ours: u32, theirs: u32| (ours != theirs).then_some(theirs);
    match (other(metadata.uid(), like.uid()), other(metadata.gid(), like.gid())) {
        (None, None) => Ok(()),
        (owner, group) => fchown(file, owner, group).map_err(|_| io::Error::other("it belongs to somebody else")),
    }
}

#[cfg(not(unix))]
fn own(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn links(_: &Metadata) -> u64 {
    1
}
