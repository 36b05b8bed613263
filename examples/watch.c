/* Watches one machine with libcmr, in C: `watch MODEL` reads rows of numbers from standard input, separated by commas,
   one value per channel and one row per sample, and prints a line for each window and the reason of each alarm.

   cc watch.c $(pkg-config --cflags --libs cmr) -o watch */

#include <cmr/cmr.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const cmr_error* error) {
    fprintf(stderr, "watch: %s\n", error->message);
    return (int)error->status;
}

/* An empty field is an absent value. Returns 0 where the row has another length. */
static int read_row(char* line, float* row, int64_t channels) {
    int64_t i = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char* field = line; field; ++i) {
        if (i == channels) return 0;
        char* comma = strchr(field, ',');
        if (comma) *comma = '\0';
        char* end;
        row[i] = strtof(field, &end);
        if (end == field) row[i] = NAN;
        field = comma ? comma + 1 : NULL;
    }
    return i == channels;
}

static int print_results(cmr_stream* stream, cmr_error* error) {
    for (;;) {
        const cmr_result* window;
        if (cmr_stream_next(stream, &window, error) != CMR_OK) return fail(error);
        if (!window) return 0;
        if (!window->judged) {
            printf("%g\tnot judged\n", window->end_s);
            continue;
        }
        printf("%g\t%.3f\t%s\n", window->end_s, window->level, window->alarm ? "ALARM" : "");
        if (!window->raised) continue;
        const cmr_explanation* why;
        if (cmr_stream_explain(stream, &why, error) != CMR_OK) return fail(error);
        printf("\t%s\n", why->sentence);
    }
}

int main(int count, char** arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: watch MODEL < rows.csv\n");
        return 2;
    }
    cmr_error error;
    cmr_model* model;
    if (cmr_model_open(arguments[1], &model, &error) != CMR_OK) return fail(&error);
    const cmr_description* about = cmr_model_describe(model);
    cmr_stream* stream;
    int code = 0;
    if (cmr_stream_open(model, NULL, &stream, &error) != CMR_OK) {
        code = fail(&error);
    } else {
        float* row = malloc(sizeof(float) * (size_t)about->channel_count);
        char line[65536];
        for (int64_t sample = 0; code == 0 && fgets(line, sizeof line, stdin); ++sample) {
            if (!read_row(line, row, about->channel_count)) {
                fprintf(stderr, "watch: row %lld has not %lld values\n", (long long)sample + 1,
                        (long long)about->channel_count);
                code = 2;
            } else if (cmr_stream_push(stream, (double)sample / about->rate_hz, row, &error) != CMR_OK) {
                code = fail(&error);
            } else {
                code = print_results(stream, &error);
            }
        }
        if (code == 0 && cmr_stream_end(stream, &error) != CMR_OK) code = fail(&error);
        if (code == 0) code = print_results(stream, &error);
        free(row);
        cmr_stream_close(stream);
    }
    cmr_model_close(model);
    return code;
}
