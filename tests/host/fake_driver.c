/* A CUDA driver without a GPU: it knows four contexts, "loads" images that say what they are, and writes down what it
   is asked to launch. Built by the tests as libcuda.so.1.

   An image is \x7fELF, a label, a space, and the number of entry parameters; a label that begins with "broken" does
   not load. If it is a real ELF file, the label stands behind the header of 64 bytes. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LAUNCHES 4096
#define MOST_PARAMETERS 256

enum { OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NOT_FOUND = 500, DESTROYED = 709 };

typedef struct {
    char label[128];
    char entry[128];
    int parameters;
} function_t;

typedef struct {
    const function_t *function;
    uint32_t grid[3];
    uint64_t stream, context, words[MOST_PARAMETERS];
} launch_t;

static launch_t launches[MOST_LAUNCHES];
static int launch_total, load_total, is_quiet, fail_load, fail_launch;
static uint64_t context_generation;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread uint64_t stack[16];
static __thread int depth;

/* Context 0x1000 is on device 0, 0x2000 on 1, 0x3000 on 2; every other one is destroyed. */
static int device_of(uint64_t context) { return (int)(context >> 12) - 1; }
static int is_known(uint64_t context) { return context == 0x1000 || context == 0x2000 || context == 0x3000; }

int cuCtxGetId(void *context, uint64_t *id) {
    if (!is_known((uint64_t)context)) return DESTROYED;
    *id = (uint64_t)context + context_generation;
    return 0;
}
int cuCtxGetCurrent(void **context) { return *context = (void *)(depth ? stack[depth - 1] : 0), 0; }
int cuCtxPushCurrent_v2(void *context) { return stack[depth++] = (uint64_t)context, 0; }
int cuCtxPopCurrent_v2(void **context) { return *context = (void *)stack[--depth], 0; }
int cuCtxGetDevice(int *device) {
    if (!depth) return INVALID_CONTEXT;
    return *device = device_of(stack[depth - 1]), 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    switch (attribute) {
    case 5: return *value = 2147483647, 0;
    case 6: case 7: return *value = 65535, 0;
    case 16: return *value = 132, 0;
    case 75: return *value = device == 2 ? 8 : 9, 0;
    case 76: return *value = 0, 0;
    }
    return 1;
}
static const char *label_of(const char *image) { return image + (image[4] == 2 ? 64 : 4); }
int cuModuleLoadData(void **module, const void *image) {
    if (fail_load) return fail_load;
    if (memcmp(image, "\x7f" "ELF", 4) || !strncmp(label_of(image), "broken", 6)) return INVALID_IMAGE;
    if ((uintptr_t)image % 64) return INVALID_IMAGE;
    __atomic_add_fetch(&load_total, 1, __ATOMIC_RELAXED);
    return *module = (void *)image, 0;
}
int cuModuleGetFunction(void **found, void *module, const char *name) {
    function_t *function = calloc(1, sizeof *function);
    sscanf(label_of(module), "%127s %d", function->label, &function->parameters);
    snprintf(function->entry, sizeof function->entry, "%s", name);
    return *found = function, 0;
}
int cuThreadExchangeStreamCaptureMode(int *mode) { return *mode = *mode == 2 ? 0 : 2, 0; }
int cuGetErrorName(int code, const char **name) {
    *name = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
          : code == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
          : code == DESTROYED ? "CUDA_ERROR_CONTEXT_IS_DESTROYED"
          : code == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : NULL;
    return *name ? 0 : 1;
}
int cuLaunchKernel(const function_t *function, uint32_t x, uint32_t y, uint32_t z, uint32_t block_x, uint32_t block_y,
                   uint32_t block_z, uint32_t shared, void *stream, void **parameters, void **extra) {
    if (fail_launch) return fail_launch;
    if (is_quiet) return 0;
    if (block_x != 1 || block_y != 1 || block_z != 1 || shared || extra || !depth) return 1;
    pthread_mutex_lock(&lock);
    launch_t *launch = &launches[launch_total++ % MOST_LAUNCHES];
    launch->function = function;
    memcpy(launch->grid, (uint32_t[]){x, y, z}, sizeof launch->grid);
    launch->stream = (uint64_t)stream;
    launch->context = stack[depth - 1];
    for (int i = 0; i < function->parameters; i++) memcpy(&launch->words[i], parameters[i], 8);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* What the tests ask and set. */
int fake_launches(void) { return launch_total; }
int fake_loads(void) { return load_total; }
int fake_depth(void) { return depth; }
void fake_quiet(int on) { is_quiet = on; }
void fake_fail(int load, int launch) { fail_load = load, fail_launch = launch; }
void fake_reset_contexts(void) { context_generation += 0x100000; }
const launch_t *fake_launch(int number) { return &launches[number % MOST_LAUNCHES]; }
