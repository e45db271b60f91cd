/// Libraries.h: the parts of GLib and libuv that the rows use. Both are loaded if they are installed; their headers are not needed.
#if !defined(__BENCH_LIBRARIES__)
#define __BENCH_LIBRARIES__ 1

#include <stddef.h>
#include <stdint.h>

// MARK: - GLib

typedef struct _GMainContext GMainContext;
typedef struct _GSource GSource;
typedef int (*GSourceFunc)(void *data);

/// The functions of a kind of source, with GLib's layout.
typedef struct {
    int (*prepare)(GSource *source, int *timeout);
    int (*check)(GSource *source);
    int (*dispatch)(GSource *source, GSourceFunc callback, void *data);
    void (*finalize)(GSource *source);
    GSourceFunc closureCallback;
    void (*closureMarshal)(void);
} GSourceFuncs;

/// Room for the struct GSource and for what a source of ours adds.
enum { GSourceSize = 160 };
/// The condition G_IO_IN.
enum { GSourceReadable = 1 };

#define GLIB_FUNCTIONS(F) \
    F(GMainContext *, g_main_context_new, (void)) \
    F(void, g_main_context_unref, (GMainContext *context)) \
    F(int, g_main_context_iteration, (GMainContext *context, int mayBlock)) \
    F(GSource *, g_source_new, (GSourceFuncs *functions, unsigned size)) \
    F(GSource *, g_idle_source_new, (void)) \
    F(GSource *, g_timeout_source_new, (unsigned milliseconds)) \
    F(GSource *, g_unix_fd_source_new, (int descriptor, int condition)) \
    F(void, g_source_set_callback, (GSource *source, GSourceFunc callback, void *data, void (*destroyed)(void *data))) \
    F(unsigned, g_source_attach, (GSource *source, GMainContext *context)) \
    F(void, g_source_set_ready_time, (GSource *source, int64_t microseconds)) \
    F(int64_t, g_get_monotonic_time, (void)) \
    F(void, g_source_destroy, (GSource *source)) \
    F(void, g_source_unref, (GSource *source))

typedef struct {
#define FIELD(result, name, arguments) result (*name) arguments;
    GLIB_FUNCTIONS(FIELD)
#undef FIELD
} GLibTable;

/// NULL: not installed.
const GLibTable *BenchGLibTable(void);

// MARK: - libuv

typedef struct uv_loop_s uv_loop_t;
/// Every handle begins with a pointer for its user.
typedef struct { void *data; } uv_handle_t;

enum { UV_RUN_DEFAULT = 0, UV_RUN_ONCE = 1, UV_RUN_NOWAIT = 2 };
enum { UV_READABLE = 1 };
enum { UV_ASYNC = 1, UV_IDLE = 6, UV_POLL = 8, UV_TIMER = 13 };

#define LIBUV_FUNCTIONS(F) \
    F(size_t, uv_loop_size, (void)) \
    F(size_t, uv_handle_size, (int type)) \
    F(int, uv_loop_init, (uv_loop_t *loop)) \
    F(int, uv_loop_close, (uv_loop_t *loop)) \
    F(int, uv_run, (uv_loop_t *loop, int mode)) \
    F(void, uv_stop, (uv_loop_t *loop)) \
    F(int, uv_async_init, (uv_loop_t *loop, uv_handle_t *handle, void (*callback)(uv_handle_t *handle))) \
    F(int, uv_async_send, (uv_handle_t *handle)) \
    F(int, uv_poll_init, (uv_loop_t *loop, uv_handle_t *handle, int descriptor)) \
    F(int, uv_poll_start, (uv_handle_t *handle, int events, void (*callback)(uv_handle_t *handle, int status, int events))) \
    F(int, uv_timer_init, (uv_loop_t *loop, uv_handle_t *handle)) \
    F(int, uv_timer_start, (uv_handle_t *handle, void (*callback)(uv_handle_t *handle), uint64_t timeout, uint64_t repeat)) \
    F(int, uv_timer_stop, (uv_handle_t *handle)) \
    F(void, uv_close, (uv_handle_t *handle, void (*closed)(uv_handle_t *handle)))

typedef struct {
#define FIELD(result, name, arguments) result (*name) arguments;
    LIBUV_FUNCTIONS(FIELD)
#undef FIELD
} LibuvTable;

/// NULL: not installed.
const LibuvTable *BenchLibuvTable(void);

#endif
