//! Both ways along a path, against the table of paths.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use folkmoot_core::tool::constraint::path::parts;

use super::{at_once, link, step_by_step};
use crate::stage::paths::{Leads, Tree};

/// The folder that was reached, by device and inode; else the kind of the error.
fn reached(opened: io::Result<OwnedFd>) -> Result<(u64, u64), io::ErrorKind> {
    let folder = opened.map(File::from).map_err(|error| error.kind())?;
    let metadata = folder.metadata().unwrap();
    Ok((metadata.dev(), metadata.ino()))
}

#[test]
fn the_kernel_and_our_own_steps_lead_to_the_same_folder_or_fail_alike() {
    let tree = Tree::new();
    let root = File::open(tree.root()).unwrap();
    let mut tried = 0;
    for (path, leads) in &tree.paths {
        let Ok(names) = parts(path) else { continue };
        // A longer path ends at once in the kernel; tools refuse it before.
        if path.len() > 4095 {
            continue;
        }
        let by_kernel = match at_once(&root, &names) {
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => return,
            Err(rustix::io::Errno::LOOP) => Err(link()),
            other => other.map_err(io::Error::from),
        };
        let by_kernel = reached(by_kernel);
        assert_eq!(by_kernel, reached(step_by_step(&root, &names)), "{path:?}");
        let is_folder = matches!(leads, Leads::Root | Leads::Folder | Leads::EmptyFolder);
        assert_eq!(by_kernel.is_ok(), is_folder, "{path:?}: {by_kernel:?}");
        let is_link = matches!(leads, Leads::Link(_) | Leads::Through(_));
        let is_refused = by_kernel == Err(io::ErrorKind::PermissionDenied);
        assert_eq!(is_refused, is_link, "{path:?}: {by_kernel:?}");
        tried += 1;
    }
    assert!(tried >= 120, "{tried}");
}
