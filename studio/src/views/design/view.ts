// design/view.ts: which panels of the design view are open. Kept while the tab is.
import { makeStore, useStore } from '../../store'
import type { Place } from '../../types'
import { select, type Selected } from './state'
import { MODEL_FILE } from './panels/place'

export type PanelName = 'patterns' | 'findings' | 'sample'

export interface DesignView {
  panel: PanelName
  /** The text that is open: the model's, or a file that it names. */
  file: string
  /** The one of the two that has the whole side. */
  large: 'panels' | 'text' | null
  /** The pattern in the form; '' is a new one. */
  form: string | null
  /** Where to look in a file that is not the model; a new object each time. */
  fileAt: Place | null
}

export const designView = makeStore<DesignView>({ panel: 'patterns', file: MODEL_FILE, large: null, form: null, fileAt: null })

export function useDesignView<R>(part: (s: DesignView) => R): R {
  return useStore(designView, part)
}

/** Shows a place of the model's text or of a file beside it, and selects what stands there. */
export function showPlace(file: string, place: Place, selected: Selected | null): void {
  const uncovered = designView.get().large === 'panels' ? { large: null } : {}
  if (file === MODEL_FILE) {
    designView.set({ file, ...uncovered })
    select(selected, place)
  } else {
    designView.set({ file, fileAt: { line: place.line, column: place.column }, ...uncovered })
  }
}
