// design/state.ts: what the canvas and the panels beside it share: what is selected, and where in the text to look.
import { makeStore, useStore } from '../../store'
import type { Place } from '../../types'

export type Selected =
  | { kind: 'entity'; name: string }
  | { kind: 'attribute'; entity: string; name: string }
  | { kind: 'index'; name: string }
  | { kind: 'pattern'; name: string }
  | { kind: 'relation'; from: string; to: string }

export interface DesignState {
  selected: Selected | null
  /** A new object each time the text should be shown there. */
  at: Place | null
}

export const design = makeStore<DesignState>({ selected: null, at: null })

export function useDesign<R>(select: (s: DesignState) => R): R {
  return useStore(design, select)
}

export function select(selected: Selected | null, at?: Place | null): void {
  design.set(at ? { selected, at: { line: at.line, column: at.column } } : { selected })
}
