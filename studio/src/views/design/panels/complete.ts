// design/panels/complete.ts: what can be written at a place of the model: the names and values of its schema, attributes in templates,
// names of entities, indexes and attributes.
import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { onefold } from '../../../wire'
import { names, at } from '../../../tree'
import type { OpenModel } from '../../../session'
import { treeOf } from './place'

interface Schema {
  $ref?: string; description?: string; enum?: unknown[]; const?: unknown; type?: string
  properties?: { [name: string]: Schema }; additionalProperties?: Schema | boolean; items?: Schema
  oneOf?: Schema[]; anyOf?: Schema[]; allOf?: Schema[]; $defs?: { [name: string]: Schema }
}

let schema: Promise<Schema | null> | undefined
function modelSchema(): Promise<Schema | null> {
  // Without it one types all the same.
  schema ??= onefold<Schema>('ModelSchema', {}).catch(() => null)
  return schema
}

/** A schema and what it stands for: its reference and its alternatives. */
function forms(root: Schema, one: Schema | undefined): Schema[] {
  if (!one) return []
  const referred = one.$ref?.startsWith('#/$defs/') ? root.$defs?.[one.$ref.slice('#/$defs/'.length)] : undefined
  return [one, ...forms(root, referred), ...[one.oneOf, one.anyOf, one.allOf].flatMap((list) => (list ?? []).flatMap((s) => forms(root, s)))]
}

function step(root: Schema, from: Schema[], name: string): Schema[] {
  return from.flatMap((s) => {
    const rest = typeof s.additionalProperties === 'object' ? s.additionalProperties : undefined
    return forms(root, name === '-' ? s.items : s.properties?.[name] ?? rest)
  })
}

/** The maps that a place is inside of, by indentation and, within the line, by open braces; '-' for an element of a list. */
export function pathBefore(lines: string[], column: number): { path: string[]; value: boolean } {
  const last = lines.length - 1
  const now = lines[last]!.slice(0, column)
  const outer: string[] = []
  let indent = /^ */.exec(now)![0].length
  const dash = /^ *- +/.exec(now)
  if (dash) indent = dash[0].length
  for (let i = last - 1, limit = dash ? /^ */.exec(now)![0].length + 1 : indent; i >= 0 && limit > 0; i--) {
    const found = /^( *)(- +)?([^\s#:][^:]*):(?=\s|$)/.exec(lines[i]!)
    if (!found) continue
    const dashAt = found[1]!.length
    const own = dashAt + (found[2]?.length ?? 0)
    if (own > limit || (own === limit && !found[2])) continue
    if (own < limit) outer.unshift(found[3]!.replace(/["']/g, ''))
    limit = own
    // The first member of a list's element: what is around it is the list.
    if (found[2]) { outer.unshift('-'); limit = dashAt + 1 }
  }
  const path = dash ? [...outer, '-'] : outer
  return within(now.slice(dash ? dash[0].length : 0), path)
}

function within(text: string, path: string[]): { path: string[]; value: boolean } {
  const stack: string[][] = []
  let here = [...path]
  let key: string | null = null
  let word = ''
  let quote = ''
  for (const c of text) {
    if (quote) { if (c === quote) quote = ''; else word += c; continue }
    if (c === '"' || c === "'") quote = c
    else if (c === ':') { key = word.trim(); word = '' }
    else if (c === '{' || c === '[') {
      stack.push(here)
      if (key !== null) here = [...here, key]
      if (c === '[') here = [...here, '-']
      key = null
      word = ''
    } else if (c === '}' || c === ']') { here = stack.pop() ?? here; key = null; word = '' }
    else if (c === ',') { key = null; word = '' }
    else word += c
  }
  return key === null ? { path: here, value: here.length > path.length && here.at(-1) === '-' } : { path: [...here, key], value: true }
}

function ofModel(model: OpenModel, path: string[]): Completion[] {
  const tree = treeOf(model)
  const last = path.filter((p) => p !== '-').at(-1)
  const [section, name] = path
  if (section === 'patterns') {
    if (last === 'of' || last === 'collection') return names(at(tree, 'entities')).map((label) => ({ label, type: 'class' }))
    if (last === 'index') return ['table', ...names(at(tree, 'indexes'))].map((label) => ({ label, type: 'class' }))
    if (last === 'by' || last === 'across' || last === 'where' || last === 'filter') {
      const entities = names(at(tree, 'entities'))
      const all = new Set(entities.flatMap((e) => names(at(tree, 'entities', e, 'attributes'))))
      return [...all].map((label) => ({ label, type: 'property' }))
    }
  }
  if (section === 'entities' && name) {
    if (last === 'index') return names(at(tree, 'indexes')).map((label) => ({ label, type: 'class' }))
    if (last === 'only' || last === 'unique' || last === 'lock') return names(at(tree, 'entities', name, 'attributes')).map((label) => ({ label, type: 'property' }))
  }
  return []
}

async function complete(context: CompletionContext, model: OpenModel | undefined): Promise<CompletionResult | null> {
  if (!model) return null
  const line = context.state.doc.lineAt(context.pos)
  const lines = context.state.doc.sliceString(0, line.to).split('\n')
  const { path, value } = pathBefore(lines, context.pos - line.from)
  const hole = context.matchBefore(/\$\{[\w.-]*/)
  if (hole) {
    const attributes = path[0] === 'entities' && path[1] ? names(at(treeOf(model), 'entities', path[1], 'attributes')) : []
    return { from: hole.from + 2, options: attributes.map((label) => ({ label, apply: label + '}', type: 'property' })), validFor: /^[\w.-]*$/ }
  }
  const word = context.matchBefore(/[\w-]+/)
  if (!word && !context.explicit) return null
  const root = await modelSchema()
  if (!root) return null
  const places = path.reduce((from, name) => step(root, from, name), forms(root, root))
  const members = value ? [] : places.flatMap((s) => Object.entries(s.properties ?? {})).map(([label, s]): Completion =>
    ({ label, apply: label + ': ', type: 'keyword', ...(s.description ? { info: s.description } : {}) }))
  const values = value ? places.flatMap((s) => s.enum ?? (s.const === undefined ? [] : [s.const])).map((v): Completion => ({ label: String(v), type: 'constant' })) : []
  const options = [...new Map([...ofModel(model, path), ...members, ...values].map((o) => [o.label, o])).values()]
  return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[\w-]*$/ } : null
}

export function completions(model: () => OpenModel | undefined): Extension {
  return autocompletion({ override: [(context) => complete(context, model())] })
}
