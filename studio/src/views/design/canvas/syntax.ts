// canvas/syntax.ts: an attribute in one line, as it is typed: "total: number, required", "status: open|done = open", "orderId: ulid".
import { scalar } from './edits'

const types = ['string', 'number', 'boolean', 'binary', 'list', 'map', 'string-set', 'number-set', 'binary-set']
const formats = ['date', 'date-time', 'epoch', 'epoch-ms']
const generators = ['ulid', 'uuid', 'now']
export const attributeTypes = types, attributeFormats = ['ulid', 'uuid', ...formats], attributeGenerators = generators

export interface TypedAttribute { name: string; value: string | { [member: string]: unknown } }

/** The attribute, or what cannot be understood. */
export function readAttribute(line: string): TypedAttribute | { trouble: string } {
  const [head = '', ...tail] = line.split(':')
  const name = head.trim()
  if (!/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name)) return { trouble: name ? `"${name}" is no name for an attribute` : 'Begin with a name: total: number, required' }
  const value: { [member: string]: unknown } = {}
  const later: { member: string; text: string }[] = []
  const rest = tail.join(':').replace(/=/g, ', default ')
  for (const word of rest.split(',').map((w) => w.trim()).filter(Boolean)) {
    const [first = '', ...more] = word.split(/\s+/)
    const text = more.join(' ')
    if (types.includes(word)) value.type = word
    else if (word === 'required' || word === 'hidden') value[word] = true
    else if (/^read-?only$/i.test(word)) value.readOnly = true
    else if (generators.includes(word)) value.generate = word
    else if (formats.includes(word)) value.format = word
    else if (word.includes('|')) later.push({ member: 'enum', text: word.replace(/^enum\s+/, '') })
    else if (text && (first === 'min' || first === 'max' || first === 'default')) later.push({ member: first, text })
    else if (text && (first === 'generate' || first === 'format' || first === 'about' || first === 'pattern')) value[first] = text
    else return { trouble: `"${word}" is not understood: a type, required, readOnly, hidden, ulid, now, date, min 0, max 9, a|b|c, = default` }
  }
  if (/^epoch/.test(String(value.format ?? '')) && value.type === undefined) value.type = 'number'
  const type = String(value.type ?? 'string')
  for (const { member, text } of later) {
    value[member] = member === 'enum' ? text.split('|').map((v) => scalar(v.trim(), type)) : scalar(text, member === 'default' ? type : 'number')
  }
  const members = Object.keys(value)
  if (!members.length) return { name, value: 'string' }
  if (members.length === 1 && value.type) return { name, value: type }
  return { name, value: value.type || value.enum || value.generate || value.format ? value : { type: 'string', ...value } }
}
