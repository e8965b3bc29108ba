// theme.ts: light or dark: the system's, until the user chooses; the choice lives as long as the tab. The one place that knows: the page's
// element says which it is, so that the styles have one list of colours for each.
import { useSyncExternalStore } from 'react'

const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function isDark(): boolean {
  const chosen = sessionStorage.getItem('theme')
  return chosen ? chosen === 'dark' : system.matches
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  for (const listener of [...listeners]) listener()
}

export function setTheme(theme: 'light' | 'dark'): void {
  sessionStorage.setItem('theme', theme)
  apply()
}

export function startTheme(): void {
  apply()
  system.addEventListener('change', apply)
}

function watch(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Renders again when light becomes dark or back; what is drawn on a canvas takes its colours anew then. */
export function useDark(): boolean {
  return useSyncExternalStore(watch, isDark)
}
