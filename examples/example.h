/* example.h: what the examples share: failing with a sentence, opening a model in memory, asking and reading.
 * Nothing in here is needed to use Onefold; it keeps the programs short. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <onefold.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct shop {
    of_db *db;
    of_model *model;
};

static of_error error;

/* Every function of Onefold answers 0, or a code with the reason in error. */
static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* A database in memory with the table that the model describes. */
static inline struct shop shop_open(const char *folder, const char *file)
{
    struct shop s;
    of_answer *plan;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    must(of_model_open(&s.model, path, &error));
    must(of_open(&s.db, &(of_options){ .dir = NULL }, &error));
    must(of_model_apply(s.model, s.db, NULL, &plan, &error));
    of_answer_free(plan);
    return s;
}

static inline void shop_load(const struct shop *s, const char *folder)
{
    of_answer *report;
    char path[4096];
    snprintf(path, sizeof path, "%s/data.yaml", folder);
    must(of_model_load(s->model, s->db, path, NULL, &report, &error));
    of_answer_free(report);
}

static inline void shop_close(struct shop *s)
{
    of_model_close(s->model);
    of_close(s->db);
}

/* An entity's attributes from pairs of texts, NULL at the end. Numbers become numbers where the model says so. */
static inline of_item *attributes(const struct shop *s, const char *entity, ...)
{
    of_item *item = of_item_new();
    const char *name;
    va_list list;
    if (!item) exit(1);
    va_start(list, entity);
    while ((name = va_arg(list, const char *))) {
        must(of_entity_set(s->model, entity, item, name, -1, va_arg(list, const char *), -1, &error));
    }
    va_end(list);
    return item;
}

/* A pattern's answer, its inputs as pairs of texts, NULL at the end. The caller frees it. */
static inline of_item *ask(const struct shop *s, const char *pattern, ...)
{
    of_item *inputs = of_item_new(), *answer;
    of_answer *report;
    const char *name;
    va_list list;
    if (!inputs) exit(1);
    va_start(list, pattern);
    while ((name = va_arg(list, const char *))) {
        must(of_pattern_set(s->model, pattern, inputs, name, -1, va_arg(list, const char *), -1, &error));
    }
    va_end(list);
    must(of_pattern_run(s->model, s->db, pattern, inputs, NULL, &report, &error));
    must(of_answer_item(report, &answer, &error));
    of_answer_free(report);
    of_item_free(inputs);
    return answer;
}

/* The results of one entity; an empty list if there are none. */
static inline of_iter each(const of_item *answer, const char *entity)
{
    of_value list = { 0 };
    of_item_get(answer, entity, -1, &list);
    return of_iter_of(list);
}

/* Prints an attribute: a string, or a number in normal form. */
static inline void print(of_value entity, const char *name)
{
    of_value v;
    size_t n;
    char number[OF_NUMBER_TEXT_MAX];
    if (!of_value_get(entity, name, -1, &v)) return;
    const char *text = of_value_bytes(v, &n);
    if (text) {
        printf("%.*s", (int)n, text);
    } else if (of_value_number(v, number)) {
        printf("%s", number);
    }
}

/* Prints a format in which each % stands for the attribute named next. */
static inline void line(of_value entity, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    for (; *format; format++) {
        if (*format == '%') {
            print(entity, va_arg(list, const char *));
        } else {
            putchar(*format);
        }
    }
    va_end(list);
    putchar('\n');
}

/* How many items the database read for an answer. */
static inline int items_read(const of_item *answer)
{
    of_value read, items;
    int64_t n = -1;
    if (of_item_get(answer, "read", -1, &read) && of_value_get(read, "items", -1, &items)) of_value_int(items, &n);
    return (int)n;
}

#endif
