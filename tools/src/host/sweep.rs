//! Killing everything that descends from this process.

use rustix::process::{Pid, Signal, kill_process_group};

/// Sends SIGKILL to every descendant of this process, and to what is in the process group of `program`.
///
/// One sweep may miss what is being started meanwhile; the caller sweeps until it has no child left.
pub(super) fn kill_descendants(program: Pid) {
    #[cfg(target_os = "linux")]
    linux::kill_tree(program);
    #[cfg(not(target_os = "linux"))]
    kill_whole_group(program);
}

/// Sends SIGKILL to the process group that `leader`, a child of this process, leads: with the first process in a namespace
/// all that is in there ends, and no flood outruns that.
pub(super) fn kill_group(leader: Pid) {
    #[cfg(target_os = "linux")]
    kill_group_of_child(leader);
    #[cfg(not(target_os = "linux"))]
    kill_whole_group(leader);
}

/// The number is the group's as long as its leader is ours.
#[cfg(target_os = "linux")]
fn kill_group_of_child(leader: Pid) {
    let process = u32::try_from(leader.as_raw_pid()).map(super::stat::read);
    if matches!(process, Ok(Ok(process)) if process.parent == std::process::id()) {
        kill_whole_group(leader);
    }
}

/// Kills a process group. One call reaches a whole group, however fast its members fork. The call
/// fails if the group is gone: then that is that.
fn kill_whole_group(leader: Pid) {
    kill_process_group(leader, Signal::KILL).ok();
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::super::stat::{self, Stat};

    pub(super) fn kill_tree(program: Pid) {
        let own = std::process::id();
        super::kill_group_of_child(program);
        // Without /proc there is only the group to go by.
        let Ok(all) = stat::all() else {
            return super::kill_whole_group(program);
        };
        let descendants = stat::descendants(&all, own);
        // As long as one of ours is in the group, its number cannot belong to a stranger's.
        if descendants
            .iter()
            .any(|process| u32::try_from(program.as_raw_pid()) == Ok(process.group))
        {
            super::kill_whole_group(program);
        }
        descendants.into_iter().for_each(kill);
    }

    /// Kills `process`, and no later one that got its id. An error means that it is gone.
    fn kill(process: Stat) {
        let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
        let Some(Ok(handle)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
            return;
        };
        // The handle is taken before the time is compared: from there on the id cannot pass to
        // another.
        if stat::read(process.pid).is_ok_and(|now| now.started == process.started) {
            pidfd_send_signal(handle, Signal::KILL).ok();
        }
    }
}
