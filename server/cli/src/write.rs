//! Applying edits, and replacing files atomically.

use crate::output;
use diagnostics::Edit;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// Applies edits that are sorted and do not overlap.
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

/// Replaces a file atomically. Fails if the file no longer has its old content, so that changes by other programs are not lost, and if
/// it has several hard links, because replacing would separate them.
pub fn replace(path: &Path, old: &[u8], text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let metadata = writable(&path)?;
    if links(&metadata) > 1 {
        return Err(io::Error::other("the file has several hard links"));
    }
    let new = beside(&path, text.as_bytes(), Some(&metadata))?;
    if fs::read(&path)? != old {
        return Err(io::Error::other("the file was changed by another program; try again"));
    }
    Ok(new.persist(&path)?)
}

/// Writes a file: atomically where it is a regular file or new, in place where it is a device, a pipe, or a file with several hard links.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // These may be a file that another process also writes to, so append.
    if path == Path::new("/dev/stdout") {
        return output::payload(bytes).map_err(io::Error::other);
    }
    // Folders in `/dev`, such as `/dev/shm`, have files like others.
    let is_device =
        path.parent() == Some(Path::new("/dev")) || path.starts_with("/dev/fd") || path.starts_with("/proc");
    if is_device {
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let metadata = fs::metadata(path).ok();
    let place = match &metadata {
        Some(metadata) if !metadata.is_file() || links(metadata) > 1 => None,
        Some(_) => path.canonicalize().ok(),
        // Writing through a dangling symbolic link creates its target.
        None => (!path.is_symlink()).then(|| path.to_owned()),
    };
    let Some(place) = place else { return fs::write(path, bytes) };
    if metadata.is_some() {
        writable(&place)?;
    }
    match beside(&place, bytes, metadata.as_ref()) {
        Ok(new) => Ok(new.persist(&place)?),
        // The file is writable, but its folder is not.
        Err(error) if metadata.is_some() && error.kind() == io::ErrorKind::PermissionDenied => fs::write(&place, bytes),
        Err(error) => Err(error),
    }
}

/// Writes a file that is a regular file or new, and nothing else: no link is followed.
pub fn write_regular(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other("not a regular file")),
        _ => Ok(beside(path, bytes, None)?.persist(path)?),
    }
}

/// Metadata of a file, if it is writable: a rename would check only the folder's permissions.
fn writable(path: &Path) -> io::Result<Metadata> {
    let metadata = OpenOptions::new().write(true).open(path)?.metadata()?;
    if metadata.permissions().readonly() {
        return Err(io::Error::other("the file is read-only"));
    }
    Ok(metadata)
}

/// A temporary file in the folder of `path`, with the owner and permissions of `like`, or else default ones.
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
    // The system applies the umask.
    let usual = fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().prefix(".ptx-atomics-").permissions(usual).tempfile_in(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".ptx-atomics-").tempfile_in(folder)
}

/// Copies the owner and the group.
#[cfg(unix)]
fn own(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let metadata = file.metadata()?;
    let other = |ours: u32, theirs: u32| (ours != theirs).then_some(theirs);
    match (other(metadata.uid(), like.uid()), other(metadata.gid(), like.gid())) {
        (None, None) => Ok(()),
        (owner, group) => fchown(file, owner, group).map_err(|_| io::Error::other("the file belongs to another user")),
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
