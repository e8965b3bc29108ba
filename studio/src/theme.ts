// theme.ts: light or dark: the system's, until the user chooses; the choice lives as long as the tab.
export type Theme = 'system' | 'light' | 'dark'

export function currentTheme(): Theme {
  const kept = sessionStorage.getItem('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') sessionStorage.removeItem('theme')
  else sessionStorage.setItem('theme', theme)
  startTheme()
}

export function startTheme(): void {
  const theme = currentTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  dispatchEvent(new Event('themechange'))
}

export function isDark(): boolean {
  const theme = currentTheme()
  return theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
}
