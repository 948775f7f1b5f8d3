//! The filter of calls: those that no tool needs and that escapes are made of fail with `EPERM`.

use std::collections::BTreeMap;

use folkmoot_core::port::Network;
use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_int};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

/// Calls that are refused whatever their arguments are.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_process_mrelease,
    // Mounts, roots and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    // Files by another way than their path.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // Memory that no limit of a process counts.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_semget,
    libc::SYS_msgget,
    // Keys of the user.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Parts of the kernel that escapes begin with.
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];
/// Calls that change the limits or the turn of a process, and the argument that names it: 0 is the caller itself. The user's
/// other processes are open to them, and landlock knows none of them.
const ABOUT_PROCESSES: [(i64, u8); 7] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
];
/// Those of them that can also name all processes of a user, and the word for that.
const ABOUT_USERS: [(i64, u64); 2] = [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];
/// Calls that give a file its mode, and the argument that has it.
const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];
/// Calls that give a file its mode if they make one, and the arguments that have the flags and the mode.
const OPENING: &[(i64, u8, u8)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];
/// The bits of a mode that lend the owner's or the group's rights to whoever runs the file.
const LENDING: [u32; 2] = [libc::S_ISUID, libc::S_ISGID];
/// The same number on every processor.
const SYS_FCHMODAT2: i64 = 452;
/// Calls that change modes, owners, times and attributes.
const MARKS: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // `setxattrat`, `removexattrat` and `file_setattr`.
    463,
    466,
    469,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];
/// Flags of `clone` that make a namespace.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// Families of sockets that a program with a network needs.
const FAMILIES: [c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The bits of a socket's type that are no flags.
const SOCKET_TYPES: u64 = 0xf;
/// Asks `personality` for the present one.
const SAME_PERSONALITY: u64 = 0xffff_ffff;
/// From here on a number is a call of another form (x32), which no rule below knows.
const OTHER_FORMS: u32 = 0x4000_0000;

/// A reason why the filter was not installed.
#[derive(Debug, thiserror::Error)]
pub(super) enum FilterError {
    /// The filter cannot be made for this processor.
    #[error(transparent)]
    Made(#[from] BackendError),
    /// The kernel takes none.
    #[error(transparent)]
    Installed(#[from] seccompiler::Error),
}

/// The parts of the filter that are not the same for all programs.
pub(super) struct Beyond {
    pub(super) network: Network,
    /// True if the program stays in its group, so that one signal reaches it all.
    pub(super) keeps_group: bool,
    /// True if modes, owners, times and attributes of files stay as they are.
    pub(super) keeps_marks: bool,
}

/// Installs the filter for this process and all that it starts.
pub(super) fn filter(beyond: &Beyond) -> Result<(), FilterError> {
    if beyond.keeps_group {
        // They succeed without effect: programs that detach themselves take an error for the end.
        let calls = [libc::SYS_setsid, libc::SYS_setpgid];
        let rules = calls.map(|call| (call, Vec::new())).into();
        seccompiler::apply_filter(&compiled(rules, 0)?)?;
    }
    let mut program: BpfProgram = unknown_forms().into();
    program.extend(compiled(refused(beyond)?, libc::EPERM)?);
    Ok(seccompiler::apply_filter(&program)?)
}

fn compiled(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: c_int,
) -> Result<BpfProgram, BackendError> {
    let refused = SeccompAction::Errno(error.unsigned_abs());
    let processor = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, processor)?.try_into()
}

fn refused(beyond: &Beyond) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let marks = MARKS.iter().filter(|_| beyond.keeps_marks);
    let always = REFUSED.iter().chain(marks);
    let mut some: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut add = |call: i64, more: Vec<SeccompRule>| some.entry(call).or_default().extend(more);
    for (call, argument) in ABOUT_PROCESSES {
        add(
            call,
            vec![SeccompRule::new(vec![word(
                argument,
                SeccompCmpOp::Ne,
                0,
            )?])?],
        );
    }
    for (call, users) in ABOUT_USERS {
        add(
            call,
            vec![SeccompRule::new(vec![word(0, SeccompCmpOp::Eq, users)?])?],
        );
    }
    for (call, mode) in MODES {
        add(*call, lending(*mode, None)?);
    }
    for (call, flags, mode) in OPENING {
        for making in [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY] {
            add(
                *call,
                lending(*mode, Some(&has_bits(*flags, making.unsigned_abs())?))?,
            );
        }
    }
    add(libc::SYS_mmap, uncounted_memory()?);
    add(libc::SYS_fallocate, vec![reserving()?]);
    add(libc::SYS_clone, namespaces()?);
    add(libc::SYS_ioctl, terminals()?);
    add(libc::SYS_personality, personalities()?);
    add(libc::SYS_socketpair, vec![none_of([libc::AF_UNIX])?]);
    match beyond.network {
        // One in the file system could reach any service of the machine.
        Network::None => drop(some.insert(libc::SYS_socket, Vec::new())),
        Network::Any => drop(some.insert(libc::SYS_socket, sockets()?)),
    }
    // No rule at all refuses whatever the arguments are.
    some.extend(always.map(|call| (*call, Vec::new())));
    Ok(some)
}

/// Modes that lend rights, in the argument `mode`, where the condition `also` holds.
fn lending(mode: u8, also: Option<&SeccompCondition>) -> Result<Vec<SeccompRule>, BackendError> {
    let has = |bit: u32| {
        let conditions = std::iter::once(has_bits(mode, bit)?).chain(also.cloned());
        SeccompRule::new(conditions.collect())
    };
    LENDING.into_iter().map(has).collect()
}

/// Space of the disk beyond a file's end, which the limit of its size does not count.
fn reserving() -> Result<SeccompRule, BackendError> {
    let keeps = libc::FALLOC_FL_KEEP_SIZE.unsigned_abs();
    // With this one space is given back.
    let holes = libc::FALLOC_FL_PUNCH_HOLE.unsigned_abs();
    let masked = SeccompCmpOp::MaskedEq(u64::from(keeps | holes));
    SeccompRule::new(vec![word(1, masked, u64::from(keeps))?])
}

/// A condition on bits of the lower half of an argument: all are set.
fn has_bits(argument: u8, bits: u32) -> Result<SeccompCondition, BackendError> {
    let bits = u64::from(bits);
    word(argument, SeccompCmpOp::MaskedEq(bits), bits)
}

/// The instructions in front of the filter. To them `clone3` and `openat2`, whose flags cannot be looked at, and calls of
/// another form do not exist. A C library then takes `clone` and `openat`.
fn unknown_forms() -> [sock_filter; 5] {
    let step = |code: u32, jt: u8, jf: u8, k: u32| sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt,
        jf,
        k,
    };
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or_default();
    let openat2 = u32::try_from(libc::SYS_openat2).unwrap_or_default();
    let no_such_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    [
        // The call's number is the first word that a filter sees.
        step(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0),
        step(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, clone3),
        step(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, openat2),
        step(BPF_JMP | BPF_JGE | BPF_K, 0, 1, OTHER_FORMS),
        step(BPF_RET | BPF_K, 0, 0, no_such_call),
    ]
}

/// Memory that the limit of a process does not count: shared without a file, or growing like a stack.
fn uncounted_memory() -> Result<Vec<SeccompRule>, BackendError> {
    let has = |flags: c_int| {
        let flags = u64::from(flags.unsigned_abs());
        SeccompRule::new(vec![word(3, SeccompCmpOp::MaskedEq(flags), flags)?])
    };
    [libc::MAP_SHARED | libc::MAP_ANONYMOUS, libc::MAP_GROWSDOWN]
        .into_iter()
        .map(has)
        .collect()
}

fn namespaces() -> Result<Vec<SeccompRule>, BackendError> {
    let has = |flag: &c_int| {
        let flag = u64::from(flag.unsigned_abs());
        let mask = SeccompCmpOp::MaskedEq(flag);
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, mask, flag)?;
        SeccompRule::new(vec![condition])
    };
    NAMESPACES.iter().map(has).collect()
}

/// Words put into a terminal as if a person had typed them.
fn terminals() -> Result<Vec<SeccompRule>, BackendError> {
    let is = |request| SeccompRule::new(vec![word(1, SeccompCmpOp::Eq, request)?]);
    [libc::TIOCSTI, libc::TIOCLINUX]
        .into_iter()
        .map(is)
        .collect()
}

fn personalities() -> Result<Vec<SeccompRule>, BackendError> {
    let other = [
        word(0, SeccompCmpOp::Ne, 0)?,
        word(0, SeccompCmpOp::Ne, SAME_PERSONALITY)?,
    ];
    Ok(vec![SeccompRule::new(other.into())?])
}

/// Sockets of other families than a network needs, and those that make packets by hand.
fn sockets() -> Result<Vec<SeccompRule>, BackendError> {
    let raw = |family: c_int| {
        let masked = SeccompCmpOp::MaskedEq(SOCKET_TYPES);
        SeccompRule::new(vec![
            word(0, SeccompCmpOp::Eq, u64::from(family.unsigned_abs()))?,
            word(1, masked, u64::from(libc::SOCK_RAW.unsigned_abs()))?,
        ])
    };
    Ok(vec![
        none_of(FAMILIES)?,
        raw(libc::AF_INET)?,
        raw(libc::AF_INET6)?,
    ])
}

/// Refuses where the first argument is none of `allowed`.
fn none_of<const N: usize>(allowed: [c_int; N]) -> Result<SeccompRule, BackendError> {
    let not = |value: c_int| word(0, SeccompCmpOp::Ne, u64::from(value.unsigned_abs()));
    SeccompRule::new(allowed.into_iter().map(not).collect::<Result<_, _>>()?)
}

/// A condition on the lower half of an argument.
fn word(
    argument: u8,
    operation: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operation, value)
}
