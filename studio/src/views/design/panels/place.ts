// design/panels/place.ts: from a place in the text to what stands there, and back.
import { at, member, names } from '../../../tree'
import type { OpenModel } from '../../../session'
import type { Finding, Place, Problem, TreeNode } from '../../../types'
import type { Selected } from '../state'

/** The server calls the model's own text so; other names are of files it names. */
export const MODEL_FILE = 'model'

/** The newest text that could be read as YAML, as a tree. */
export function treeOf(model: OpenModel): TreeNode | null {
  return model.description?.tree ?? model.lastGood?.tree ?? null
}

function before(a: Place, b: Place): boolean {
  return a.line < b.line || (a.line === b.line && a.column <= b.column)
}

/** The members that lead to a place: the last that begin at or before it. */
export function pathAt(tree: TreeNode | null, place: Place): (string | number)[] {
  const path: (string | number)[] = []
  let node = tree ?? undefined
  while (node) {
    let next: TreeNode | undefined
    let step: string | number | undefined
    node.members?.forEach((m) => { if (before(m, place)) { step = m.name; next = m.value } })
    node.list?.forEach((element, i) => { if (before(element, place)) { step = i; next = element } })
    if (step === undefined) return path
    path.push(step)
    node = next
  }
  return path
}

/** What the canvas can select of it. */
export function selectedAt(tree: TreeNode | null, place: Place): Selected | null {
  const [section, name, part, attribute] = pathAt(tree, place)
  if (typeof name !== 'string') return null
  if (section === 'entities') {
    const isAttribute = part === 'attributes' && typeof attribute === 'string'
    return isAttribute ? { kind: 'attribute', entity: name, name: attribute } : { kind: 'entity', name }
  }
  if (section === 'indexes') return { kind: 'index', name }
  return section === 'patterns' ? { kind: 'pattern', name } : null
}

export function samePlace(a: Selected | null, b: Selected | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Where the member of a section begins: patterns, NAME. */
export function placeOf(tree: TreeNode | null, section: string, name: string): Place | null {
  return member(tree, section)?.members?.find((m) => m.name === name) ?? null
}

/** What was found, by the pattern it is about: the one it names, or inside of which it stands. */
export function foundByPattern(tree: TreeNode | null, found: (Problem | Finding)[]): Map<string, (Problem | Finding)[]> {
  const patterns = new Set(names(at(tree, 'patterns')))
  const entities = new Set(names(at(tree, 'entities')))
  const by = new Map<string, (Problem | Finding)[]>()
  for (const f of found) {
    const [section, inside] = f.file === MODEL_FILE && f.line ? pathAt(tree, f) : []
    const named = 'on' in f && patterns.has(f.on) && !entities.has(f.on) ? f.on : null
    const name = named ?? (section === 'patterns' ? inside : null)
    if (typeof name === 'string') by.set(name, [...(by.get(name) ?? []), f])
  }
  return by
}
