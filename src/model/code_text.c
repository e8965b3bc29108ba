/* code_text.c: texts as the languages write them. */
#include "code_impl.h"

/* Line and paragraph separators end a line of JavaScript, and a comment with it. */
static size_t line_end_at(struct slice text, size_t i)
{
    if (text.p[i] < 0x20 || text.p[i] == 0x7f) return 1;
    bool separator = text.n - i >= 3 && text.p[i] == 0xe2 && text.p[i + 1] == 0x80 && (text.p[i + 2] & 0xfe) == 0xa8;
    return separator ? 3 : 0;
}

void code_comment(struct buf *b, const char *mark, struct slice text)
{
    buf_printf(b, "%s ", mark);
    for (size_t i = 0; i < text.n;) {
        size_t end = line_end_at(text, i);
        buf_u8(b, end ? ' ' : text.p[i]);
        i += end ? end : 1;
    }
    /* A backslash (or ??/, an old spelling of it) would take the next line into a comment of C. */
    if (text.n && (text.p[text.n - 1] == '\\' || text.p[text.n - 1] == '/')) BUF_LIT(b, " .");
    BUF_LIT(b, "\n");
}

void code_header(struct code *c, const char *mark)
{
    const struct pattern *q = c->plan->pattern;
    struct buf b;
    code_comment(c->out, mark, q->about.n ? arena_printf(c->arena, "%.*s: %.*s", SLICE_ARG(q->name), SLICE_ARG(q->about)) : q->name);
    buf_init(&b, c->arena, CODE_MAX);
    for (size_t i = 0; i < c->n_inputs; i++)
        buf_printf(&b, "%s%.*s = %.*s", i ? ", " : "with ", SLICE_ARG(c->inputs[i].name), SLICE_ARG(c->inputs[i].value));
    if (b.n) code_comment(c->out, mark, buf_view(&b));
    code_comment(c->out, mark, arena_printf(c->arena, "%.*s%s%.*s: %.*s", SLICE_ARG(c->plan->operation),
                                            c->plan->index_name.n ? " on " : "", SLICE_ARG(c->plan->index_name),
                                            SLICE_ARG(c->plan->key_condition)));
    if (!c->n) code_comment(c->out, mark, SLICE("Nothing can lie in this range, so nothing is asked."));
}

void code_wanted_comments(struct code *c, const char *mark)
{
    if (c->n_drops) code_comment(c->out, mark, SLICE("BETWEEN includes both ends; what is asked for does not."));
    if (c->n_shapes) code_comment(c->out, mark, SLICE("Other items lie in the same range: these are the keys of what is asked for."));
}

void code_quoted(struct buf *b, struct slice text)
{
    json_put_string(b, text); /* its escapes mean the same in both languages, and what is not ASCII stands as it is */
}

void code_c_quoted(struct buf *b, struct slice text)
{
    buf_u8(b, '"');
    for (size_t i = 0; i < text.n; i++) {
        uint8_t ch = text.p[i];
        if (ch == '"' || ch == '\\' || ch == '?') buf_printf(b, "\\%c", ch); /* ?: no trigraphs */
        else if (ch < 0x20 || ch == 0x7f) buf_printf(b, "\\%03o", ch);
        else buf_u8(b, ch);
    }
    buf_u8(b, '"');
}

static bool is_plain(uint8_t ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || strchr("_-./:@%+,=", ch);
}

void code_shell_word(struct buf *b, struct slice text)
{
    bool plain = text.n > 0;
    for (size_t i = 0; i < text.n; i++) plain = plain && text.p[i] && is_plain(text.p[i]);
    if (plain) {
        buf_slice(b, text);
        return;
    }
    buf_u8(b, '\'');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'') BUF_LIT(b, "'\\''");
        else buf_u8(b, text.p[i]);
    }
    buf_u8(b, '\'');
}

bool code_is_name(struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        uint8_t ch = text.p[i];
        bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || ch == '$';
        if (!letter && !(i && ch >= '0' && ch <= '9')) return false;
    }
    return text.n > 0;
}
