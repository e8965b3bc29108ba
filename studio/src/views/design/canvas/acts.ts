// canvas/acts.ts: what cards and lanes need of the canvas around them. Stable, so that a card is drawn anew only when it changed.
import { createContext, useContext } from 'react'
import type { Edit } from '../../../session'
import type { CanvasView, Path } from './read'
import type { SpreadWish } from './spread'

export interface Acts {
  model: string
  view: () => CanvasView
  change: (edits: Edit[], merge?: boolean) => Promise<boolean>
  /** Selects what a path names, and shows it in the text. */
  choose: (path: Path) => void
  /** copy: the entity's copy of that number instead of itself. */
  connect: (entity: string, index: string, copy?: number) => void
  /** Asks over how many partitions a key is to be spread. */
  spread: (wish: SpreadWish) => void
  addIndex: (local: boolean, entity?: string) => void
  /** Asks which relation is meant; without to: which entity too. */
  relate: (from: string, to?: string) => void
  renameEntity: (from: string, to: string) => void
  removeEntity: (name: string) => void
}

export const ActsContext = createContext<Acts | null>(null)
export function useActs(): Acts {
  const acts = useContext(ActsContext)
  if (!acts) throw new Error('a card outside of the canvas')
  return acts
}

/** What the "Entity" chip carries while it is dragged. */
export const entityKind = 'application/x-onefold-entity'

/** Whether the controls of a card or lane are reached by Tab: only while the focus is in it, so that Tab goes from card to card. */
export const TabContext = createContext(0)
export const useTab = (): number => useContext(TabContext)
