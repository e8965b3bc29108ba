#!/usr/bin/env python3
"""Writes src/engine/api/shapes.inc from AWS's descriptions of the API and our overrides.

usage: gen_api.py overrides.json description.json... > shapes.inc

Keeps what the walker needs: every operation, and every shape that an input can reach.
AttributeValue is a leaf: the item layer reads it. A pattern must be explained in the overrides, see there:
the walker has no regular expressions, and none may be left out.
"""
import json
import sys

TYPES = {"structure", "list", "map", "string", "integer", "long", "double", "boolean", "blob", "timestamp"}


def entries(section):
    return {k: v for k, v in section.items() if k != "about"}


def c_string(s):
    return "NULL" if s is None else json.dumps(s)


class Table:
    """Shapes in the order of their first use, members and enum values of all of them in one array each."""

    def __init__(self, overrides):
        self.o = {k: entries(v) for k, v in overrides.items() if isinstance(v, dict)}
        self.index, self.rows, self.members, self.values = {}, [], [], []
        self.patterns = list(self.o["patterns"])

    def shape(self, model, name, variant=None):
        label = variant or name
        definition = dict(model[name])
        definition.pop("documentation", None)
        key = (label, json.dumps(definition, sort_keys=True))
        if key in self.index:
            return self.index[key]
        number = self.index[key] = len(self.rows)
        self.rows.append(None)
        self.rows[number] = self.row(model, name, label, definition)
        return number

    def row(self, model, name, label, d):
        if d["type"] not in TYPES:
            sys.exit("unknown type %s of %s" % (d["type"], name))
        variant = self.o["variants"].get(label, {})
        low, high, pattern = (variant.get(key, d.get(key)) for key in ("min", "max", "pattern"))
        flags, first, count = [], 0, 0
        kind = "value" if name == "AttributeValue" else d["type"]
        if kind == "structure":
            first, count = self.structure(model, name, d)
        elif kind == "list":
            first, count = self.shape(model, d["member"]["shape"]), 1
        elif kind == "map":
            first, count = self.shape(model, d["value"]["shape"]), 1
            if d["key"]["shape"] == "TableArn":
                flags.append("API_TABLE_KEYS")
        elif kind == "string":
            first, count = self.enum(name, {**d, "enum": []} if "enum" in variant else d)
            if label == "TableArn":  # a variant is an ARN and nothing else
                flags.append("API_TABLE")
            if pattern and pattern not in self.patterns:
                sys.exit("the overrides do not explain the pattern %s of %s" % (pattern, name))
        if low is not None:
            flags.append("API_MIN")
        if high is not None:
            flags.append("API_MAX")
        required = sum(1 << i for i, m in enumerate(self.members[first:first + count]) if m[2]) if kind == "structure" else 0
        return (label, kind, flags, first, count, low or 0, high or 0, self.o["empty"].get(name),
                self.patterns.index(pattern) + 1 if pattern else 0, required)

    def structure(self, model, name, d):
        shapes = {m: d["members"][m]["shape"] for m in d["members"]}
        shapes.update((path.split(".")[1], s) for path, s in self.o["added"].items() if path.startswith(name + "."))
        order = self.o["members"].get(name, [])
        names = order + [m for m in shapes if m not in order]
        rows = []
        for m in names:
            path = name + "." + m
            variant = next((v for v, rule in self.o["variants"].items() if path in rule["of"]), None)
            flags = []
            if self.o["required"].get(path, m in d.get("required", [])):
                flags.append("API_REQUIRED")
            rows.append((m, self.shape(model, shapes[m], variant), flags))
        first = len(self.members)
        self.members += rows
        return first, len(rows)

    def enum(self, name, d):
        values = d.get("enum", [])
        order = self.o["enums"].get(name, values)
        if sorted(order) != sorted(values) and name in self.o["enums"]:
            # The description grew or lost a value: the recorded order no longer covers it.
            sys.exit("enum order of %s is out of date: %s against %s" % (name, order, values))
        first = len(self.values)
        self.values += order
        return first, len(order)


def characters(spec):
    """Of "a-z_^" and the like: a set of the ASCII characters, as two words of 64 bits."""
    bits, at = 0, 0
    while at < len(spec):
        last = spec[at + 2] if spec[at + 1:at + 2] == "-" and at + 2 < len(spec) else spec[at]
        for c in range(ord(spec[at]), ord(last) + 1):
            bits |= 1 << c
        at += 3 if last != spec[at] else 1
    return "{ 0x%016xull, 0x%016xull }" % (bits & (1 << 64) - 1, bits >> 64)


def pattern_c(text, rule):
    return "    { S(%s), %s, %s, %d, %d, %d, %s }," % (
        c_string(text), characters(rule["all"]), characters(rule.get("ends", rule["all"])),
        rule.get("min", 0), rule.get("max", 0), rule.get("multiple", 1), "true" if rule.get("wide") else "false")


def flags_c(flags):
    return " | ".join(flags) or "0"


def main():
    overrides = json.load(open(sys.argv[1]))
    table = Table(overrides)
    operations = []
    for path in sys.argv[2:]:
        description = json.load(open(path))
        target = description["metadata"]["targetPrefix"]
        for name, op in sorted(description["operations"].items()):
            flags = ["API_OP_" + f.upper() for f in table.o["operations"].get(name, [])]
            operations.append((name, target, table.shape(description["shapes"], op["input"]["shape"]), flags))
    operations.sort()
    out = ["/* shapes.inc: operations and request shapes. Written by tools/gen_api.py: do not edit. */",
           "/* clang-format off */", "static const struct slice values[] = {"]
    out += ["    S(%s)," % c_string(v) for v in table.values]
    out += ["};", "", "static const struct api_member members[] = {"]
    out += ["    { S(%s), %d, %s }," % (c_string(n), s, flags_c(f)) for n, s, f in table.members]
    out += ["};", "", "static const struct api_pattern patterns[] = {"]
    out += [pattern_c(text, rule) for text, rule in table.o["patterns"].items()]
    out += ["};", "", "static const struct api_shape shapes[] = {"]
    for i, (label, kind, flags, first, count, low, high, empty, pattern, required) in enumerate(table.rows):
        out.append("    /* %d */ { %s, API_%s, %s, %d, %d, %d, %d, %s, %d, 0x%x }," % (
            i, c_string(label), kind.upper(), flags_c(flags), first, count, low, high, c_string(empty), pattern, required))
    out += ["};", "", "static const struct api_op operations[] = {"]
    out += ["    { S(%s), %s, %d, %s }," % (c_string(n), c_string(t), s, flags_c(f)) for n, t, s, f in operations]
    out += ["};"]
    print("\n".join(out))


if __name__ == "__main__":
    main()
