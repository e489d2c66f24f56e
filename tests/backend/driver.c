/* A CUDA driver without a GPU, as far as `ferrotile.backend` calls one. Handles have more than 32 bits, so that a
   truncated one is found; every call is a line of a log. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CONTEXT ((void *)0x7100000010ULL)
#define MODULE ((void *)0x7200000020ULL)
#define FUNCTION ((void *)0x7300000030ULL)
#define EVENT ((void *)0x7400000040ULL)
#define MEMORY 0x7500000050ULL
enum { INVALID_VALUE = 1, INVALID_IMAGE = 200 };

static char log_text[65536];
static __thread void *current;
static int next_event;

#define SAY(...) sprintf(log_text + strlen(log_text), __VA_ARGS__)

const char *said(void) { return log_text; }
void forget(void) { log_text[0] = 0; }

int cuInit(unsigned flags) { return SAY("init\n"), 0; }
int cuGetErrorName(int error, const char **name) {
    return *name = error == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR_INVALID_VALUE", 0;
}
int cuCtxGetCurrent(void **context) { return *context = current, 0; }
int cuCtxSetCurrent(void *context) { return current = context, SAY("current %p\n", context), 0; }
int cuPointerGetAttribute(void **data, int attribute, uint64_t address) {
    if (attribute != 1 || address < 0x7500000000ULL) return INVALID_VALUE;
    return *data = CONTEXT, 0;
}
int cuCtxGetDevice(int *device) { return *device = 0, current ? 0 : 201; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 38 ? 50 << 20 : -1;
    return *value < 0;
}
int cuModuleLoadData(void **module, const void *image) {
    return memcmp(image, "\x7f" "ELF", 4) ? INVALID_IMAGE : (*module = MODULE, 0);
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    SAY("function %s\n", name);
    return module != MODULE ? INVALID_VALUE : (*function = FUNCTION, 0);
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    if (function != FUNCTION || extra || shared || bx * by * bz != 1 || !x) return INVALID_VALUE;
    SAY("launch %u %u %u stream %p", x, y, z, stream);
    for (int k = 0; k < 2; k++) SAY(" %llx", *(unsigned long long *)parameters[k]);
    return SAY("\n"), 0;
}
int cuMemAllocAsync(uint64_t *address, size_t size, void *stream) {
    return *address = MEMORY, SAY("take %zu stream %p\n", size, stream), 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t address, const uint64_t *source, size_t size, void *stream) {
    SAY("copy %llx", (unsigned long long)address);
    for (size_t k = 0; k < size / 8; k++) SAY(" %llx", (unsigned long long)source[k]);
    return SAY("\n"), 0;
}
int cuMemFreeAsync(uint64_t address, void *stream) {
    return SAY("give %llx stream %p\n", (unsigned long long)address, stream), 0;
}
int cuMemAlloc_v2(void **address, size_t size) { return *address = (void *)MEMORY, SAY("flush memory %zu\n", size), 0; }
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t size, void *stream) {
    return SAY("flush %zu stream %p\n", size, stream), address != MEMORY;
}
int cuEventCreate(void **event, unsigned flags) { return *event = (char *)EVENT + next_event++ % 2, 0; }
int cuEventRecord(void *event, void *stream) { return SAY("record %d\n", (int)((char *)event - (char *)EVENT)), 0; }
int cuEventSynchronize(void *event) { return event < EVENT; }
int cuEventElapsedTime(float *ms, void *start, void *end) { return *ms = 0.25f, start >= end; }
int cuEventDestroy_v2(void *event) { return event < EVENT; }
