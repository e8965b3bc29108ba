// route.ts: where the user is, in the address: #/VIEW?table=...&model=...&more. A reload, the back button and a link come back to it.
import { useSyncExternalStore } from 'react'

export const views = ['browse', 'patterns', 'design', 'calculate', 'watch'] as const
export type View = (typeof views)[number]

export interface Route {
  view: View
  table?: string
  model?: string
  /** What else a view keeps in the address: the partition, the pattern. */
  more: { [name: string]: string }
}

let cachedHash: string | null = null
let cached: Route

export function route(): Route {
  if (location.hash === cachedHash) return cached
  cachedHash = location.hash
  const [path = '', query = ''] = cachedHash.replace(/^#\/?/, '').split('?')
  const parameters = Object.fromEntries(new URLSearchParams(query))
  const { table, model, ...more } = parameters
  cached = { view: views.find((v) => v === path) ?? 'browse', more, ...(table ? { table } : {}), ...(model ? { model } : {}) }
  return cached
}

/** Goes somewhere; what is not named stays, but for `more`, which belongs to a view. */
export function go(to: Partial<Route>, replace = false): void {
  const now = route()
  const next = { ...now, more: to.view && to.view !== now.view ? {} : now.more, ...to }
  const parameters = new URLSearchParams()
  if (next.table) parameters.set('table', next.table)
  if (next.model) parameters.set('model', next.model)
  for (const [name, value] of Object.entries(next.more)) if (value) parameters.set(name, value)
  const query = parameters.toString()
  const hash = `#/${next.view}${query ? '?' + query : ''}`
  if (hash === location.hash) return
  if (replace) history.replaceState(null, '', hash)
  else history.pushState(null, '', hash)
  dispatchEvent(new Event('routechange'))
}

function watch(listener: () => void): () => void {
  for (const event of ['popstate', 'hashchange', 'routechange']) addEventListener(event, listener)
  return () => {
    for (const event of ['popstate', 'hashchange', 'routechange']) removeEventListener(event, listener)
  }
}

export function useRoute(): Route {
  return useSyncExternalStore(watch, route)
}
