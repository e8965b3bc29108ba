/* pages.c: the studio's files, built by npm and carried in the program (tools/build-studio), and how they are sent.
 *
 * Names that Vite makes hold a hash of the content, so those may be kept by the browser for ever; the page itself is asked for
 * again each time. The policy lets nothing in from elsewhere and no script or style but these files: the page
 * cannot be made to run what a stored item says. */
#include "pages.h"

struct studio_file {
    const char *path; /* below /studio/ */
    const char *type;
    bool forever;
    const unsigned char *bytes; /* gzip */
    size_t n;
};
#include "studio_files.inc"

#define POLICY                                                                                                            \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "     \
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"               \
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n"      \
    "Cross-Origin-Resource-Policy: same-origin\r\n"

bool studio_has_pages(void)
{
    return studio_files[0].path != NULL;
}

static void say(struct guest_answer *out, int status, const char *text)
{
    out->status = status;
    out->content_type = SLICE("text/plain; charset=utf-8");
    out->headers = SLICE(POLICY);
    out->body = slice_str(text);
}

void studio_page(void *ctx, struct http_request *r, struct guest_answer *out)
{
    (void)ctx;
    struct slice name = slice_of(r->path.p + sizeof STUDIO_PATH - 1, r->path.n - (sizeof STUDIO_PATH - 1));
    if (!studio_has_pages()) {
        say(out, 404, "This onefold was built without the studio: npm was not there. Run 'make build' where Node.js and npm, or the npm registry, can be had.\n");
        return;
    }
    if (!name.n) { /* so that the page's own names are below it */
        out->status = 301;
        out->headers = SLICE("Location: " STUDIO_PATH "/\r\n");
        return;
    }
    name = slice_of(name.p + 1, name.n - 1);
    if (!name.n) name = SLICE("index.html");
    for (const struct studio_file *f = studio_files; f->path; f++) {
        if (!slice_eq(name, slice_str(f->path))) continue;
        out->content_type = slice_str(f->type);
        out->headers = f->forever ? SLICE(POLICY "Cache-Control: public, max-age=31536000, immutable\r\n")
                                  : SLICE(POLICY "Cache-Control: no-cache\r\n");
        out->body = slice_of(f->bytes, f->n);
        out->gzipped = true;
        return;
    }
    say(out, 404, "There is no such page. The studio begins at " STUDIO_PATH "/\n");
}
