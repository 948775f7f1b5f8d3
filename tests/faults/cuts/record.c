/*
 * Records every call that changes files below one folder, in order, with its data.
 *
 *   RECORD_ROOT   the folder, as an absolute path without links
 *   RECORD_TRACE  the file that records are appended to; outside of the folder
 *   RECORD_STOP   after so many records the process is killed; 0 or nothing: never
 *   RECORD_LAST   a letter and a part of a path: the first record of that kind with that in its last path is the last one
 *
 * One lock is held around each call and its record, so that the order of the records is the order of the calls. What this
 * file does not know of it records as '?', and what passes it by shows when the folder is compared with its records.
 *
 * A record: one letter, the numbers a, b (4 bytes each), x, y (8 bytes each), two lengths (4 bytes each), two strings.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS_MAX 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char is_ours[FDS_MAX];
static const char *root;
static size_t root_len;
static int trace = -1;
static long stop_after, recorded;
static const char *last;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void die(const char *why) {
    dprintf(2, "record: %s\n", why);
    _exit(99);
}

static void put(const void *bytes, size_t len) {
    const char *at = bytes;
    while (len > 0) {
        long put = syscall(SYS_write, trace, at, len);
        if (put < 0) die("the trace cannot be written");
        at += put;
        len -= (size_t)put;
    }
}

/* Appends a record; the lock is held. */
static void note(char what, int a, int b, uint64_t x, uint64_t y, const void *one, size_t one_len, const char *two) {
    int saved = errno;
    char head[33];
    uint32_t lens[2] = {(uint32_t)one_len, two ? (uint32_t)strlen(two) : 0};
    head[0] = what;
    memcpy(head + 1, &a, 4);
    memcpy(head + 5, &b, 4);
    memcpy(head + 9, &x, 8);
    memcpy(head + 17, &y, 8);
    memcpy(head + 25, lens, 8);
    put(head, sizeof head);
    put(one, one_len);
    put(two, lens[1]);
    if (stop_after > 0 && ++recorded >= stop_after) _exit(7);
    if (last && what == last[0] && strstr(two ? two : one, last + 1)) _exit(7);
    errno = saved;
}

static void note_path(char what, int a, int b, const char *path, const char *other) {
    note(what, a, b, 0, 0, path, strlen(path), other);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("RECORD_TRACE"), *stop = getenv("RECORD_STOP");
    root = getenv("RECORD_ROOT");
    if (!root || !path) {
        root = NULL;
        return;
    }
    root_len = strlen(root);
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (trace < 0) die("the trace cannot be opened");
    stop_after = stop ? atol(stop) : 0;
    last = getenv("RECORD_LAST");
    if (last && !last[0]) last = NULL;
    note('S', 0, 0, 0, 0, "", 0, NULL);
}

static int ours(int fd) { return root && fd >= 0 && fd < FDS_MAX && is_ours[fd]; }

static void set_ours(int fd, char is) {
    if (fd >= 0 && fd < FDS_MAX) is_ours[fd] = is;
    else if (is) die("too many open files");
}

/* The path below the root in `into`, or NULL if it leads elsewhere. */
static const char *below(int folder, const char *path, char *into) {
    if (!root || !path) return NULL;
    if (path[0] == '/') {
        snprintf(into, PATH_MAX, "%s", path);
    } else {
        char link[64];
        ssize_t len;
        if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        len = syscall(SYS_readlinkat, AT_FDCWD, link, into, PATH_MAX - 1);
        if (len < 0) return NULL;
        snprintf(into + len, (size_t)(PATH_MAX - len), "/%s", path);
    }
    if (strncmp(into, root, root_len) != 0) return NULL;
    if (into[root_len] == 0) return into + root_len;
    return into[root_len] == '/' ? into + root_len + 1 : NULL;
}

static int is_folder(int fd) {
    struct stat stat;
    return fstat(fd, &stat) == 0 && S_ISDIR(stat.st_mode);
}

static void opened(int fd, int flags, const char *path) {
    set_ours(fd, path != NULL);
    if (path) note('O', fd, flags, (uint64_t)is_folder(fd), 0, path, strlen(path), NULL);
}

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    char full[PATH_MAX];
    int fd;
    pthread_mutex_lock(&lock);
    fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && root) opened(fd, flags, below(folder, path, full));
    pthread_mutex_unlock(&lock);
    return fd;
}

#define MODE(flags, last)                            \
    mode_t mode = 0;                                 \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {         \
        va_list list;                                \
        va_start(list, last);                        \
        mode = va_arg(list, mode_t);                 \
        va_end(list);                                \
    }

int open(const char *path, int flags, ...) { MODE(flags, flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_at(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_at(folder, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd) {
    int result;
    pthread_mutex_lock(&lock);
    if (ours(fd)) {
        set_ours(fd, 0);
        note('C', fd, 0, 0, 0, "", 0, NULL);
    }
    result = (int)syscall(SYS_close, fd);
    pthread_mutex_unlock(&lock);
    return result;
}

int closedir(DIR *folder) {
    int result;
    pthread_mutex_lock(&lock);
    if (ours(dirfd(folder))) {
        set_ours(dirfd(folder), 0);
        note('C', dirfd(folder), 0, 0, 0, "", 0, NULL);
    }
    result = REAL(closedir)(folder);
    pthread_mutex_unlock(&lock);
    return result;
}

static int doubled(int fd, int copy) {
    if (copy >= 0) {
        int was = ours(fd);
        set_ours(copy, (char)was);
        if (was) note('P', fd, copy, 0, 0, "", 0, NULL);
    }
    return copy;
}

int dup(int fd) {
    int copy;
    pthread_mutex_lock(&lock);
    copy = doubled(fd, (int)syscall(SYS_dup, fd));
    pthread_mutex_unlock(&lock);
    return copy;
}

int dup3(int fd, int copy, int flags) {
    pthread_mutex_lock(&lock);
    copy = doubled(fd, (int)syscall(SYS_dup3, fd, copy, flags));
    pthread_mutex_unlock(&lock);
    return copy;
}

int dup2(int fd, int copy) { return fd == copy ? copy : dup3(fd, copy, 0); }

static int control(int fd, int command, void *argument) {
    int result;
    pthread_mutex_lock(&lock);
    result = (int)syscall(SYS_fcntl, fd, command, argument);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) doubled(fd, result);
    pthread_mutex_unlock(&lock);
    return result;
}

#define ARGUMENT(last)                  \
    void *argument;                     \
    va_list list;                       \
    va_start(list, last);               \
    argument = va_arg(list, void *);    \
    va_end(list);

/* Waiting for a lock of another process would hold ours; nothing here waits. */
int fcntl(int fd, int command, ...) { ARGUMENT(command) return control(fd, command, argument); }
int fcntl64(int fd, int command, ...) { ARGUMENT(command) return control(fd, command, argument); }

/* One that is written at where the file's position is. */
static ssize_t written(int fd, ssize_t len, const void *bytes) {
    if (len > 0 && ours(fd)) {
        off_t end = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
        note('W', fd, 0, (uint64_t)(end - len), 0, bytes, (size_t)len, NULL);
    }
    return len;
}

ssize_t write(int fd, const void *bytes, size_t len) {
    ssize_t put;
    if (!ours(fd)) return syscall(SYS_write, fd, bytes, len);
    pthread_mutex_lock(&lock);
    put = written(fd, syscall(SYS_write, fd, bytes, len), bytes);
    pthread_mutex_unlock(&lock);
    return put;
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at) {
    ssize_t put;
    if (!ours(fd)) return syscall(SYS_pwrite64, fd, bytes, len, at);
    pthread_mutex_lock(&lock);
    put = syscall(SYS_pwrite64, fd, bytes, len, at);
    if (put > 0) note('W', fd, 0, (uint64_t)at, 0, bytes, (size_t)put, NULL);
    pthread_mutex_unlock(&lock);
    return put;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at) { return pwrite64(fd, bytes, len, at); }

/* A short count is allowed: the first part is written alone. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    int at = 0;
    if (!ours(fd)) return syscall(SYS_writev, fd, parts, count);
    while (at < count && parts[at].iov_len == 0) at++;
    return at == count ? 0 : write(fd, parts[at].iov_base, parts[at].iov_len);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
    int at = 0;
    if (!ours(fd)) return REAL(pwritev64)(fd, parts, count, offset);
    while (at < count && parts[at].iov_len == 0) at++;
    return at == count ? 0 : pwrite64(fd, parts[at].iov_base, parts[at].iov_len, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

/* A call on an open file that changes or syncs it. */
#define ON_FILE(what, fd, b, x, y, call)                                   \
    int result;                                                            \
    if (!ours(fd)) return (int)(call);                                     \
    pthread_mutex_lock(&lock);                                             \
    result = (int)(call);                                                  \
    if (result >= 0) note(what, fd, b, (uint64_t)(x), (uint64_t)(y), "", 0, NULL); \
    pthread_mutex_unlock(&lock);                                           \
    return result;

int ftruncate64(int fd, off64_t len) { ON_FILE('T', fd, 0, len, 0, syscall(SYS_ftruncate, fd, len)) }
int ftruncate(int fd, off_t len) { return ftruncate64(fd, len); }
int fsync(int fd) { ON_FILE('F', fd, 0, 0, 0, syscall(SYS_fsync, fd)) }
int fdatasync(int fd) { ON_FILE('F', fd, 1, 0, 0, syscall(SYS_fdatasync, fd)) }
int sync_file_range(int fd, off64_t at, off64_t len, unsigned flags) {
    ON_FILE('r', fd, 0, at, len, syscall(SYS_sync_file_range, fd, at, len, flags))
}
int fallocate64(int fd, int mode, off64_t at, off64_t len) {
    ON_FILE('A', fd, mode, at, len, syscall(SYS_fallocate, fd, mode, at, len))
}
int fallocate(int fd, int mode, off_t at, off_t len) { return fallocate64(fd, mode, at, len); }
int posix_fallocate64(int fd, off64_t at, off64_t len) { return fallocate64(fd, 0, at, len) < 0 ? errno : 0; }
int posix_fallocate(int fd, off_t at, off_t len) { return posix_fallocate64(fd, at, len); }

/* A call that changes names. */
#define ON_PATH(what, folder, path, call)                                  \
    char full[PATH_MAX];                                                   \
    const char *inside;                                                    \
    int result;                                                            \
    pthread_mutex_lock(&lock);                                             \
    inside = below(folder, path, full);                                    \
    result = (int)(call);                                                  \
    if (result >= 0 && inside) note_path(what, 0, 0, inside, NULL);        \
    pthread_mutex_unlock(&lock);                                           \
    return result;

static int unlink_at(int folder, const char *path, int flags) {
    ON_PATH((flags & AT_REMOVEDIR) ? 'D' : 'U', folder, path, syscall(SYS_unlinkat, folder, path, flags))
}
int unlinkat(int folder, const char *path, int flags) { return unlink_at(folder, path, flags); }
int unlink(const char *path) { return unlink_at(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlink_at(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdirat(int folder, const char *path, mode_t mode) {
    ON_PATH('M', folder, path, syscall(SYS_mkdirat, folder, path, mode))
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int truncate64(const char *path, off64_t len) { ON_PATH('?', AT_FDCWD, path, syscall(SYS_truncate, path, len)) }
int truncate(const char *path, off_t len) { return truncate64(path, len); }
int symlinkat(const char *to, int folder, const char *path) {
    ON_PATH('?', folder, path, syscall(SYS_symlinkat, to, folder, path))
}
int symlink(const char *to, const char *path) { return symlinkat(to, AT_FDCWD, path); }

/* A call with two paths. One that leads out of the folder, or into it, is none that is known. */
static int with_two(char what, int from_at, const char *from, int to_at, const char *to, unsigned flags, long number) {
    char one[PATH_MAX], two[PATH_MAX];
    const char *old, *new;
    int result;
    pthread_mutex_lock(&lock);
    old = below(from_at, from, one);
    new = below(to_at, to, two);
    result = (int)syscall(number, from_at, from, to_at, to, flags);
    if (result >= 0 && old && new && flags == 0) note_path(what, 0, 0, old, new);
    else if (result >= 0 && (old || new)) note_path('?', 0, 0, old ? old : new, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    return with_two('R', from_at, from, to_at, to, flags, SYS_renameat2);
}
int renameat(int from_at, const char *from, int to_at, const char *to) { return renameat2(from_at, from, to_at, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    return with_two('?', from_at, from, to_at, to, (unsigned)flags, SYS_linkat);
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* Ways to write that nothing here uses: if something begins to, the test says so. */
static void unknown(const char *name) {
    pthread_mutex_lock(&lock);
    note_path('?', 0, 0, name, NULL);
    pthread_mutex_unlock(&lock);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t len, unsigned flags) {
    if (ours(to)) unknown("copy_file_range");
    return syscall(SYS_copy_file_range, from, from_at, to, to_at, len, flags);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t len) {
    if (ours(to)) unknown("sendfile");
    return syscall(SYS_sendfile, to, from, at, len);
}

void *mmap64(void *at, size_t len, int protection, int flags, int fd, off64_t offset) {
    if (ours(fd) && (flags & MAP_SHARED) && (protection & PROT_WRITE)) unknown("mmap");
    return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset) {
    return mmap64(at, len, protection, flags, fd, offset);
}

void sync(void) {
    if (root) unknown("sync");
    REAL(sync)();
}

int syncfs(int fd) {
    if (ours(fd)) unknown("syncfs");
    return (int)syscall(SYS_syncfs, fd);
}
