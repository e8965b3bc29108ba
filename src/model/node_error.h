/* node_error.h: what libyaml says about a text that is not YAML, as a problem. Private to the reader of nodes. */
#ifndef OF_MODEL_NODE_ERROR_H
#define OF_MODEL_NODE_ERROR_H

#include "problem.h"
#include <yaml.h>

void node_yaml_error(struct problems *ps, struct slice file, struct slice text, const yaml_parser_t *parser);

#endif
