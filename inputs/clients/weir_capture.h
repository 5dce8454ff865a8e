/* Writes the linear systems of a running code into a folder for Weir: weir replay FOLDER, weir solve FOLDER.
 * The format, version 1: inputs/clients/README.md. C99, no other library. In one source of the program:
 *
 *   #define WEIR_CAPTURE_IMPLEMENTATION
 *   #include "weir_capture.h"
 *
 *   weir_capture *c = weir_capture_open("dump", "pressure", 0);
 *   weir_capture_pattern(c, rows, 1, row_start, column, 0);       once, and after each change of the pattern
 *   weir_capture_system(c, values, rhs, guess, step, time);       each system, before it is solved
 *   if (weir_capture_failed(c)) puts(weir_capture_error(c));
 *   weir_capture_close(c);
 *
 * After an error all calls do nothing, so a single check at the end suffices. Fortran: weir_capture.f90. */
#ifndef WEIR_CAPTURE_H
#define WEIR_CAPTURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_CAPTURE_VERSION 1

typedef struct weir_capture weir_capture;

/* Creates the folder if it does not exist. append 0: refuses a folder with systems; 1: appends to them. name: of the
 * system, letters, digits, '_' and '-'. NULL: out of memory; other errors are reported by weir_capture_failed. */
weir_capture *weir_capture_open(const char *folder, const char *name, int append);

/* Compressed rows. rows: block rows; block: unknowns per block row; base: 0 or 1, of row_start and column.
 * row_start: rows + 1; column: block column of each block, in any order within a row, without repetition. */
int weir_capture_pattern(weir_capture *c, int64_t rows, int block, const int32_t *row_start, const int32_t *column,
                         int base);
int weir_capture_pattern_64(weir_capture *c, int64_t rows, int block, const int64_t *row_start, const int32_t *column,
                            int base); /* for more than 2^31 entries */
/* x, y, z of each block row: 3 * rows numbers. Called before weir_capture_pattern, for the next pattern. */
int weir_capture_coordinates(weir_capture *c, int64_t rows, const double *coordinates);

/* values: block * block per block, row-major; rhs, guess: rows * block. guess may be NULL: zeros. */
int weir_capture_system(weir_capture *c, const double *values, const double *rhs, const double *guess, int64_t step,
                        double time);

int weir_capture_failed(const weir_capture *c);
const char *weir_capture_error(const weir_capture *c); /* "": no error */
int64_t weir_capture_count(const weir_capture *c);     /* systems in the folder */
void weir_capture_close(weir_capture *c);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_CAPTURE_H */

#ifdef WEIR_CAPTURE_IMPLEMENTATION
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct weir_capture {
  char *folder, *name;
  char error[512];
  char pattern[32]; /* file of the current pattern; "": none */
  int64_t count, rows, entries, step_before, solve;
  int block, has_step;
  double *coordinates;
  int64_t coordinate_rows;
  uint32_t crc_table[256];
};

/* One array of a file. */
struct weir_capture_array {
  const char *name, *type;
  const void *data;
  size_t count, bytes_each;
};

static int weir_capture_fail_(weir_capture *c, const char *what, const char *which) {
  if (!c->error[0]) snprintf(c->error, sizeof c->error, "%.200s: %.280s", which, what);
  return 1;
}

static char *weir_capture_copy_(const char *text) {
  char *copy = (char *)malloc(strlen(text) + 1);
  if (copy) strcpy(copy, text);
  return copy;
}

/* CRC-32 as in zlib, gzip and PNG. */
static void weir_capture_fill_table_(uint32_t *table) {
  uint32_t i, k, value;
  for (i = 0; i < 256; ++i) {
    value = i;
    for (k = 0; k < 8; ++k) value = (value >> 1) ^ ((value & 1u) ? 0xedb88320u : 0u);
    table[i] = value;
  }
}
static uint32_t weir_capture_crc_(const weir_capture *c, const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  uint32_t value = 0xffffffffu;
  size_t i;
  for (i = 0; i < bytes; ++i) value = (value >> 8) ^ c->crc_table[(value ^ p[i]) & 0xffu];
  return ~value;
}

static char *weir_capture_path_(const weir_capture *c, const char *file, const char *end) {
  char *path = (char *)malloc(strlen(c->folder) + strlen(file) + strlen(end) + 2);
  if (path) sprintf(path, "%s/%s%s", c->folder, file, end);
  return path;
}

static int weir_capture_exists_(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* Appends the lines of the arrays and the last one to a header; its CRC-32, which names patterns. */
static uint32_t weir_capture_finish_header_(const weir_capture *c, char *header,
                                            const struct weir_capture_array *arrays, int count) {
  uint32_t crc;
  int i;
  for (i = 0; i < count; ++i)
    sprintf(header + strlen(header), "array %s %s %llu crc32 %08lx\n", arrays[i].name, arrays[i].type,
            (unsigned long long)arrays[i].count,
            (unsigned long)weir_capture_crc_(c, arrays[i].data, arrays[i].count * arrays[i].bytes_each));
  crc = weir_capture_crc_(c, header, strlen(header));
  sprintf(header + strlen(header), "end crc32 %08lx\n", (unsigned long)crc);
  return crc;
}

/* Written aside and renamed: a reader never meets half a file. */
static int weir_capture_write_(weir_capture *c, const char *file, const char *header,
                               const struct weir_capture_array *arrays, int count) {
  char *aside = weir_capture_path_(c, file, ".partial"), *path = weir_capture_path_(c, file, "");
  FILE *out = aside && path ? fopen(aside, "wb") : NULL;
  int good = out != NULL, i;
  if (good) {
    good = fwrite(header, 1, strlen(header), out) == strlen(header);
    for (i = 0; good && i < count; ++i)
      good = fwrite(arrays[i].data, arrays[i].bytes_each, arrays[i].count, out) == arrays[i].count;
    if (fclose(out) != 0) good = 0;
    if (good && rename(aside, path) != 0) good = 0;
    if (!good) remove(aside);
  }
  if (!good) weir_capture_fail_(c, "cannot be written", path ? path : file);
  free(aside);
  free(path);
  return !good;
}

static int weir_capture_is_name_(const char *name) {
  const char *p;
  for (p = name; *p; ++p)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *p)) return 0;
  return p > name && p - name <= 64;
}

static void weir_capture_find_end_(weir_capture *c, int append) {
  char file[40], *path;
  int found = 1;
  while (found) {
    sprintf(file, "system_%08lld.weir", (long long)c->count);
    path = weir_capture_path_(c, file, "");
    found = path && weir_capture_exists_(path);
    free(path);
    if (found) ++c->count;
  }
  if (c->count > 0 && !append)
    weir_capture_fail_(c, "already contains captured systems (append = 1 adds to them)", c->folder);
}

weir_capture *weir_capture_open(const char *folder, const char *name, int append) {
  const uint32_t one = 1;
  weir_capture *c = (weir_capture *)calloc(1, sizeof *c);
  if (!c) return NULL;
  weir_capture_fill_table_(c->crc_table);
  c->folder = weir_capture_copy_(folder);
  c->name = weir_capture_copy_(name);
  if (!c->folder || !c->name) {
    weir_capture_close(c);
    return NULL;
  }
  if (*(const unsigned char *)&one != 1) weir_capture_fail_(c, "this machine is not little-endian", folder);
  if (!weir_capture_is_name_(name))
    weir_capture_fail_(c, "not a name of 1 to 64 letters, digits, '_' and '-'", name);
  if (!c->error[0] && mkdir(folder, 0777) != 0 && errno != EEXIST)
    weir_capture_fail_(c, "the folder cannot be created", folder);
  if (!c->error[0]) weir_capture_find_end_(c, append);
  return c;
}

int weir_capture_coordinates(weir_capture *c, int64_t rows, const double *coordinates) {
  if (!c || c->error[0]) return 1;
  free(c->coordinates);
  c->coordinates = (double *)malloc((size_t)rows * 3 * sizeof(double));
  if (!c->coordinates) return weir_capture_fail_(c, "out of memory", "coordinates");
  memcpy(c->coordinates, coordinates, (size_t)rows * 3 * sizeof(double));
  c->coordinate_rows = rows;
  return 0;
}

/* Both from base 0. */
static int weir_capture_put_pattern_(weir_capture *c, int block, const int64_t *start, const int32_t *column) {
  char header[1024], *path;
  struct weir_capture_array arrays[3];
  int count = 2, is_there;
  arrays[0].name = "row_start", arrays[0].type = "int64", arrays[0].data = start;
  arrays[0].count = (size_t)c->rows + 1, arrays[0].bytes_each = sizeof *start;
  arrays[1].name = "column", arrays[1].type = "int32", arrays[1].data = column;
  arrays[1].count = (size_t)c->entries, arrays[1].bytes_each = sizeof *column;
  if (c->coordinates && c->coordinate_rows == c->rows) {
    arrays[2].name = "coordinates", arrays[2].type = "float64", arrays[2].data = c->coordinates;
    arrays[2].count = 3 * (size_t)c->rows, arrays[2].bytes_each = sizeof(double);
    count = 3;
  }
  sprintf(header, "weir-capture %d pattern\nblock %d\nrows %lld\nentries %lld\n", WEIR_CAPTURE_VERSION, block,
          (long long)c->rows, (long long)c->entries);
  sprintf(c->pattern, "pattern_%08lx.weir",
          (unsigned long)weir_capture_finish_header_(c, header, arrays, count));
  path = weir_capture_path_(c, c->pattern, "");
  is_there = path && weir_capture_exists_(path);
  free(path);
  return is_there ? 0 : weir_capture_write_(c, c->pattern, header, arrays, count);
}

int weir_capture_pattern_64(weir_capture *c, int64_t rows, int block, const int64_t *row_start, const int32_t *column,
                            int base) {
  int64_t *start, e, i;
  int32_t *columns;
  int failed = 0;
  if (!c || c->error[0]) return 1;
  if (rows < 1 || block < 1 || block > 64 || (base != 0 && base != 1) || row_start[0] != base)
    return weir_capture_fail_(c, "expected rows > 0, block 1 to 64, base 0 or 1, and row_start beginning with base",
                              "weir_capture_pattern");
  c->rows = rows;
  c->block = block;
  c->entries = row_start[rows] - base;
  for (i = 0; i < rows; ++i)
    if (row_start[i + 1] < row_start[i]) return weir_capture_fail_(c, "must not descend", "row_start");
  for (e = 0; e < c->entries; ++e)
    if (column[e] < base || column[e] - base >= rows)
      return weir_capture_fail_(c, "outside of the matrix", "column");
  start = (int64_t *)malloc(((size_t)rows + 1) * sizeof *start);
  columns = (int32_t *)malloc(((size_t)c->entries + 1) * sizeof *columns);
  if (start && columns) {
    for (i = 0; i <= rows; ++i) start[i] = row_start[i] - base;
    for (e = 0; e < c->entries; ++e) columns[e] = column[e] - base;
    failed = weir_capture_put_pattern_(c, block, start, columns);
  } else {
    failed = weir_capture_fail_(c, "out of memory", "weir_capture_pattern");
  }
  free(start);
  free(columns);
  return failed;
}

int weir_capture_pattern(weir_capture *c, int64_t rows, int block, const int32_t *row_start, const int32_t *column,
                         int base) {
  int64_t *start, i;
  int failed;
  if (!c || c->error[0]) return 1;
  if (rows < 1) return weir_capture_fail_(c, "expected rows > 0", "weir_capture_pattern");
  start = (int64_t *)malloc(((size_t)rows + 1) * sizeof *start);
  if (!start) return weir_capture_fail_(c, "out of memory", "weir_capture_pattern");
  for (i = 0; i <= rows; ++i) start[i] = row_start[i];
  failed = weir_capture_pattern_64(c, rows, block, start, column, base);
  free(start);
  return failed;
}

int weir_capture_system(weir_capture *c, const double *values, const double *rhs, const double *guess, int64_t step,
                        double time) {
  char header[1024], file[40], number[40], *comma;
  struct weir_capture_array arrays[3];
  int i, count = guess ? 3 : 2;
  if (!c || c->error[0]) return 1;
  if (!c->pattern[0]) return weir_capture_fail_(c, "call weir_capture_pattern first", "weir_capture_system");
  for (i = 0; i < 3; ++i) {
    arrays[i].type = "float64", arrays[i].bytes_each = sizeof(double);
    arrays[i].count = (size_t)c->rows * (size_t)c->block;
  }
  arrays[0].name = "values", arrays[0].data = values;
  arrays[0].count = (size_t)c->entries * (size_t)c->block * (size_t)c->block;
  arrays[1].name = "rhs", arrays[1].data = rhs;
  arrays[2].name = "guess", arrays[2].data = guess;
  c->solve = c->has_step && step == c->step_before ? c->solve + 1 : 0;
  c->step_before = step;
  c->has_step = 1;
  sprintf(number, "%.17g", time);
  comma = strchr(number, ','); /* of a program that has set another locale */
  if (comma) *comma = '.';
  sprintf(header, "weir-capture %d system\nname %s\npattern %s\nstep %lld\nsolve %lld\ntime %s\n",
          WEIR_CAPTURE_VERSION, c->name, c->pattern, (long long)step, (long long)c->solve, number);
  weir_capture_finish_header_(c, header, arrays, count);
  sprintf(file, "system_%08lld.weir", (long long)c->count);
  if (weir_capture_write_(c, file, header, arrays, count)) return 1;
  ++c->count;
  return 0;
}

int weir_capture_failed(const weir_capture *c) { return !c || c->error[0] != '\0'; }
const char *weir_capture_error(const weir_capture *c) { return c ? c->error : "out of memory"; }
int64_t weir_capture_count(const weir_capture *c) { return c ? c->count : 0; }

void weir_capture_close(weir_capture *c) {
  if (!c) return;
  free(c->coordinates);
  free(c->folder);
  free(c->name);
  free(c);
}
#endif /* WEIR_CAPTURE_IMPLEMENTATION */
