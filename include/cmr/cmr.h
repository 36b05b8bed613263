#pragma once
/* libcmr: a model file of `cmr fit` watches machines, sample by sample.

   A cmr_model is a model file in memory. It never changes: any number of streams and threads may use it. A cmr_stream
   is one machine: samples in, judged windows out, the same numbers as those of `cmr score` on a file of the same
   samples. A stream belongs to one thread at a time; different streams may be used by different threads at once.

   Every function that can fail returns a cmr_status and tells what was wrong in `error`, which may be null. After a
   failure a handle can be used as before, and outputs are not written. No function throws, prints, ends the process or
   keeps a message elsewhere.

   What a function hands out by a pointer to const belongs to the handle. Of a model it lives as long as the model, of a
   stream until the next call with that stream. Structs may get more members at their end: programs never make them, but
   cmr_settings and cmr_error, which stay as they are. Text is UTF-8 and ends with a zero byte. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum cmr_status {
    CMR_OK = 0,
    CMR_BUG = 1,   /* a promise of the library to itself is broken */
    CMR_INPUT = 2, /* something in the input needs mending */
    CMR_SYSTEM = 3 /* the machine would not: memory, disk */
} cmr_status;

typedef struct cmr_error {
    cmr_status status;
    char message[1024]; /* "" when nothing went wrong */
} cmr_error;

typedef struct cmr_model cmr_model;
typedef struct cmr_stream cmr_stream;

/* Release and commit, such as "0.1.0+9f28e2f". */
const char* cmr_version(void);

/* ---- models ---- */

typedef struct cmr_channel {
    const char* name;
    const char* group;
    int32_t effect; /* 1: an effect, 0: a cause */
    int32_t used;   /* 0: it never moved in the healthy data; it may be absent */
} cmr_channel;

typedef struct cmr_description {
    const char* version; /* of the program that fitted the model */
    const char* recipe;  /* with every setting, as TOML */
    double rate_hz;      /* samples per second and channel */
    int64_t window;      /* samples of a window */
    int64_t stride;      /* samples from one window to the next */
    int64_t channel_count;
    const cmr_channel* channels; /* in the order of a row */
    int64_t score_count;
    const char* const* scores; /* names, in the order of a result */
    int64_t effect_count;
    const char* const* effects;  /* names of used effects, in the order of a result's residuals */
    double threshold;            /* the score at the alarm line, where the level is 1 */
    double false_alarms_per_day; /* what was promised by `cmr calibrate`; NaN where nothing was */
} cmr_description;

/* Loads a model file and scores its golden windows again. */
cmr_status cmr_model_open(const char* path, cmr_model** model, cmr_error* error);
const cmr_description* cmr_model_describe(const cmr_model* model);
/* Streams that use the model live on. Null is allowed. */
void cmr_model_close(cmr_model* model);

/* ---- streams ---- */

typedef struct cmr_settings {
    double lateness_s; /* how much later than a newer sample one may still come; 0: samples come in order */
    double stale_s;    /* a silent channel keeps its value so long, then it is absent; 0: not at all, as in a file */
    int64_t stride;    /* samples from one window to the next; 0: the recipe's */
} cmr_settings;

/* Settings may be null: all 0. */
cmr_status cmr_stream_open(const cmr_model* model, const cmr_settings* settings, cmr_stream** stream, cmr_error* error);
/* Null is allowed. */
void cmr_stream_close(cmr_stream* stream);

/* Rows of one value per channel, in the order of the description; NaN: absent. Times are seconds on any clock. Of
   several rows those before one that is refused have been taken. */
cmr_status cmr_stream_push(cmr_stream* stream, double time_s, const float* row, cmr_error* error);
cmr_status cmr_stream_push_rows(cmr_stream* stream, int64_t count, const double* times_s, const float* rows,
                                cmr_error* error);
/* The same where each channel comes by itself. */
cmr_status cmr_stream_push_value(cmr_stream* stream, double time_s, int64_t channel, float value, cmr_error* error);
/* Nothing more comes: what was held back for late samples is judged. */
cmr_status cmr_stream_end(cmr_stream* stream, cmr_error* error);

typedef struct cmr_result { /* one window */
    int64_t first;          /* its first sample, counted from the first of the stream */
    double start_s, end_s;
    int32_t judged;         /* 0: not enough was there to judge by; numbers are NaN, and the alarm stays as it was */
    int32_t alarm;          /* is on */
    int32_t raised;         /* and began with this window */
    double level;           /* 1: the alarm line */
    double p_value;         /* share of healthy windows that are as odd */
    const float* scores;    /* as the description names them */
    const float* residuals; /* of each effect, in healthy deviations; NaN: it was absent */
    const char* const* sensors; /* of each channel: "well", "absent", "frozen", … (docs/scores.md) */
    const char* void_promise;   /* why the promise of false alarms does not hold now; "" where it does */
    int32_t outside_range;      /* 1: causes are not those of the healthy data: no promise holds in this window */
} cmr_result;

/* The oldest window that was not yet handed out; null when there is none. */
cmr_status cmr_stream_next(cmr_stream* stream, const cmr_result** result, cmr_error* error);

typedef struct cmr_effect_evidence {
    const char* name;
    double residual; /* what it contributes to the alarm, in healthy deviations */
    double alone;    /* how odd it is by itself, in healthy deviations */
    int32_t frozen;
} cmr_effect_evidence;

typedef struct cmr_cause_evidence {
    const char* name;
    double share; /* of the worst effect's unexplained part that this cause accounts for */
} cmr_cause_evidence;

typedef struct cmr_explanation {
    const char* verdict;  /* docs/explain.md lists them */
    const char* sentence; /* for people */
    double at_s;          /* end of the window */
    double onset_s;       /* when it began */
    double level, p_value;
    int64_t effect_count;
    const cmr_effect_evidence* effects; /* the worst first */
    int64_t cause_count;
    const cmr_cause_evidence* causes; /* of the first effect, the likeliest first */
} cmr_explanation;

/* Of the last window that was judged. */
cmr_status cmr_stream_explain(cmr_stream* stream, const cmr_explanation** explanation, cmr_error* error);

/* The whole state of a stream, to go on after a restart as if there had been none. Only a stream of the same model file
   and the same settings takes it. */
cmr_status cmr_stream_save(cmr_stream* stream, const void** bytes, size_t* size, cmr_error* error);
cmr_status cmr_stream_restore(cmr_stream* stream, const void* bytes, size_t size, cmr_error* error);

typedef struct cmr_counts {
    int64_t readings; /* values that came, absent ones too */
    int64_t rows;     /* samples that were made of them */
    int64_t late;     /* readings that came too late, and were not used */
    int64_t doubled;  /* readings of a channel and time that were there already, and were not used */
    int64_t gaps;     /* steps in time across which there is no window */
    int64_t windows;
    int64_t unjudged; /* of them */
    int64_t alarms;   /* that began */
} cmr_counts;

cmr_status cmr_stream_count(cmr_stream* stream, const cmr_counts** counts, cmr_error* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
