/* profile.h: one profile of the files ~/.aws/credentials and ~/.aws/config. Text in, slices out: no files here. */
#ifndef OF_REMOTE_PROFILE_H
#define OF_REMOTE_PROFILE_H

#include "../base/slice.h"

/* What was found; empty slices where nothing was. All borrowed from the text. */
struct profile {
    bool found;
    struct slice access_key, secret_key, session_token, region, endpoint_url, ca_bundle;
    struct slice indirect; /* a way to credentials that needs more than these files: "sso_session", "role_arn" ... */
};

/* config: sections are called [profile NAME], but for [default]; otherwise [NAME]. A section that comes twice counts
 * as one, in which the later line wins. */
void profile_read(struct slice text, bool config, struct slice name, struct profile *out);

#endif
