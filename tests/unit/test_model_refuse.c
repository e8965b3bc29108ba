/* test_model_refuse.c: what is wrong with a model file is said with line, column, what it is and what to do. Each case
 * is a change of a model that is good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "model/model.h"

static const char good[] =
    "onefold: 1\n"                                                              /* 1 */
    "table: shop\n"
    "keys: { hash: PK, sort: SK }\n"
    "indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK }, num: { hash: { name: rank, type: number } }, loc: { local: true, sort: LSK } }\n"
    "timestamps: true\n"                                                        /* 5 */
    "silence: [{ rule: hot, reason: few }]\n"
    "entities:\n"
    "  Order:\n"
    "    key: { PK: \"ORDER#${orderId}\", SK: \"#META\" }\n"
    "    index: { GSI1: { GSI1PK: \"S#${status}\", GSI1SK: \"${orderId}\" }, num: { rank: \"${total}\" } }\n" /* 10 */
    "    copies: [{ key: { PK: \"C#${customerId}\", SK: \"ORDER#${orderId}\" }, only: [total] }]\n"
    "    unique: [code, [customerId, code]]\n"
    "    attributes:\n"
    "      orderId: { type: string, generate: ulid }\n"
    "      customerId: { required: true }\n"                                    /* 15 */
    "      status: { enum: [open, done], default: open }\n"
    "      total: { type: number, min: 0, max: 100, default: 5 }\n"
    "      paid: boolean\n"
    "      tags: string-set\n"
    "      code: { pattern: '[a-z]+' }\n"                                       /* 20 */
    "      raw: binary\n"
    "      lines: { type: list, items: { type: map, attributes: { sku: string } } }\n"
    "    lock: version\n"
    "    schema: 1\n"
    "  Item:\n"                                                                 /* 25 */
    "    key: { PK: \"ORDER#${orderId}\", SK: \"ITEM#${n:04}\" }\n"
    "    attributes: { orderId: string, n: number }\n"
    "patterns:\n"
    "  byStatus: { of: Order, by: [status], where: { orderId: { since: -30d } }, order: newest, limit: 20 }\n"
    "  whole: { of: [Order, Item], by: { orderId: $id }, filter: { total: { atLeast: 5, below: 10 } } }\n" /* 30 */
    "  all: { of: Order, across: [status, paid], index: GSI1, rate: 5/s, expect: { items: 3, bytes: 400 } }\n";

static const struct {
    const char *old, *new;
    const char *says; /* "line:column message", the first problem's beginning */
    const char *hint; /* NULL: not looked at */
} cases[] = {
    /* the whole */
    { "onefold: 1\n", "\n", "2:1 \"onefold\" is missing in the model", "add onefold:" },
    { "onefold: 1", "onefold: 2", "1:10 \"onefold\" is the version of this format, 1", NULL },
    { "onefold: 1", "onefold: '1'", "1:10 \"onefold\" is the version of this format, 1", NULL },
    { "table: shop", "table: a b", "2:8 \"a b\" cannot be the name of a table", NULL },
    { "table: shop", "table: ab", "2:8 \"ab\" cannot be the name of a table", NULL },
    { "table: shop", "table: 123", "2:8 \"table\" must be text, but is a number", "put it in quotes, if it is meant" },
    { "table: shop", "table:", "2:7 \"table\" must be text, but is nothing", "give it a value, or leave it out" },
    { "entities:\n", "entity:\n", "1:1 \"entities\" is missing in the model: it has none yet",
      "describe one, such as entities: { Customer: { key: { PK: \"CUSTOMER#${id}\", SK: PROFILE }, attributes: { id: string } } }" },
    { "table: shop", "tabel: shop", "1:1 \"table\" is missing in the model", NULL },
    { "timestamps: true", "timestamp: true", "5:1 \"timestamp\" is not known in the model", "did you mean \"timestamps\"?" },
    { "timestamps: true", "timestamps: yes", "5:13 \"timestamps\" must be true or { created", NULL },
    { "timestamps: true", "timestamps: { created: a, updated: a }", "5:13 a is both timestamps and timestamps again", NULL },
    { "timestamps: true", "timestamps: {}", "5:13 \"timestamps\" is empty", NULL },
    { "timestamps: true", "timestamps: { created: total }", "17:7 total is a timestamp of the model, but", NULL },
    { "timestamps: true", "delimiter: abcde", "5:12 \"delimiter\" must be one to four characters", NULL },
    { "timestamps: true", "delimiter: '%'", "5:12 \"delimiter\" must be one to four characters", NULL },
    { "timestamps: true", "delimiter: ''", "5:12 \"delimiter\" must be one to four characters", NULL },
    { "timestamps: true", "escape: maybe", "5:9 \"escape\" must be refuse or percent, but is \"maybe\"", NULL },
    { "timestamps: true", "entityAttribute: PK", "5:18 PK is the entityAttribute and cannot be a key attribute", NULL },
    { "timestamps: true", "entityAttribute: total", "17:7 total is the entity attribute, a string, but is declared as a number", NULL },
    { "timestamps: true", "schemaAttribute: code", "20:7 code is the schema attribute, a number, but is declared as a string", NULL },
    { "timestamps: true", "ttl: code", "20:7 code is the ttl attribute and must be a number of seconds", NULL },
    { "timestamps: true", "ttl: expires", "5:6 no entity has the ttl attribute \"expires\"", NULL },
    { "timestamps: true", "data: { a: b }", "5:7 \"data\" must be text, but is a map", NULL },
    { "timestamps: true", "data: ['']", "5:8 this is not the name of a file", NULL },
    { "{ rule: hot, reason: few }", "{ rule: hot }", "6:11 \"reason\" is missing in silence", NULL },
    { "{ rule: hot, reason: few }", "{ rule: hot, reason: ' ' }", "6:32 the reason is empty", NULL },
    { "{ rule: hot, reason: few }", "{ rule: hot, on: Nobody, reason: x }", "6:28 there is no entity, pattern or index", NULL },
    { "entities:\n", "entities: 5\nx:\n", "7:11 \"entities\" must be a map, but is a number", NULL },
    /* what YAML or a habit from elsewhere makes of a template */
    { "    key: { PK: \"ORDER#${orderId}\", SK: \"#META\" }", "    key:\n      PK: \"ORDER#${orderId}\"\n      SK: #META",
      "11:10 # begins a comment here, so that \"SK\" is nothing", "put it in quotes: \"#META\"" },
    { "    key: { PK: \"ORDER#${orderId}\", SK: \"#META\" }", "    key:\n      PK: ORDER #${orderId}  \n      SK: META",
      "10:11 # begins a comment here, so that \"PK\" is only \"ORDER\"", "put it in quotes: \"ORDER#${orderId}\"" },
    { "\"C#${customerId}\"", "\"C#{customerId}\"", "11:27 \"C#{customerId}\" stands for itself here", "write ${customerId}" },
    { "\"C#${customerId}\"", "\"C#{{customerId}}\"", "11:27 \"C#{{customerId}}\" stands for itself", "write ${customerId}" },
    { "\"C#${customerId}\"", "\"C#<customerId>\"", "11:27 \"C#<customerId>\" stands for itself here", "write ${customerId}" },
    { "\"C#${customerId}\"", "\"C#$customerId\"", "11:27 \"C#$customerId\" stands for itself here", "write ${customerId}" },
    { "SK: \"#META\" }", "SK: #META }", "10:10 this is not YAML", NULL },
    { "rate: 5/s", "rate: 5", "31:64 \"5\" is not a rate", "write 50/s, 1000/min, 2000/h, 10000/day or 1000000/month" },
    { "by: [status]", "by: status", "29:30 \"by\" must be a list of attributes or a map, but is text", "write by: [status]" },
    { "paid: boolean", "paid: bool", "18:13 \"type\" must be string", "did you mean \"boolean\"?" },
    { "limit: 20", "limit: '20'", "29:99 \"limit\" must be a whole number from 1 to 1000000000, but is text", "write it without quotes" },
    { "limit: 20", "limit: -2", "29:99 \"limit\" must be a whole number from 1 to 1000000000, but is \"-2\"", "" },
    /* keys and indexes */
    { "hash: PK, sort: SK }", "sort: SK }", "3:7 \"hash\" is missing in keys", NULL },
    { "hash: PK, sort: SK }", "hash: PK, sort: PK }", "3:25 PK is in this key twice", NULL },
    { "hash: PK, sort: SK }", "hash: [PK, A], sort: SK }", "3:15 \"hash\" must be one attribute here", NULL },
    { "hash: PK, sort: SK }", "hash: { name: PK, type: bool }, sort: SK }", "3:33 \"type\" must be string, number or binary", NULL },
    { "hash: PK, sort: SK }", "hash: { nam: PK }, sort: SK }", "3:15 \"name\" is missing in a key attribute", NULL },
    { "sort: GSI1SK }", "sort: GSI1SK, projct: all }", "4:48 \"projct\" is not known in an index", "did you mean \"project\"?" },
    { "sort: GSI1SK }", "sort: GSI1SK, project: some }", "4:57 \"project\" must be all, keys or a list", NULL },
    { "sort: GSI1SK }", "sort: GSI1SK, project: [nothing] }", "4:12 index GSI1 projects \"nothing\", which no entity has", NULL },
    { "sort: GSI1SK }", "sort: [a, b, c, d, e] }", "4:40 \"sort\" must be one to four attributes", NULL },
    { "sort: GSI1SK }", "sort: { name: rank, type: string } }", "4:85 key attribute rank is a number here, but a string in index GSI1", NULL },
    { "GSI1: { hash: GSI1PK,", "GSI1: {", "4:12 \"hash\" is missing in index GSI1", NULL },
    { "loc: { local: true, sort: LSK }", "loc: { local: true }", "4:95 \"sort\" is missing in local index loc", NULL },
    { "loc: { local: true,", "loc: { local: true, hash: PK,", "4:115 a local index has the table's hash key", NULL },
    { "loc: {", "table: {", "4:95 an index cannot be called \"table\"", NULL },
    { "loc: {", "l: {", "4:95 \"l\" cannot be the name of an index", NULL },
    { "rank, type: number", "shards, type: number", "4:71 a key attribute cannot be called \"shards\"", NULL },
    /* entities and templates */
    { "SK: \"#META\" }", "SC: \"#META\" }", "9:5 the key of Order has no template for SK", NULL },
    { "key: { PK: \"ORDER#${orderId}\", SK: \"#META\" }", "keys: {}", "8:3 the key of Order has no template for PK", NULL },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${oderId}\", SK: \"#", "9:16 Order has no attribute \"oderId\"", "did you mean \"orderId\"?" },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${nothing}\", SK: \"#", "9:16 Order has no attribute \"nothing\"", "declare it under attributes: of Order" },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${SK}\", SK: \"#", "9:16 Order has no attribute \"SK\"", "it is made from a template; use the attributes of that one" },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${tags}\", SK: \"#", "9:16 tags is a string-set, which cannot stand in a template", NULL },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${lines}\", SK: \"#", "9:16 lines is a list, which cannot stand in a template", NULL },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${raw}\", SK: \"#", "9:16 raw is a binary, which cannot stand in a template", NULL },
    { "ORDER#${orderId}\", SK: \"#", "${total}\", SK: \"#", "9:16 key attribute PK is a string, but total is a number", NULL },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${code:04}\", SK: \"#", "9:16 only numbers are padded with zeros, but code is a string", NULL },
    { "ORDER#${orderId}\", SK: \"#", "ORDER#${orderId\", SK: \"#", "9:16 a hole is not closed", NULL },
    { "\"#META\"", "7", "9:40 \"SK\" must be text, but is a number", NULL },
    { "rank: \"${total}\"", "rank: \"T#${total}\"", "10:82 key attribute rank is a number and takes one attribute as it is", NULL },
    { "rank: \"${total}\"", "rank: \"${code}\"", "10:82 key attribute rank is a number, but code is a string", NULL },
    { "num: { rank:", "nun: { rank:", "10:69 there is no index \"nun\"", "did you mean \"num\"?" },
    { "GSI1SK: \"${orderId}\"", "GSI1XK: \"${orderId}\"", "10:14 the entry in index GSI1 has no template for GSI1SK", NULL },
    { "num: { rank: \"${total}\" }", "num: [a]", "10:74 \"num\" must be a map, but is a list", NULL },
    { "      paid: boolean", "      GSI1SK: number\n      paid: boolean", "10:53 GSI1SK is an attribute of Order itself", NULL },
    { "      paid: boolean", "      LSK: number\n      paid: boolean", "18:7 LSK is a key attribute of type string, but is declared as a number", NULL },
    { "      paid: boolean", "      GSI1PK: string\n      paid: boolean", "10:30 GSI1PK is an attribute of Order itself", NULL },
    { "open, done]", "open, 'a#b']", "10:30 status may be \"a#b\", which contains the delimiter", NULL },
    { "    lock: version", "    lokc: version", "23:5 \"lokc\" is not known in an entity", "did you mean \"lock\"?" },
    { "    lock: version", "    lock: code", "23:11 \"lock\" counts versions and must be a number, but code is a string", NULL },
    { "    lock: version", "    lock: createdAt", "23:11 \"lock\" cannot be a key attribute or a timestamp", NULL },
    { "    schema: 1", "    schema: 0", "24:13 \"schema\" must be a whole number from 1 to", NULL },
    { "    schema: 1", "    open: 1", "24:11 \"open\" must be true or false, but is a number", NULL },
    { "    schema: 1", "    rate: { put: 5 }", "24:18 \"5\" is not a rate", NULL },
    { "    schema: 1", "    rate: { put: 5/week }", "24:18 \"5/week\" is not a rate", NULL },
    { "    schema: 1", "    expect: { items: -1 }", "24:22 \"items\" must be a number above 0", NULL },
    { "    schema: 1", "    expect: { items: 10000000000001 }", "24:22 \"items\" must be a number above 0, and at most", NULL },
    { "    schema: 1", "    rate: { put: 99999999999999/s }", "24:18 \"99999999999999/s\" is not a rate", NULL },
    { "    schema: 1", "    expect: { bytes: 409601 }", "24:22 \"bytes\" must be a number from 1 to 409600", NULL },
    { "  Item:\n", "  -Item:\n", "25:3 the name of an entity cannot begin with -", NULL },
    /* copies, unique, shards */
    { "PK: \"C#${customerId}\", SK: \"ORDER#${orderId}\" }", "PK: \"ORDER#${orderId}\", SK: \"#META\" }", "11:21 this copy has the same key as Order itself", NULL },
    { "only: [total]", "only: [totl]", "11:79 Order has no attribute \"totl\"", "did you mean \"total\"?" },
    { "only: [total]", "only: [total, total]", "11:86 \"total\" is there twice", NULL },
    { "only: [total]", "only: total", "11:78 \"only\" must be a list, but is text", NULL },
    { "only: [total]", "sparse: 1", "11:80 \"sparse\" must be true or false", NULL },
    { "only: [total] }", "only: [total] }, { key: { PK: \"C#${customerId}\", SK: \"ORDER#${orderId}\" } }", "11:89 this copy has the same key as copy 1", NULL },
    { "only: [total] }", "name: a }, { name: a, key: { PK: \"D#${customerId}\", SK: x } }", "11:83 two copies are called \"a\"", NULL },
    { "only: [total] }]", "index: { GSI1: { GSI1PK: \"X#${a}\", GSI1SK: b } } }]", "11:97 Order has no attribute \"a\"", NULL },
    { "[code, [customerId, code]]", "[code, code]", "12:20 this is unique already", NULL },
    { "[code, [customerId, code]]", "[tags]", "12:14 tags is a string-set, which cannot be unique", NULL },
    { "[code, [customerId, code]]", "[cod]", "12:14 Order has no attribute \"cod\"", "did you mean \"code\"?" },
    { "[open, done]", "[open, ~]", "16:30 this value breaks the attribute's own rules: Order.status: must be a string, but is null", NULL },
    { "[code, [customerId, code]]", "[a+b]", "12:14 the name of a unique attribute cannot hold + or the delimiter, which its sentinel's key is made with", "rename the attribute" },
    { "[code, [customerId, code]]", "[[]]", "12:14 one to four attributes can be unique together", NULL },
    { "only: [total] }]", "shards: { of: SK, by: orderId, count: 3 } }]", "11:86 \"SK\" is not a hash key attribute here", "the hash key here is PK" },
    { "only: [total] }]", "shards: { of: PK, by: ordrId, count: 3 } }]", "11:94 Order has no attribute \"ordrId\"", NULL },
    { "only: [total] }]", "shards: { of: PK, by: orderId, count: 0 } }]", "11:110 \"count\" must be a whole number from 1 to 1000", NULL },
    { "only: [total] }]", "shards: { of: PK, by: orderId, count: 2, letters: 1 } }]", "11:80 shards have one form", NULL },
    { "only: [total] }]", "shards: { of: PK, by: orderId, letters: 3 } }]", "11:112 \"letters\" must be a whole number from 1 to 2", NULL },
    { "only: [total] }]", "shards: { of: PK, by: orderId, month: 2024-13 } }]", "11:110 \"2024-13\" is not a month", NULL },
    { "only: [total] }]", "shards: { of: PK, by: code, month: 2024-01 } }]", "11:94 shards by month need a time, but code", NULL },
    { "only: [total] }]", "shards: { of: PK, by: total, letters: 1 } }]", "11:94 shards by letters need a string, but total", NULL },
    { "only: [total] }]", "shards: { of: PK, by: code } }]", "11:94 the shards are the values of code, which has no enum", NULL },
    { "only: [total] }]", "shards: { by: code, count: 3 } }]", "11:80 \"of\" is missing in shards", NULL },
    { "num: { rank: \"${total}\" }", "num: { rank: \"${total}\", shards: { of: rank, by: code, count: 2 } }", "10:108 only a string key can be spread", NULL },
    /* attributes */
    { "paid: boolean", "paid: bool", "18:13 \"type\" must be string, number, boolean", NULL },
    { "paid: boolean", "paid:", "18:12 attribute paid must be a type or a map, but is nothing", NULL },
    { "paid: boolean", "paid: { type: boolean, requird: true }", "18:30 \"requird\" is not known in an attribute", "did you mean \"required\"?" },
    { "paid: boolean", "paid: { type: boolean, min: 1 }", "18:30 \"min\" is for numbers and for what has a length, but paid is a boolean", NULL },
    { "paid: boolean", "paid: { type: boolean, generate: ulid }", "18:30 \"generate\" is for a string here, but paid is a boolean", NULL },
    { "paid: boolean", "paid: { type: boolean, default: 1 }", "18:39 ", NULL },
    { "paid: boolean", "paid: { type: boolean, enum: [true] }", "18:30 \"enum\" is for strings and numbers", NULL },
    { "paid: boolean", "paid: { type: boolean, items: string }", "18:30 \"items\" is for a list, but paid is a boolean", NULL },
    { "paid: boolean", "paid: { type: boolean, attributes: {} }", "18:30 \"attributes\" is for a map, but paid is a boolean", NULL },
    { "paid: boolean", "paid: { type: boolean, pattern: x }", "18:30 \"pattern\" is for strings, but paid is a boolean", NULL },
    { "generate: ulid", "generate: uid", "14:42 \"generate\" must be ulid, uuid or now", NULL },
    { "generate: ulid", "generate: ulid, format: uuid", "14:32 \"generate\" contradicts the attribute's format", NULL },
    { "generate: ulid", "generate: ulid, default: x", "14:48 \"default\" contradicts generate", NULL },
    { "generate: ulid", "format: epoch", "14:40 format epoch is for a number, but orderId is a string", NULL },
    { "default: open", "default: opn", "16:46 the default breaks the attribute's own rules", NULL },
    { "default: open", "default: [open]", "16:46 ", NULL },
    { "[open, done]", "[open, open]", "16:30 \"open\" is there twice", NULL },
    { "[open, done]", "[open, 1]", "16:30 this value is a number, but status is a string", NULL },
    { "[open, done]", "[open, done], max: 3", "16:24 this value breaks the attribute's own rules", NULL },
    { "default: open", "pattern: '[a'", "16:46 \"[a\" is not a pattern", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: 'a)|(b' }", "20:24 this pattern cannot be used: a ) has no (", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: '(a{200}){200}' }", "20:24 this pattern cannot be used: its repetitions", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: '(a)\\1' }", "20:24 this pattern cannot be used: it refers back", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: '((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+' }", "20:24 this pattern cannot be used: its repetitions", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: 'a++++++++++++++++++++++++' }", "20:24 this pattern cannot be used: two repetitions", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: 'a{1,}{1,}{1,}{1,}' }", "20:24 this pattern cannot be used: two repetitions", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: '((((((((((((a{1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,})' }", "20:24 this pattern cannot be used: its repetitions", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { pattern: '(.{0,99}){0,99}' }", "20:24 this pattern cannot be used: its repetitions", NULL },
    { "min: 0, max: 100", "min: 5, max: 4", "17:38 \"max\" contradicts min, which is larger", NULL },
    { "min: 0, max: 100", "min: x", "17:35 \"min\" must be a number", NULL },
    { "default: 5", "default: 101", "17:57 the default breaks the attribute's own rules", NULL },
    { "code: { pattern: '[a-z]+' }", "code: { min: -1 }", "20:20 \"min\" of a string must be a whole number from 0", NULL },
    { "sku: string", "sku: { default: x }", "22:69 \"default\" is for attributes of an entity", NULL },
    { "sku: string", "sku: strng", "22:67 \"type\" must be string", "did you mean \"string\"?" },
    { "items: {", "items: { required: true,", "22:37 \"required\" says nothing about the elements of a list", NULL },
    { "n: number }\n", "? '' : number, n: number }\n", "27:38 the name of an attribute is empty", NULL },
    /* patterns */
    { "  byStatus:", "  by status:", "29:3 \"by status\" cannot be the name of a pattern", NULL },
    { "  byStatus:", "  -byStatus:", "29:3 \"-byStatus\" cannot be the name of a pattern", NULL },
    { "of: Order, by: [status]", "of: Ordr, by: [status]", "29:19 there is no entity \"Ordr\"", "did you mean \"Order\"?" },
    { "of: Order, by: [status]", "by: [status]", "29:3 pattern byStatus does not say what it asks for", NULL },
    { "of: Order, by: [status]", "of: Order, collection: Order, by: [status]", "29:26 a pattern has \"of\" or \"collection\"", NULL },
    { "of: [Order, Item]", "of: []", "30:16 \"of\" is a list of no entities", NULL },
    { "of: [Order, Item]", "of: [Order, Order]", "30:24 \"Order\" is there twice", NULL },
    { "by: [status]", "by: [statu]", "29:31 Order has no attribute \"statu\"", "did you mean \"status\"?" },
    { "by: [status]", "by: [GSI1PK]", "29:31 Order has no attribute \"GSI1PK\"", "it is made from a template; name the attributes that the template uses" },
    { "by: [status]", "by: [status, status]", "29:39 \"status\" is there twice", NULL },
    { "by: [status]", "by: status", "29:30 \"by\" must be a list of attributes or a map, but is text", NULL },
    { "by: [status]", "by: [tags]", "29:31 tags is a string-set, which cannot be compared", NULL },
    { "by: [status]", "by: { status: opn }", "29:40 ", NULL },
    { "by: [status]", "by: { total: x }", "29:39 ", NULL },
    { "by: [status]", "by: { status: { atLeast: a } }", "29:40 \"status\" must be a constant or $input, but is a map", "conditions such as { atLeast: x } belong under where:" },
    { "by: [status]", "by: [status, orderId]", "29:58 orderId is under by and under where", NULL },
    { "{ since: -30d }", "{ sinc: -30d }", "29:60 \"sinc\" is not a condition", "did you mean \"since\"?" },
    { "{ since: -30d }", "{ since: lately }", "29:67 \"lately\" is not a date", NULL },
    { "{ since: -30d }", "-30d", "29:58 \"orderId\" must be a condition such as", "what is known exactly belongs under by:" },
    { "{ since: -30d }", "{ since: $1x }", "29:67 \"$1x\" is not the name of an input", NULL },
    { "{ since: -30d }", "{ between: [b, a] }", "29:49 nothing lies between a value and a smaller one", NULL },
    { "{ since: -30d }", "{ between: b }", "29:69 \"between\" needs a list of two values", NULL },
    { "{ since: -30d }", "{ during: [2026] }", "29:68 \"during\" needs a list of two values", NULL },
    { "{ since: -30d }", "{ since: -30d, atLeast: x }", "29:58 these conditions on orderId do not make one range", NULL },
    { "{ since: -30d }", "{}", "29:58 there is no condition on orderId", NULL },
    { "orderId: { since: -30d }", "code: { since: -30d }", "29:49 \"since\" is for times, but code has no time format", NULL },
    { "orderId: { since: -30d }", "total: { prefix: x }", "29:49 \"prefix\" is for strings, but total is a number", NULL },
    { "orderId: { since: -30d }", "paid: { above: 1 }", "29:49 \"above\" is for strings, numbers and binaries, but paid is a boolean", NULL },
    { "order: newest", "order: newst", "29:84 \"order\" must be newest, oldest, ascending or descending", "did you mean \"newest\"?" },
    { "limit: 20", "limit: 0", "29:99 \"limit\" must be a whole number from 1 to", NULL },
    { "{ orderId: $id }", "{ orderId: $id, total: $id }", "30:58 input $id is a number here, but a string before", NULL },
    { "across: [status, paid]", "across: [code]", "31:30 \"across\" needs an attribute with enum, or a boolean", NULL },
    { "across: [status, paid]", "across: []", "31:29 \"across\" must name one to 3 attributes", NULL },
    { "across: [status, paid]", "across: [paid], by: [paid]", "31:3 paid is under by and under across", NULL },
    { "index: GSI1", "index: GSI2", "31:52 there is no index \"GSI2\"", "did you mean \"GSI1\"?" },
    { "rate: 5/s", "rate: 5 per s", "31:64 \"5 per s\" is not a rate", NULL },
    { "expect: { items: 3,", "expect: { item: 3,", "31:79 \"item\" is not known in expect", "did you mean \"items\"?" },
};

static struct slice changed(const char *old, const char *new)
{
    const char *at = strstr(good, old);
    if (!at) fail_msg("\"%s\" is not in the model", old);
    return arena_printf(&arena, "%.*s%s%s", (int)(at - good), good, new, at + strlen(old));
}

static void the_model_that_is_changed_is_good(void **state)
{
    (void)state;
    struct problems ps;
    problems_init(&ps, &arena);
    struct model *m = model_read(&ps, SLICE("m"), slice_of(good, sizeof(good) - 1));
    if (!m) fail_msg("%u:%u %.*s", ps.first->place.line, ps.first->place.column, SLICE_ARG(ps.first->message));
    model_free(m);
}

static void every_mistake_is_found_at_its_place(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct problems ps;
        problems_init(&ps, &arena);
        struct model *m = model_read(&ps, SLICE("m"), changed(cases[i].old, cases[i].new));
        if (m) {
            print_error("taken: %s\n", cases[i].new);
            model_free(m);
            wrong++;
            continue;
        }
        const struct problem *p = ps.first;
        struct slice says = arena_printf(&arena, "%u:%u %.*s", p->place.line, p->place.column, SLICE_ARG(p->message));
        bool hint = !cases[i].hint || slice_eq(p->hint, slice_str(cases[i].hint));
        if (slice_starts(says, slice_str(cases[i].says)) && hint) continue;
        print_error("%s\n  expected %s [%s]\n  is       %.*s [%.*s]\n", cases[i].new, cases[i].says,
                    cases[i].hint ? cases[i].hint : "", SLICE_ARG(says), SLICE_ARG(p->hint));
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void one_run_tells_all_of_them(void **state)
{
    (void)state;
    struct problems ps;
    problems_init(&ps, &arena);
    assert_null(model_read(&ps, SLICE("m"), SLICE("onefold: 3\n"
                                                  "tabel: shop\n"
                                                  "entities:\n"
                                                  "  A:\n"
                                                  "    key: { PK: \"A#${x}\", SK: \"${y}\" }\n"
                                                  "    attributes: { x: strin, z: { type: number, min: a } }\n"
                                                  "patterns:\n"
                                                  "  p: { of: B, limit: none }\n"
                                                  "  q: { of: A, by: [w], order: up }\n")));
    static const unsigned lines[] = { 1, 1, 2, 5, 6, 6, 8, 8, 9, 9 };
    assert_int_equal(ps.n, sizeof(lines) / sizeof(lines[0]));
    size_t i = 0;
    for (const struct problem *p = ps.first; p; p = p->next) assert_int_equal(p->place.line, lines[i++]);
}

/* Comments behind a template, and braces that are meant, are nobody's mistake. */
static void what_only_looks_like_a_mistake_is_taken(void **state)
{
    (void)state;
    struct problems ps;
    problems_init(&ps, &arena);
    struct model *m = model_read(&ps, SLICE("m"), SLICE("onefold: 1\n"
                                                        "table: abc\n"
                                                        "entities:\n"
                                                        "  A:\n"
                                                        "    key:\n"
                                                        "      PK: A#${x} # made of ${x}\n"
                                                        "      SK: META #constant\n"
                                                        "    attributes: { x: string, y: string }\n"
                                                        "  B:\n"
                                                        "    key: { PK: \"B#$${x}#${x}\", SK: \"{z}<z>$z\" } #${x}\n"
                                                        "    attributes: { x: string }\n"));
    assert_non_null(m);
    model_free(m);
}

static void too_many_indexes_are_refused(void **state)
{
    (void)state;
    for (unsigned local = 0; local < 2; local++) {
        unsigned most = local ? 5 : 20;
        for (unsigned more = 0; more < 2; more++) {
            struct buf b;
            struct problems ps;
            buf_init(&b, &arena, 1 << 20);
            problems_init(&ps, &arena);
            buf_printf(&b, "onefold: 1\ntable: abc\nindexes:\n");
            for (unsigned i = 0; i < most + more; i++)
                buf_printf(&b, local ? "  I%02u: { local: true, sort: a%u }\n" : "  I%02u: { hash: a%u }\n", i, i);
            buf_printf(&b, "entities: { A: { key: { PK: A, SK: B } } }\n");
            struct model *m = model_read(&ps, SLICE("m"), buf_view(&b));
            assert_true(more ? m == NULL : m != NULL);
            if (more) assert_int_equal(ps.first->place.line, 4 + most);
            model_free(m);
        }
    }
}

/* Cut anywhere: a place for what is wrong, or a model. */
static void every_prefix_is_taken_or_refused_with_a_place(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof(good) - 1; n++) {
        struct problems ps;
        problems_init(&ps, &arena);
        struct model *m = model_read(&ps, SLICE("m"), slice_of(good, n));
        if (m) model_free(m);
        else assert_true(ps.first->place.line >= 1 && ps.first->place.column >= 1 && ps.first->message.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_that_is_changed_is_good),
        cmocka_unit_test(every_mistake_is_found_at_its_place),
        cmocka_unit_test(one_run_tells_all_of_them),
        cmocka_unit_test(what_only_looks_like_a_mistake_is_taken),
        cmocka_unit_test(too_many_indexes_are_refused),
        cmocka_unit_test(every_prefix_is_taken_or_refused_with_a_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
