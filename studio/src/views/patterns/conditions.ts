// patterns/conditions.ts: the text of conditions (docs/conditions.md) as rows of a form, and back. Only what a form can show: conditions
// joined by "and"; what the text means is the server's business.

export interface Value { text: string; quoted: boolean }
export interface Condition { attribute: string; operator: string; values: Value[] }

/** How many values each takes; in takes any number. keys: what a key may answer, the others only a filter. */
export const operators: { [name: string]: { values: number; keys: boolean; title?: string } } = {
  '=': { values: 1, keys: true }, '!=': { values: 1, keys: false }, '<': { values: 1, keys: true }, '<=': { values: 1, keys: true },
  '>': { values: 1, keys: true }, '>=': { values: 1, keys: true }, between: { values: 2, keys: true }, in: { values: -1, keys: false, title: 'in (list)' },
  begins_with: { values: 1, keys: true, title: 'begins with' }, contains: { values: 1, keys: false },
  exists: { values: 0, keys: false }, missing: { values: 0, keys: false },
  since: { values: 1, keys: true, title: 'since (date)' }, until: { values: 1, keys: true, title: 'until (date)' },
  on: { values: 1, keys: true, title: 'on (date)' }, during: { values: 2, keys: true, title: 'during (dates)' },
  'size =': { values: 1, keys: false }, 'size !=': { values: 1, keys: false }, 'size <': { values: 1, keys: false }, 'size <=': { values: 1, keys: false },
  'size >': { values: 1, keys: false }, 'size >=': { values: 1, keys: false }
}
export const dateOperators = new Set(['since', 'until', 'on', 'during'])
const functions = new Set(['begins_with', 'contains', 'exists', 'missing'])
const words = new Set([...Object.keys(operators), 'and', 'or', 'not', 'size'])
const comparisons = new Set(['=', '!=', '<>', '<', '<=', '>', '>='])

type Token = Value & { sign: boolean }

/** null: a quote is not closed. */
function tokens(text: string): Token[] | null {
  const list: Token[] = []
  const form = /\s*(?:(['"])((?:(?!\1)[^]|\1\1)*)\1|(<=|>=|<>|!=|[(),=<>])|([^\s(),=<>!'"][^\s(),=<>!]*))/y
  let at = 0
  while (text.slice(at).trim()) {
    form.lastIndex = at
    const m = form.exec(text)
    if (!m) return null
    at = form.lastIndex
    if (m[1]) list.push({ text: m[2]!.replaceAll(m[1] + m[1], m[1]), quoted: true, sign: false })
    else list.push({ text: m[3] ?? m[4]!, quoted: false, sign: m[3] !== undefined })
  }
  return list
}

/** The conditions of a text; null where it is more than conditions joined by "and". */
export function parse(text: string): Condition[] | null {
  const all = tokens(text)
  if (!all) return null
  let at = 0
  const word = () => { const t = all[at]; return t && !t.quoted && !t.sign ? t.text.toLowerCase() : '' }
  const sign = (s: string) => { const t = all[at]; if (t?.sign && t.text === s) { at++; return true } return false }
  const value = (): Value | null => {
    const t = all[at]
    if (!t || t.sign || (!t.quoted && words.has(t.text.toLowerCase()))) return null
    at++
    return { text: t.text, quoted: t.quoted }
  }
  const list: Condition[] = []
  const two = (): Value[] | null => {
    const a = value()
    if (!a || word() !== 'and') return null
    at++
    const b = value()
    return b ? [a, b] : null
  }
  const called = (name: string): Condition | null => {
    at++
    if (!sign('(')) return null
    const attribute = value()
    if (!attribute) return null
    const values: Value[] = []
    while (sign(',')) { const v = value(); if (!v) return null; values.push(v) }
    if (!sign(')')) return null
    if (name !== 'size') return values.length === operators[name]!.values ? { attribute: attribute.text, operator: name, values } : null
    const compared = compare()
    return compared && !values.length ? { attribute: attribute.text, operator: 'size ' + compared.operator, values: compared.values } : null
  }
  const compare = (): { operator: string; values: Value[] } | null => {
    const t = all[at]
    if (!t?.sign || !comparisons.has(t.text)) return null
    at++
    const v = value()
    return v ? { operator: t.text === '<>' ? '!=' : t.text, values: [v] } : null
  }
  const one = (): Condition | null => {
    if ((functions.has(word()) || word() === 'size') && all[at + 1]?.sign && all[at + 1]!.text === '(') return called(word())
    const attribute = value()
    if (!attribute) return null
    const operator = word()
    if (!operator) { const c = compare(); return c ? { attribute: attribute.text, ...c } : null }
    at++
    if (operator === 'between' || operator === 'during') { const v = two(); return v ? { attribute: attribute.text, operator, values: v } : null }
    if (dateOperators.has(operator)) { const v = value(); return v ? { attribute: attribute.text, operator, values: [v] } : null }
    if (operator !== 'in' || !sign('(')) return null
    const values: Value[] = []
    do { const v = value(); if (!v) return null; values.push(v) } while (sign(','))
    return sign(')') ? { attribute: attribute.text, operator, values } : null
  }
  while (at < all.length) {
    if (list.length) { if (word() !== 'and') return null; at++ }
    const c = one()
    if (!c) return null
    list.push(c)
  }
  return list
}

function quote(v: Value): string {
  const bare = !v.quoted && v.text !== '' && !/[\s(),=<>!'"]/.test(v.text) && !words.has(v.text.toLowerCase())
  return bare ? v.text : `"${v.text.replaceAll('"', '""')}"`
}

/** Everything is given that it needs. */
export function complete(c: Condition): boolean {
  const n = operators[c.operator]!.values
  return c.attribute !== '' && (n < 0 ? c.values.some((v) => v.text) : c.values.slice(0, n).filter((v) => v.text || v.quoted).length === n)
}

function write(c: Condition): string {
  const v = c.values.filter((x) => x.text || x.quoted).map(quote)
  const attribute = quote({ text: c.attribute, quoted: false })
  if (functions.has(c.operator)) return `${c.operator}(${[attribute, ...v].join(', ')})`
  if (c.operator.startsWith('size ')) return `size(${attribute}) ${c.operator.slice(5)} ${v[0]}`
  if (c.operator === 'in') return `${attribute} in (${v.join(', ')})`
  return `${attribute} ${c.operator} ${v.join(' and ')}`
}

export function toText(list: readonly Condition[]): string {
  return list.filter(complete).map(write).join(' and ')
}
