//! The table of escapes.

use libc::c_long;

/// The number of processes that the fork bomb starts.
pub(super) const PROCESSES_TRIED: u64 = 60;

/// A way out.
pub(super) struct Escape {
    pub(super) name: &'static str,
    /// The program. Names between `@` are put in. It prints `GOT OUT` where nothing else can be seen.
    pub(super) program: fn() -> String,
    pub(super) is_perl: bool,
    /// To whom it is open without a sandbox.
    pub(super) open: Open,
    /// True if the sandbox cannot keep root from it.
    pub(super) binds_no_root: bool,
}

/// To whom a way is open where there is no sandbox.
pub(super) enum Open {
    Anyone,
    /// To root alone, or where the settings of the kernel allow it.
    Few,
    /// The helper closes it by itself.
    Nobody,
}

const fn sh(name: &'static str, open: Open, program: fn() -> String) -> Escape {
    Escape {
        name,
        program,
        is_perl: false,
        open,
        binds_no_root: false,
    }
}

const fn perl(name: &'static str, open: Open, program: fn() -> String) -> Escape {
    Escape {
        is_perl: true,
        ..sh(name, open, program)
    }
}

/// Prints that it got out if the call gives a number that is no error.
fn call(number: c_long, arguments: &str) -> String {
    format!("print 'GOT OUT' if syscall({number}, {arguments}) >= 0;")
}

/// The same for calls that are allowed but cannot succeed: any error but `EPERM` shows that.
fn reached(expression: &str) -> String {
    format!("my $r = {expression}; print 'GOT OUT' if $r || $! != 1;")
}

/// Maps and fills 200 MB.
fn mapped(flags: i32, file: &str) -> String {
    let flags = flags | libc::MAP_POPULATE;
    call(
        libc::SYS_mmap,
        &format!("0, 200_000_000, 3, {flags}, {file}, 0"),
    )
}

use Open::{Anyone, Few, Nobody};

pub(super) const TABLE: &[Escape] = &[
    // Reading outside.
    sh("reads a file outside", Anyone, || {
        "cat @OUTSIDE@/secret".into()
    }),
    sh("reads along ..", Anyone, || "cat ../outside/secret".into()),
    sh("reads through a symbolic link", Anyone, || {
        "ln -s @OUTSIDE@/secret link; cat link".into()
    }),
    sh("reads through a hard link", Few, || {
        "ln @OUTSIDE@/secret hard; cat hard".into()
    }),
    sh("reads through its own root", Anyone, || {
        "cat /proc/self/root@OUTSIDE@/secret".into()
    }),
    sh("lists a folder outside", Anyone, || {
        "ls @OUTSIDE@ | grep -q secret && echo GOT OUT".into()
    }),
    perl("reads through a link that is swapped in", Anyone, || {
        // The reader goes on until it has seen the file outside, or the swapper has ended.
        "use POSIX ':sys_wait_h'; mkdir 'a'; open F, '>', 'a/secret'; print F 'x'; close F; my $pid = fork;
         if (!$pid) { for (1..50000) { rename 'a', 'b'; symlink '@OUTSIDE@', 'a'; unlink 'a'; rename 'b', 'a' } exit }
         until (waitpid $pid, WNOHANG) {
             if (open F, '<', 'a/secret') { my $seen = <F>; close F; if ($seen ne 'x') { print $seen; last } }
         } kill 'KILL', $pid;".into()
    }),
    sh(
        "reads a file that the helper was started with",
        Anyone,
        || "cat <&7".into(),
    ),
    // Writing outside.
    sh("writes a file outside", Anyone, || {
        "echo x > @OUTSIDE@/made".into()
    }),
    sh("makes a folder outside", Anyone, || {
        "mkdir @OUTSIDE@/made".into()
    }),
    sh("appends to a file outside", Anyone, || {
        "echo x >> @OUTSIDE@/kept".into()
    }),
    perl("cuts a file outside", Anyone, || {
        "truncate('@OUTSIDE@/kept', 0)".into()
    }),
    sh("deletes a file outside", Anyone, || {
        "rm -f @OUTSIDE@/kept".into()
    }),
    sh("moves a file in", Anyone, || "mv @OUTSIDE@/kept .".into()),
    sh("moves a file out", Anyone, || {
        "echo x > made; mv made @OUTSIDE@/made".into()
    }),
    sh("links a file out", Anyone, || {
        "echo x > made; ln made @OUTSIDE@/made".into()
    }),
    sh("writes through a symbolic link", Anyone, || {
        "ln -s @OUTSIDE@/kept link; echo x > link".into()
    }),
    sh("writes into a pipe outside", Anyone, || {
        "echo x > @OUTSIDE@/pipe".into()
    }),
    // The marks of files: modes, owners, times and attributes.
    sh("changes the mode of a file outside", Anyone, || {
        "chmod 640 @OUTSIDE@/kept && echo GOT OUT".into()
    }),
    perl("changes a mode through a handle", Few, || {
        // Opened for nothing, as landlock lets it, and then named by its number.
        format!(
            "my $p = '@OUTSIDE@/kept'; my $f = syscall({}, -100, $p, {}, 0); my $n = \"/proc/self/fd/$f\"; \
             print 'GOT OUT' if chmod 0640, $n",
            libc::SYS_openat,
            libc::O_PATH
        )
    }),
    sh("changes the group of a file outside", Few, || {
        "chgrp $(id -g) @OUTSIDE@/kept && echo GOT OUT".into()
    }),
    sh("changes the times of a file outside", Anyone, || {
        "touch -c -d 2001-01-01 @OUTSIDE@/kept && echo GOT OUT".into()
    }),
    perl("changes an attribute of a file outside", Few, || {
        let set = call(libc::SYS_setxattr, "$p, $n, $v, 1, 0");
        format!("my ($p, $n, $v) = ('@OUTSIDE@/kept', 'user.a', 'b'); {set}")
    }),
    sh("lends its rights by a mode", Anyone, || {
        "echo > own; chmod u+s own && echo GOT OUT".into()
    }),
    perl("makes a file that lends its rights", Anyone, || {
        let make = call(
            libc::SYS_openat,
            &format!("-100, $n, {}, 04755", libc::O_CREAT | libc::O_WRONLY),
        );
        format!("my $n = 'own'; {make}")
    }),
    perl("makes such a file by the newer call", Anyone, || {
        let make = call(libc::SYS_openat2, "-100, $n, $how, 24");
        format!(
            "my ($n, $how) = ('own', pack('QQQ', {}, 04755, 0)); {make}",
            libc::O_CREAT | libc::O_WRONLY
        )
    }),
    // Devices and the kernel's files.
    perl("opens a device", Anyone, || {
        "for ('/dev/ptmx', '/dev/mem', '/dev/kmsg', '/dev/fuse') { print 'GOT OUT' if sysopen F, $_, 2 }".into()
    }),
    sh("makes a device", Few, || {
        "mknod memory c 1 1 && echo GOT OUT".into()
    }),
    sh("writes a setting of the kernel", Few, || {
        "name=$(cat /proc/sys/kernel/hostname); echo $name > /proc/sys/kernel/hostname && echo GOT OUT".into()
    }),
    // Roots, mounts and namespaces.
    perl("changes its root", Few, || {
        "print 'GOT OUT' if chroot '.'".into()
    }),
    perl("mounts", Few, || {
        format!(
            "my ($n, $d, $t) = ('none', '.', 'tmpfs'); \
             if (syscall({}, $n, $d, $t, 0, 0) == 0) {{ print 'GOT OUT'; syscall({}, $d, 2) }}",
            libc::SYS_mount,
            libc::SYS_umount2
        )
    }),
    perl("makes a user namespace", Few, || {
        call(libc::SYS_unshare, &libc::CLONE_NEWUSER.to_string())
    }),
    perl("clones into a namespace", Few, || {
        let flags = libc::CLONE_NEWUSER | libc::SIGCHLD;
        let clone = libc::SYS_clone;
        format!(
            "my $r = syscall({clone}, {flags}, 0, 0, 0, 0); exit if $r == 0; print 'GOT OUT' if $r > 0"
        )
    }),
    perl("clones by the newer call", Few, || {
        let (flags, signal) = (libc::CLONE_NEWUSER, libc::SIGCHLD);
        let clone = libc::SYS_clone3;
        format!("my $a = pack('Q8', {flags}, 0, 0, 0, {signal}, 0, 0, 0); my $r = syscall({clone}, $a, 64);
                 exit if $r == 0; print 'GOT OUT' if $r > 0")
    }),
    perl("opens a file by its handle", Few, || {
        format!("my ($n, $h, $m) = ('@OUTSIDE@/secret', pack('IIx128', 128, 0), pack('i', 0)); open my $d, '<', '.';
                 syscall({}, -100, $n, $h, $m, 0) == 0 or exit; my $f = syscall({}, fileno $d, $h, 0);
                 if ($f >= 0) {{ open F, '<&=', $f; print <F> }}",
                libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at)
    }),
    // Other processes.
    sh("kills a process", Anyone, || {
        "kill -KILL @VICTIM@; sleep 0.1".into()
    }),
    sh("kills its helper", Anyone, || "kill -KILL $PPID".into()),
    perl("traces a process", Few, || {
        format!(
            "print 'GOT OUT' if syscall({}, 16, @VICTIM@, 0, 0) == 0",
            libc::SYS_ptrace
        )
    }),
    perl("opens the memory of a process", Few, || {
        "print 'GOT OUT' if open F, '<', '/proc/@VICTIM@/mem'".into()
    }),
    sh("reads the variables of a process", Anyone, || {
        "cat /proc/@VICTIM@/environ".into()
    }),
    sh("reads in the folder of a process", Anyone, || {
        "cat /proc/@VICTIM@/cwd/secret".into()
    }),
    sh("reads an open file of a process", Anyone, || {
        "cat /proc/@VICTIM@/fd/0".into()
    }),
    perl("copies the memory of a process", Few, || {
        let read = libc::SYS_process_vm_readv;
        let call = format!("syscall({read}, @VICTIM@, $mine, 1, $theirs, 1, 0) >= 0");
        format!(
            "my ($mine, $theirs) = (pack('QQ', 0, 8), pack('QQ', 0, 8)); {}",
            reached(&call)
        )
    }),
    perl("takes an open file of a process", Few, || {
        format!(
            "my $p = syscall({}, @VICTIM@, 0); print 'GOT OUT' if $p >= 0 && syscall({}, $p, 0, 0) >= 0",
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_getfd
        )
    }),
    perl("limits a process", Anyone, || {
        let limit = call(libc::SYS_prlimit64, "@VICTIM@, 0, $limit, 0");
        format!("my $limit = pack('QQ', 1, 1); {limit}")
    }),
    perl("makes a process wait for others", Anyone, || {
        call(libc::SYS_setpriority, "0, @VICTIM@, 19")
    }),
    perl("makes all of its user wait for others", Anyone, || {
        call(libc::SYS_setpriority, "2, 0, 19")
    }),
    perl("makes all of its user wait for the disk", Few, || {
        call(libc::SYS_ioprio_set, "3, 0, 16391")
    }),
    perl("binds a process to a processor", Anyone, || {
        let bind = call(libc::SYS_sched_setaffinity, "@VICTIM@, 8, $first");
        format!("my $first = pack('Q', 1); {bind}")
    }),
    perl("types into a terminal", Anyone, || {
        format!(
            "my $c = 'x'; {}",
            reached(&format!("ioctl(STDIN, {}, $c)", libc::TIOCSTI))
        )
    }),
    sh("outlives its call", Nobody, || {
        "setsid sh -c 'sleep 0.2; echo x > @OUTSIDE@/made' > /dev/null 2>&1 &".into()
    }),
    // The network.
    perl("connects to a port", Anyone, || {
        "use Socket; socket S, PF_INET, SOCK_STREAM, 0; connect S, sockaddr_in(@TCP@, INADDR_LOOPBACK)".into()
    }),
    perl("sends a datagram", Anyone, || {
        "use Socket; socket S, PF_INET, SOCK_DGRAM, 0; send S, 'x', 0, sockaddr_in(@UDP@, INADDR_LOOPBACK)".into()
    }),
    perl("listens on a port", Anyone, || {
        "use Socket; socket S, PF_INET, SOCK_STREAM, 0; print 'GOT OUT' if bind(S, sockaddr_in(0, INADDR_LOOPBACK)) && listen S, 1".into()
    }),
    perl("opens a socket for names", Anyone, || {
        "use Socket; print 'GOT OUT' if socket S, PF_INET6, SOCK_DGRAM, 17".into()
    }),
    perl("opens a raw socket", Few, || {
        "print 'GOT OUT' if socket S, 2, 3, 1".into()
    }),
    perl("opens a packet socket", Few, || {
        "print 'GOT OUT' if socket S, 17, 3, 0".into()
    }),
    perl("opens a netlink socket", Anyone, || {
        "print 'GOT OUT' if socket S, 16, 3, 0".into()
    }),
    perl("connects to an abstract socket", Anyone, || {
        "use Socket; socket S, PF_UNIX, SOCK_STREAM, 0; connect S, pack('Sa*', AF_UNIX, \"\\0@ABSTRACT@\")".into()
    }),
    perl("connects to a socket of the file system", Anyone, || {
        "use Socket; socket S, PF_UNIX, SOCK_STREAM, 0; connect S, sockaddr_un('@OUTSIDE@/socket')"
            .into()
    }),
    // Parts of the kernel that escapes begin with.
    perl("reads the user's keyring", Few, || {
        call(libc::SYS_keyctl, "0, -4, 1")
    }),
    perl("adds a key", Few, || {
        let add = call(libc::SYS_add_key, "$t, $n, $v, 1, -2");
        format!("my ($t, $n, $v) = ('user', 'a', 'b'); {add}")
    }),
    perl("watches page faults", Few, || {
        call(libc::SYS_userfaultfd, "1")
    }),
    perl("sets up a ring", Few, || {
        format!(
            "my $p = \"\\0\" x 120; {}",
            call(libc::SYS_io_uring_setup, "1, $p")
        )
    }),
    perl("loads into the kernel's machine", Few, || {
        format!(
            "my $a = pack('IIIIx56', 2, 4, 4, 1); {}",
            call(libc::SYS_bpf, "0, $a, 72")
        )
    }),
    perl("counts events of the processor", Few, || {
        // A software clock, of this process, without the kernel.
        format!(
            "my $a = pack('IIQQQQQx64', 1, 112, 0, 0, 0, 0, 1 << 5); {}",
            call(libc::SYS_perf_event_open, "$a, 0, -1, -1, 0")
        )
    }),
    perl("changes its personality", Anyone, || {
        call(libc::SYS_personality, "0x0400000")
    }),
    // Floods.
    Escape {
        binds_no_root: true,
        ..perl("forks without end", Anyone, || {
            format!("my $n = 0; for (1..{PROCESSES_TRIED}) {{ my $p = fork; last unless defined $p; if (!$p) {{ sleep 3; exit }} $n++ }}
                     $| = 1; print 'GOT OUT' if $n == {PROCESSES_TRIED}; kill 'KILL', 0")
        })
    },
    sh("fills the disk", Anyone, || {
        "head -c 3000000 /dev/urandom > big; [ $(wc -c < big) = 3000000 ] && echo GOT OUT".into()
    }),
    perl("fills the disk beyond the end of a file", Few, || {
        let reserve = call(libc::SYS_fallocate, "fileno F, 1, 0, 3_000_000");
        format!("open F, '>', 'big'; {reserve}")
    }),
    perl("fills the memory with queues", Anyone, || {
        "my $q = msgget 0, 0600; print 'GOT OUT' if defined $q; msgctl $q, 0, 0".into()
    }),
    perl("fills the memory with semaphores", Anyone, || {
        "my $s = semget 0, 1000, 0600; print 'GOT OUT' if defined $s; semctl $s, 0, 0, 0".into()
    }),
    perl("fills the memory", Anyone, || {
        "my $x = 'x' x 200_000_000; print 'GOT OUT' if length $x == 200_000_000".into()
    }),
    perl("fills the memory with files", Anyone, || {
        format!(
            "my ($n, $name, $x) = (0, 'a', 'x' x 1_000_000);
             for (1..150) {{ my $f = syscall({}, $name, 0); last if $f < 0; open my $o, '>&=', $f; $n += syswrite $o, $x; push @kept, $o }}
             print 'GOT OUT' if $n == 150_000_000",
            libc::SYS_memfd_create
        )
    }),
    perl("fills the memory with shared parts", Anyone, || {
        "my ($n, @ids) = (0);
         for (1..15) { my $id = shmget 0, 10_000_000, 0600; last unless defined $id; push @ids, $id;
                       $n++ if shmwrite $id, 'x' x 10_000_000, 0, 10_000_000 }
         print 'GOT OUT' if $n == 15; shmctl $_, 0, 0 for @ids"
            .into()
    }),
    perl("fills the memory with shared pages", Anyone, || {
        mapped(libc::MAP_SHARED | libc::MAP_ANONYMOUS, "-1")
    }),
    perl("fills the memory with a stack", Anyone, || {
        mapped(
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_GROWSDOWN,
            "-1",
        )
    }),
    perl(
        "fills the memory with pages that become read-only",
        Anyone,
        || {
            // Step by step, since the limit counts what may be written.
            let (map, protect) = (libc::SYS_mmap, libc::SYS_mprotect);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
            format!(
            "for (1..8) {{ my $a = syscall({map}, 0, 100_000_000, 3, {flags}, -1, 0); exit if $a < 0;
                           syscall({protect}, $a, 100_000_000, 1); select undef, undef, undef, 0.2 }}
             print 'GOT OUT'"
        )
        },
    ),
    perl("fills the memory with pages of a device", Anyone, || {
        let map = mapped(libc::MAP_SHARED, "fileno F");
        format!("open F, '+<', '/dev/zero' or exit; {map}")
    }),
    sh("burns a processor", Anyone, || "while :; do :; done".into()),
];
