/* Stands between a program and its system library, and lets I/O calls below one folder fail, stop short or be the last.
 *
 * FAULTS_UNDER   the folder, absolute; calls on other files pass through and are not counted
 * FAULTS_AT      the number of the call, from 1; 0: only count
 * FAULTS_HOW     io, full, interrupted, short, torn (half of a write, then SIGKILL) or kill (SIGKILL before the call)
 * FAULTS_LAST    set: all calls from that one on
 * FAULTS_TRACE   a file outside of the folder that gets a line for each call that counts: the function and the file
 *
 * A page that the program has read by pread is in the system's memory: reading it again by pread is no call that counts.
 * What programs do through raw system calls or mapped memory passes by. So do the programs that this one starts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum how { IO, FULL, INTERRUPTED, SHORT, TORN, KILL };
/* What a call may say besides EIO. */
enum kind { PLAIN = 0, MAY_BE_FULL = 1, MAY_BE_INTERRUPTED = 2, MOVES_BYTES = 4 };

static char under[PATH_MAX];
static size_t under_len;
static long at;
static int lasts, trace = -1;
static enum how how;
static atomic_long calls;

__attribute__((constructor)) static void begin(void) {
    static const char *const names[] = {"io", "full", "interrupted", "short", "torn", "kill"};
    const char *given = getenv("FAULTS_UNDER"), *chosen = getenv("FAULTS_HOW"), *number = getenv("FAULTS_AT");
    const char *file = getenv("FAULTS_TRACE");
    if (given) {
        snprintf(under, sizeof under, "%s", given);
        under_len = strlen(under);
    }
    at = number ? atol(number) : 0;
    for (int one = IO; chosen && one <= KILL; one++)
        if (!strcmp(chosen, names[one])) how = one;
    lasts = getenv("FAULTS_LAST") != NULL;
    if (file) trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unsetenv("LD_PRELOAD");
}

static int is_under(const char *path) {
    return under_len && !strncmp(path, under, under_len) && (path[under_len] == '/' || !path[under_len] || path[under_len] == ' ');
}

/* The file behind a handle. */
static const char *of_fd(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long len = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[len < 0 ? 0 : len] = 0;
    return path;
}

/* The file that a path names. */
static const char *of_path(int dir, const char *name, char *path) {
    if (name[0] == '/') return name;
    size_t len = 0;
    if (dir == AT_FDCWD) {
        long got = syscall(SYS_getcwd, path, PATH_MAX);
        len = got > 0 ? (size_t)got - 1 : 0;
    } else {
        len = strlen(of_fd(dir, path));
    }
    if (!name[0]) return path;
    snprintf(path + len, PATH_MAX - len, "/%s", name);
    return path;
}

static void say(const char *call, const char *path) {
    char line[PATH_MAX + 64];
    int len = snprintf(line, sizeof line, "%s %s\n", call, path[under_len] ? path + under_len + 1 : ".");
    syscall(SYS_write, trace, line, len);
}

enum then { GO_ON, FAIL, HALF, HALF_AND_DIE };

/* Counts a call on a file; says what becomes of it. Failing sets errno. */
static enum then counted(const char *call, int kind, const char *path) {
    if (!under_len || !is_under(path)) return GO_ON;
    long number = ++calls;
    if (trace >= 0) say(call, path);
    if (!at || number < at || (number > at && !lasts)) return GO_ON;
    if (how == KILL || (how == TORN && !(kind & MOVES_BYTES && kind & MAY_BE_FULL))) raise(SIGKILL);
    if (how == TORN) return HALF_AND_DIE;
    if (how == SHORT && kind & MOVES_BYTES) return HALF;
    errno = how == FULL && kind & MAY_BE_FULL                 ? ENOSPC
            : how == INTERRUPTED && kind & MAY_BE_INTERRUPTED ? EINTR
                                                              : EIO;
    return FAIL;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define ON_FD(call, kind, fd) char path[PATH_MAX]; enum then then = under_len ? counted(call, kind, of_fd(fd, path)) : GO_ON
#define ON_PATH(call, kind, dir, name) char path[PATH_MAX]; enum then then = under_len ? counted(call, kind, of_path(dir, name, path)) : GO_ON
#define FAILS(value) if (then != GO_ON) { if (then != FAIL) errno = EIO; return value; }

static int open_kind(int flags) { return MAY_BE_INTERRUPTED | (flags & O_CREAT ? MAY_BE_FULL : PLAIN); }
static mode_t mode_of(int flags, va_list more) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; }

#define OPENS(name) \
    int name(const char *file, int flags, ...) { \
        REAL(name); \
        va_list more; va_start(more, flags); mode_t mode = mode_of(flags, more); va_end(more); \
        ON_PATH("open", open_kind(flags), AT_FDCWD, file); FAILS(-1); \
        return real(file, flags, mode); \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int dir, const char *file, int flags, ...) { \
        REAL(name); \
        va_list more; va_start(more, flags); mode_t mode = mode_of(flags, more); va_end(more); \
        ON_PATH("open", open_kind(flags), dir, file); FAILS(-1); \
        return real(dir, file, flags, mode); \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

#define CREATES(name) \
    int name(const char *file, mode_t mode) { \
        REAL(name); ON_PATH("open", open_kind(O_CREAT), AT_FDCWD, file); FAILS(-1); return real(file, mode); \
    }
CREATES(creat)
CREATES(creat64)

/* The pages of files that were read. */
#define PAGE 4096
#define PAGES (64 * 1024)
static struct { dev_t dev; ino_t ino; unsigned char is_read[PAGES]; } files[8];
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

/* Whether all of a range was read; notes that it was, if told to. */
static int known(int fd, off64_t place, ssize_t len, int note) {
    struct stat about;
    if (!under_len || len <= 0 || syscall(SYS_fstat, fd, &about)) return 0;
    off64_t end = place + len < about.st_size ? place + len : about.st_size;
    int all = end <= (off64_t)PAGE * PAGES;
    while (atomic_flag_test_and_set(&is_busy)) {}
    size_t file = 0;
    while (file < 8 && files[file].ino && (files[file].ino != about.st_ino || files[file].dev != about.st_dev)) file++;
    if (file == 8) all = 0;
    if (all && note) files[file].dev = about.st_dev, files[file].ino = about.st_ino;
    for (off64_t page = place / PAGE; all && page * PAGE < end; page++)
        if (note) files[file].is_read[page] = 1;
        else if (!files[file].is_read[page]) all = 0;
    atomic_flag_clear(&is_busy);
    return all;
}

#define READS (MOVES_BYTES | MAY_BE_INTERRUPTED)
#define WRITES (MOVES_BYTES | MAY_BE_INTERRUPTED | MAY_BE_FULL)

/* A call on a buffer: whole, half of it, or not at all. */
#define MOVES(call, kind, half) \
    ON_FD(call, kind, fd); \
    if (then == FAIL) return -1; \
    if (then == HALF || then == HALF_AND_DIE) { \
        ssize_t moved = half; \
        if (then == HALF_AND_DIE) raise(SIGKILL); \
        return moved; \
    }
#define HALF_OF(len) ((len) > 1 ? (len) / 2 : (len))

ssize_t read(int fd, void *to, size_t len) {
    REAL(read); MOVES("read", READS, real(fd, to, HALF_OF(len))); return real(fd, to, len);
}
ssize_t write(int fd, const void *from, size_t len) {
    REAL(write); MOVES("write", WRITES, real(fd, from, HALF_OF(len))); return real(fd, from, len);
}
#define PREADS(name, offset) \
    ssize_t name(int fd, void *to, size_t len, offset place) { \
        REAL(name); \
        if (known(fd, place, len, 0)) return real(fd, to, len, place); \
        MOVES("pread", READS, real(fd, to, HALF_OF(len), place)); \
        ssize_t got = real(fd, to, len, place); \
        known(fd, place, got, 1); \
        return got; \
    }
PREADS(pread, off_t)
PREADS(pread64, off64_t)
#define PWRITES(name, offset) \
    ssize_t name(int fd, const void *from, size_t len, offset place) { \
        REAL(name); MOVES("pwrite", WRITES, real(fd, from, HALF_OF(len), place)); return real(fd, from, len, place); \
    }
PWRITES(pwrite, off_t)
PWRITES(pwrite64, off64_t)
ssize_t readv(int fd, const struct iovec *to, int count) {
    REAL(readv); MOVES("readv", READS, real(fd, to, HALF_OF(count))); return real(fd, to, count);
}
ssize_t writev(int fd, const struct iovec *from, int count) {
    REAL(writev); MOVES("writev", WRITES, real(fd, from, HALF_OF(count))); return real(fd, from, count);
}

#define TRUNCATES(name, offset) \
    int name(int fd, offset len) { \
        REAL(name); ON_FD("ftruncate", MAY_BE_INTERRUPTED | MAY_BE_FULL, fd); FAILS(-1); return real(fd, len); \
    }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define SEEKS(name, offset) \
    offset name(int fd, offset by, int from) { \
        REAL(name); ON_FD("lseek", PLAIN, fd); FAILS(-1); return real(fd, by, from); \
    }
SEEKS(lseek, off_t)
SEEKS(lseek64, off64_t)

#define SYNCS(name) \
    int name(int fd) { REAL(name); ON_FD(#name, MAY_BE_INTERRUPTED | MAY_BE_FULL, fd); FAILS(-1); return real(fd); }
SYNCS(fsync)
SYNCS(fdatasync)
int sync_file_range(int fd, off64_t from, off64_t len, unsigned flags) {
    REAL(sync_file_range); ON_FD("sync_file_range", MAY_BE_FULL, fd); FAILS(-1); return real(fd, from, len, flags);
}
int flock(int fd, int what) {
    REAL(flock); ON_FD("flock", MAY_BE_INTERRUPTED, fd); FAILS(-1); return real(fd, what);
}
int fchmod(int fd, mode_t mode) { REAL(fchmod); ON_FD("chmod", PLAIN, fd); FAILS(-1); return real(fd, mode); }
int chmod(const char *file, mode_t mode) {
    REAL(chmod); ON_PATH("chmod", PLAIN, AT_FDCWD, file); FAILS(-1); return real(file, mode);
}

int rename(const char *file, const char *to) {
    REAL(rename); ON_PATH("rename", MAY_BE_FULL, AT_FDCWD, to); FAILS(-1); return real(file, to);
}
int unlink(const char *file) { REAL(unlink); ON_PATH("unlink", PLAIN, AT_FDCWD, file); FAILS(-1); return real(file); }
int unlinkat(int dir, const char *file, int flags) {
    REAL(unlinkat); ON_PATH("unlink", PLAIN, dir, file); FAILS(-1); return real(dir, file, flags);
}
int rmdir(const char *file) { REAL(rmdir); ON_PATH("rmdir", PLAIN, AT_FDCWD, file); FAILS(-1); return real(file); }
int mkdir(const char *file, mode_t mode) {
    REAL(mkdir); ON_PATH("mkdir", MAY_BE_FULL, AT_FDCWD, file); FAILS(-1); return real(file, mode);
}
int link(const char *file, const char *to) {
    REAL(link); ON_PATH("link", MAY_BE_FULL, AT_FDCWD, to); FAILS(-1); return real(file, to);
}
ssize_t readlink(const char *file, char *to, size_t len) {
    REAL(readlink); ON_PATH("readlink", PLAIN, AT_FDCWD, file); FAILS(-1); return real(file, to, len);
}
char *realpath(const char *file, char *to) {
    REAL(realpath); ON_PATH("realpath", PLAIN, AT_FDCWD, file); FAILS(NULL); return real(file, to);
}

DIR *opendir(const char *file) {
    REAL(opendir); ON_PATH("opendir", PLAIN, AT_FDCWD, file); FAILS(NULL); return real(file);
}
DIR *fdopendir(int fd) { REAL(fdopendir); ON_FD("opendir", PLAIN, fd); FAILS(NULL); return real(fd); }
#define LISTS(name, entry) \
    struct entry *name(DIR *dir) { \
        REAL(name); ON_FD("readdir", PLAIN, dirfd(dir)); FAILS(NULL); return real(dir); \
    }
LISTS(readdir, dirent)
LISTS(readdir64, dirent64)

#define STATS(name, kind_of_stat) \
    int name(const char *file, struct kind_of_stat *to) { \
        REAL(name); ON_PATH("stat", PLAIN, AT_FDCWD, file); FAILS(-1); return real(file, to); \
    }
STATS(stat, stat)
STATS(lstat, stat)
STATS(stat64, stat64)
STATS(lstat64, stat64)
#define STATS_FD(name, kind_of_stat) \
    int name(int fd, struct kind_of_stat *to) { REAL(name); ON_FD("stat", PLAIN, fd); FAILS(-1); return real(fd, to); }
STATS_FD(fstat, stat)
STATS_FD(fstat64, stat64)
#define STATS_AT(name, kind_of_stat) \
    int name(int dir, const char *file, struct kind_of_stat *to, int flags) { \
        REAL(name); ON_PATH("stat", PLAIN, dir, file); FAILS(-1); return real(dir, file, to, flags); \
    }
STATS_AT(fstatat, stat)
STATS_AT(fstatat64, stat64)
int statx(int dir, const char *file, int flags, unsigned mask, struct statx *to) {
    /* A program asks with nulls whether this call exists. */
    const char *volatile asked = file;
    REAL(statx);
    if (!asked) return real(dir, file, flags, mask, to);
    ON_PATH("stat", PLAIN, dir, file); FAILS(-1); return real(dir, file, flags, mask, to);
}
