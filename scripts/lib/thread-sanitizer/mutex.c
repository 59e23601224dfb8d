// What the thread sanitizer does not see of Swift's Mutex on Linux.
//
// Taking a free Mutex is an atomic operation in the code that takes it, which the sanitizer understands. Waiting for one
// that is taken, and handing it on, are functions of libswiftSynchronization, which is not built with the sanitizer: what
// one thread did before it handed the lock on looks like a race with what the next does. These functions stand before
// the library's, call them, and tell the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define swiftcall __attribute__((swiftcall))
#define context __attribute__((swift_context))

// Missing in the tools that the build itself runs, which are built without a sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *library(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

// Synchronization._MutexHandle._lockSlow(UInt32)
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
swiftcall void lock_slow(uint32_t thread, context void *handle) __asm__(LOCK);
swiftcall void lock_slow(uint32_t thread, context void *handle) {
    ((swiftcall void (*)(uint32_t, context void *))library(LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

// Synchronization._MutexHandle._unlockSlow()
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
swiftcall void unlock_slow(context void *handle) __asm__(UNLOCK);
swiftcall void unlock_slow(context void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((swiftcall void (*)(context void *))library(UNLOCK))(handle);
}
