/* json_text.c: JSON reports as text for cells and lines. */
#include "render.h"
#include "../model/jsonw.h"
#include <math.h>
#include <stdlib.h>

struct slice json_cell(struct arena *a, const struct json *v)
{
    if (!v || v->type == JSON_NULL) return slice_of(NULL, 0);
    if (v->type == JSON_STRING || v->type == JSON_NUMBER) return v->text;
    struct buf b;
    buf_init(&b, a, (size_t)1 << 28);
    json_put(&b, v);
    return buf_view(&b);
}

void json_print(FILE *to, struct arena *a, struct slice json)
{
    struct buf b;
    buf_init(&b, a, (size_t)1 << 29);
    const struct json *tree = json_parse(a, json, 100, NULL);
    struct buf compact;
    buf_init(&compact, a, (size_t)1 << 29);
    if (tree) json_put(&compact, tree);
    json_indent(&b, tree ? buf_view(&compact) : json);
    fwrite(b.p, 1, b.n, to);
    if (!b.n || b.p[b.n - 1] != '\n') fputc('\n', to);
}

struct slice json_text(const struct json *object, const char *name)
{
    const struct json *v = json_get(object, slice_str(name));
    return v && v->type == JSON_STRING ? v->text : slice_of(NULL, 0);
}

double json_double(const struct json *object, const char *name, double otherwise)
{
    const struct json *v = json_get(object, slice_str(name));
    char text[64];
    if (!v || v->type != JSON_NUMBER || v->text.n >= sizeof text) return otherwise;
    memcpy(text, v->text.p, v->text.n);
    text[v->text.n] = 0;
    return strtod(text, NULL);
}

bool json_flag(const struct json *object, const char *name)
{
    const struct json *v = json_get(object, slice_str(name));
    return v && v->type == JSON_TRUE;
}

/* Whole numbers with commas; others with up to three decimals, small ones with three digits that tell something. */
struct slice figure(struct arena *a, double v)
{
    char digits[64];
    struct buf b;
    if (!isfinite(v) || fabs(v) >= 1e15) return SLICE("unknown");
    bool whole = fabs(v - round(v)) < 1e-9;
    if (!whole && fabs(v) < 0.1)
        snprintf(digits, sizeof digits, "%.3g", v);
    else
        snprintf(digits, sizeof digits, whole ? "%.0f" : "%.2f", v);
    if (strchr(digits, '.') && !strchr(digits, 'e')) {
        size_t n = strlen(digits);
        while (digits[n - 1] == '0') digits[--n] = 0;
        if (digits[n - 1] == '.') digits[n - 1] = 0;
    }
    size_t sign = digits[0] == '-', n = strcspn(digits + sign, ".e");
    buf_init(&b, a, sizeof digits * 2);
    if (sign) buf_u8(&b, '-');
    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) buf_u8(&b, ',');
        buf_u8(&b, (uint8_t)digits[sign + i]);
    }
    buf_bytes(&b, digits + sign + n, strlen(digits + sign + n));
    return buf_view(&b);
}

struct slice json_figure(struct arena *a, const struct json *object, const char *name)
{
    return figure(a, json_double(object, name, NAN));
}

struct slice counted(struct arena *a, double n, const char *one, const char *many)
{
    return arena_printf(a, "%.*s %s", SLICE_ARG(figure(a, n)), n == 1 ? one : many);
}
