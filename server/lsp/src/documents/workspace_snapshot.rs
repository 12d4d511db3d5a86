//! All documents of a client: open ones, and files in its workspace folders.

use crate::client::client_features::ClientFeatures;
use crate::configuration::settings::EnabledHosts;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use crate::uri;
use diagnostics::Settings;
use foldhash::fast::FixedState;
use hosts::Language;
use hosts::cpp::MacroSet;
use hosts::inline_asm::HostLanguage;
use ide::{LintText, Text};
use lints::Check;
use project::{ConfigCache, read};
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::ls_types as lsp;

/// The open documents, and where to find the other files.
pub struct WorkspaceSnapshot {
    /// Open documents.
    pub documents: Vec<DocumentSnapshot>,
    /// Workspace folders.
    pub roots: Vec<PathBuf>,
    /// Settings of the client and the command line, which override the project's file.
    pub settings: Settings,
    /// The languages whose files are included while they are not open.
    pub hosts: EnabledHosts,
    /// URL template of the rules' pages, as in a [`DocumentSnapshot`].
    pub pages: Option<Arc<str>>,
    /// The client's capabilities.
    pub features: ClientFeatures,
}

/// A file that is not open.
pub struct ClosedFile {
    /// Its URI.
    pub uri: lsp::Uri,
    path: PathBuf,
    settings: Settings,
}

impl WorkspaceSnapshot {
    /// Files in the folders that are not open; those found so far if cancellation is requested.
    pub fn closed(&self, cancel: &CancelFlag) -> Vec<ClosedFile> {
        let open: BTreeSet<PathBuf> =
            self.documents.iter().filter_map(|snapshot| uri::path_of(&snapshot.uri)).collect();
        let roots: Vec<PathBuf> = self.roots.iter().filter(|root| root.is_dir()).cloned().collect();
        let Ok(projects) = ConfigCache::new(None) else { return Vec::new() };
        let goes_on = || !cancel.is_cancelled();
        let searched = (project::NamedFiles::MayBeExcluded, project::VendoredFiles::LeftOut);
        let files = project::discover_while(&roots, &projects, searched, &goes_on)
            .files
            .into_iter()
            .filter(|file| !open.contains(file));
        let files = files.filter(|file| self.hosts.include(&file.to_string_lossy()));
        let closed = files.take_while(|_| goes_on()).filter_map(|path| {
            let (settings, _) = projects.settings(&self.settings, &path);
            Some(ClosedFile { uri: uri::uri_of(&std::path::absolute(&path).ok()?)?, path, settings })
        });
        closed.collect()
    }

    /// A snapshot of a file for diagnostics only; `None` if it cannot be read.
    pub fn lint(&self, file: &ClosedFile) -> Option<DocumentSnapshot<dyn Check>> {
        self.open(file, |language, text, macros| {
            LintText::parse(language, text).included_with(macros).under(file.settings.clone())
        })
    }

    /// A snapshot of a file for all requests; `None` if it cannot be read.
    pub fn parse(&self, file: &ClosedFile) -> Option<DocumentSnapshot> {
        self.open(file, |language, text, macros| {
            Text::parse(language, text).included_with(macros).under(file.settings.clone())
        })
    }

    fn open<S: Check + ?Sized>(
        &self,
        file: &ClosedFile,
        reader: impl FnOnce(Language, &str, Arc<[MacroSet]>) -> Arc<S>,
    ) -> Option<DocumentSnapshot<S>> {
        let (language, text) = read::in_language(&file.path, read::decode(read::bytes(&file.path).ok()?)).ok()?;
        let source = reader(language, &text, project::including_macros(&file.path, &text).into());
        Some(DocumentSnapshot::closed(file.uri.to_string(), source, self.pages.clone(), self.features))
    }
}

impl EnabledHosts {
    /// Whether files with a name are included.
    fn include(self, name: &str) -> bool {
        match Language::of_path(name) {
            Some(Language::Host(HostLanguage::Cpp)) => self.cuda,
            Some(Language::Host(HostLanguage::Python | HostLanguage::Notebook)) => self.python,
            // Editors have no setting for other hosts.
            Some(Language::Host(_)) => false,
            Some(_) => true,
            None => self.cuda || !Language::may_be_included(name),
        }
    }
}

impl ClosedFile {
    /// A result id that changes whenever the file or its diagnostics may have changed; `None` if the file is gone.
    pub fn state(&self) -> Option<String> {
        let about = Path::metadata(&self.path).ok()?;
        let state = (about.len(), about.modified().ok(), format!("{:?}", self.settings));
        Some(format!("file-{:016x}", FixedState::default().hash_one(state)))
    }
}
