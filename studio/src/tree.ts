// tree.ts: finding one's way in the model's text as the server reads it (TreeNode): for what is shown while the text is no model yet.
import type { TreeNode } from './types'

export function member(node: TreeNode | null | undefined, name: string): TreeNode | undefined {
  return node?.members?.find((m) => m.name === name)?.value
}

export function at(node: TreeNode | null | undefined, ...path: (string | number)[]): TreeNode | undefined {
  let now = node ?? undefined
  for (const step of path) now = typeof step === 'number' ? now?.list?.[step] : member(now, step)
  return now
}

export function names(node: TreeNode | null | undefined): string[] {
  return node?.members?.map((m) => m.name) ?? []
}

export function textOf(node: TreeNode | null | undefined): string | undefined {
  return node?.text
}

/** The node as plain JSON, scalars as their text. */
export function plain(node: TreeNode | undefined): unknown {
  if (!node) return undefined
  if (node.members) return Object.fromEntries(node.members.map((m) => [m.name, plain(m.value)]))
  if (node.list) return node.list.map(plain)
  return node.text
}

/** The files that the model names: its sample data, its prices. */
export function fileNames(tree: TreeNode | null | undefined): { data: string[]; prices: string[] } {
  const of = (node: TreeNode | undefined) => (node?.list ?? (node ? [node] : [])).map((n) => n.text ?? '').filter(Boolean)
  return { data: of(member(tree, 'data')), prices: of(member(tree, 'prices')) }
}
