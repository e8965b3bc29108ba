/* blog.c: seed 002: posts by author, published posts, comments with their reactions, tags, groups. */
#include "example.h"

#define POST "01HMQDNA00TQPWBHX7JQNAFHM1"

/* Asks, and prints a line per result. */
static void show(const struct shop *s, const char *title, of_item *answer, const char *entity, const char *attribute)
{
    of_iter it = each(answer, entity);
    (void)s;
    printf("%s:\n", title);
    while (of_iter_next(&it)) line(it.value, "  %", attribute);
    of_item_free(answer);
}

static void write_post(const struct shop *s)
{
    of_item *post = attributes(s, "Post", "username", "bob", "title", "Sorted by itself", "published", "true", NULL);
    of_item *stored;
    must(of_entity_put(s->model, s->db, "Post", post, NULL, &stored, &error));
    of_item_free(post);

    /* The id was generated: a ULID, which begins with the time. The tag is one item, found from both sides. */
    of_value id;
    size_t n;
    if (!of_item_get(stored, "postId", -1, &id)) exit(1);
    const char *text = of_value_bytes(id, &n);
    of_item *tag = attributes(s, "PostTag", "tag", "dynamodb", NULL);
    must(of_item_set_string(tag, "postId", -1, text, (ptrdiff_t)n));
    must(of_entity_put(s->model, s->db, "PostTag", tag, NULL, NULL, &error));
    of_item_free(tag);
    of_item_free(stored);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "patterns/blog";
    struct shop s = shop_open(folder, "onefold.yaml");
    shop_load(&s, folder);
    show(&s, "Posts by alice", ask(&s, "postsByUser", "username", "alice", NULL), "Post", "title");
    show(&s, "Published", ask(&s, "publishedPosts", NULL), "Post", "title");
    write_post(&s);
    show(&s, "Published", ask(&s, "publishedPosts", NULL), "Post", "title");

    of_item *comments = ask(&s, "commentsOfPost", "postId", POST, NULL);
    int read = items_read(comments);
    show(&s, "Comments", comments, "Comment", "content");
    printf("  (%d items read: reactions lie among the comments)\n", read);
    show(&s, "Tags of the post", ask(&s, "postWithEverything", "postId", POST, NULL), "PostTag", "tag");
    show(&s, "Groups of alice", ask(&s, "groupsOfUser", "username", "alice", NULL), "Membership", "group");
    show(&s, "Developers", ask(&s, "usersOfGroup", "group", "developers", NULL), "Membership", "username");
    show(&s, "Mugs are at", ask(&s, "productWithInventory", "productId", "mug", NULL), "Inventory", "location");
    shop_close(&s);
    return 0;
}
