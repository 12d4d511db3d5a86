/* What Rust's library asks of a C library for wasm32-wasip1, and Debian's wasi-libc of 2022 does not have. There are no threads: making one
   is not supported, which has rayon run everything on the current one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int *__errno_location(void) { return &errno; }

/* Paths in a page have no links. */
char *realpath(const char *path, char *resolved)
{
    struct stat found;
    if (stat(path, &found)) return NULL;
    return resolved ? strcpy(resolved, path) : strdup(path);
}

int fchmod(int file, mode_t mode) { errno = ENOSYS; return -1; }

int pthread_attr_init(void *attributes) { return 0; }
int pthread_attr_setstacksize(void *attributes, size_t size) { return 0; }
int pthread_attr_destroy(void *attributes) { return 0; }
int pthread_create(void *thread, const void *attributes, void *(*start)(void *), void *argument) { return ENOSYS; }
int pthread_detach(unsigned thread) { return EINVAL; }
int pthread_join(unsigned thread, void **result) { return EINVAL; }
