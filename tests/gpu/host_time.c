/* Host time of a launch, as C sees it: loops over cuLaunchKernel and over an exported function, two sets of buffers in
   turn. Built by pack_c_abi.py as libhost_time.so. Times are in nanoseconds a call. */
#include <stdint.h>
#include <time.h>

typedef int (*launch_t)(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *, void **,
                        void **);
#define T const void *
typedef int32_t (*exported_3_t)(T, T, T, int64_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, void *);
typedef int32_t (*exported_10_t)(T, T, T, T, T, T, T, T, T, T, int64_t, uint32_t, uint32_t, uint32_t, uint64_t,
                                 uint64_t, void *);

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The floor: everything is known, nothing is checked. Returns a negative driver code where a launch fails. */
double floor_ns(launch_t launch, void *function, void **sets[2], void *stream, uint32_t grid, int times) {
    double began = now();
    for (int i = 0; i < times; i++) {
        int code = launch(function, grid, 1, 1, 1, 1, 1, 0, stream, sets[i % 2], 0);
        if (code) return -code;
    }
    return (now() - began) / times;
}

/* An exported function with three or ten tensors and one constant, as `vector_add` and `add_nine` have them. */
double exported_ns(void *exported, int tensors, T const *sets[2], int64_t constant, uint32_t grid, uint64_t context,
                   uint64_t stream, void *error, int times) {
    double began = now();
    for (int i = 0; i < times; i++) {
        T const *s = sets[i % 2];
        int code = tensors == 3 ? ((exported_3_t)exported)(s[0], s[1], s[2], constant, grid, 1, 1, context, stream, error)
                                : ((exported_10_t)exported)(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9],
                                                            constant, grid, 1, 1, context, stream, error);
        if (code) return code < 0 ? code : -code;
    }
    return (now() - began) / times;
}
