// canvas/marks.ts: which problem and which finding of lint belongs where on the canvas.
import type { Description, TreeNode } from '../../../types'
import { MODEL_FILE, pathAt } from '../panels/place'
import type { Path } from './read'

export interface Mark { kind: 'problem' | 'finding'; rule: string; message: string; hint: string }

/** A place of the canvas, as text: "Order", "Order/key/PK", "Order/index/GSI1", "Order/copies/0", "Order/attributes/total", "index:GSI1", ":table". */
function slotOf(path: Path): string {
  const [top, name, part, third, ...rest] = path
  if (top === 'indexes' && name !== undefined) return `index:${name}`
  if (top === 'patterns' && name !== undefined) return `pattern:${name}`
  if (top === 'silence') return ':silence'
  if (top !== 'entities' || name === undefined) return ':table'
  if (third === undefined) return part === 'key' ? `${name}/key` : String(name)
  if (part === 'key' || part === 'attributes') return [name, part, third].join('/')
  if (part === 'index') return [name, part, third, ...rest.slice(0, 1).filter((r) => r !== 'shards')].join('/')
  if (part !== 'copies') return String(name)
  if (rest[0] === 'key') return [name, part, third, ...rest.slice(0, 2)].join('/')
  return rest[0] === 'index' ? [name, part, third, ...rest.slice(0, 3).filter((r) => r !== 'shards')].join('/') : [name, part, third].join('/')
}

/** What is not in the model's own text (a data file) stands where its name says. */
function slotOfName(on: string, tree: TreeNode): string {
  const among = (top: string) => tree.members?.find((m) => m.name === top)?.value.members?.some((m) => m.name === on)
  return among('entities') ? on : among('indexes') ? `index:${on}` : among('patterns') ? `pattern:${on}` : ':table'
}

/** All marks by the place they concern. */
export function placeMarks(description: Description, tree: TreeNode): Map<string, Mark[]> {
  const all = new Map<string, Mark[]>()
  const add = (slot: string, mark: Mark) => all.set(slot, [...(all.get(slot) ?? []), mark])
  const inText = (file: string, line: number) => line > 0 && file === MODEL_FILE
  for (const p of description.problems) {
    // What the data files lack is told once: lint's data-wrong says the same.
    if (description.lint?.findings.some((f) => f.file === p.file && f.line === p.line && f.column === p.column && f.message.includes(p.message))) continue
    add(inText(p.file, p.line) ? slotOf(pathAt(tree, p)) : ':table', { kind: 'problem', rule: '', message: p.message, hint: p.hint })
  }
  for (const f of description.lint?.findings ?? []) {
    const named = slotOfName(f.on, tree)
    const slot = inText(f.file, f.line) ? slotOf(pathAt(tree, f)) : named
    // A finding about an index may lie in an entity's entry: the lane is what it is about.
    add(named.startsWith('index:') && f.rule !== 'silence-unused' ? named : slot, { kind: 'finding', rule: f.rule, message: f.message, hint: f.hint })
  }
  return all
}
