/* access_items.c: mutations, gets and statements as accesses. */
#include "access_items.h"

enum policy_action access_action_of(enum mutation_kind kind)
{
    static const enum policy_action actions[] = { [MUTATION_PUT] = ACTION_PutItem,
                                                  [MUTATION_UPDATE] = ACTION_UpdateItem,
                                                  [MUTATION_DELETE] = ACTION_DeleteItem,
                                                  [MUTATION_CHECK] = ACTION_ConditionCheckItem };
    return actions[kind];
}

static struct slice return_values(enum return_values r)
{
    static const char *const words[] = { [RETURN_NONE] = "NONE",
                                         [RETURN_ALL_OLD] = "ALL_OLD",
                                         [RETURN_ALL_NEW] = "ALL_NEW",
                                         [RETURN_UPDATED_OLD] = "UPDATED_OLD",
                                         [RETURN_UPDATED_NEW] = "UPDATED_NEW" };
    return slice_str(words[r]);
}

int access_mutation(struct call *call, const struct mutation *m, enum policy_action action, const char *enclosing, bool unfit)
{
    struct access a = { .action = action,
                        .table_name = m->table_name,
                        .enclosing = enclosing,
                        .unfit = unfit,
                        .table = m->table,
                        .item = m->item,
                        .whole_item = m->returns == RETURN_ALL_OLD || m->returns == RETURN_ALL_NEW || m->show_old_on_failure,
                        .conditions = { m->condition },
                        .update = m->update };
    if (!enclosing && !m->in_batch) a.return_values = return_values(m->returns);
    if (action == ACTION_PartiQLSelect) a.full_scan = SLICE("false"); /* EXISTS */
    int code = access_ask(call, &a);
    if (code || !m->show_old_on_failure) return code;
    /* What a failed condition would show is ALL_OLD, by another name. */
    a.return_values = return_values(RETURN_ALL_OLD);
    return access_ask(call, &a);
}

int access_mutations(struct call *call, const struct mutations *ms, const struct err *unfit, const char *enclosing)
{
    int code = 0;
    for (size_t i = 0; !code && i < ms->n; i++) {
        const struct mutation *m = &ms->all[i];
        code = access_mutation(call, m, access_action_of(m->kind), enclosing, unfit && unfit[i].code);
    }
    return code;
}

int access_get(struct call *call, const struct get *g, enum policy_action action, const char *enclosing)
{
    struct access a = { .action = action,
                        .table_name = g->table_name,
                        .enclosing = enclosing,
                        .table = g->table,
                        .item = g->key,
                        .shows = true,
                        .projection = g->projection };
    if (action == ACTION_PartiQLSelect) a.full_scan = SLICE("false");
    return access_ask(call, &a);
}

enum policy_action access_action_of_statement(const struct statement *s)
{
    switch (s->ql->kind) {
    case PARTIQL_INSERT: return ACTION_PartiQLInsert;
    case PARTIQL_UPDATE: return ACTION_PartiQLUpdate;
    case PARTIQL_DELETE: return ACTION_PartiQLDelete;
    case PARTIQL_SELECT:
    case PARTIQL_EXISTS: break;
    }
    return ACTION_PartiQLSelect;
}

int access_unfit_statement(struct call *call, const struct statement *s)
{
    struct access a = { .action = access_action_of_statement(s),
                        .table_name = s->ql->table,
                        .index_name = s->ql->index,
                        .unfit = true };
    return access_ask(call, &a);
}
