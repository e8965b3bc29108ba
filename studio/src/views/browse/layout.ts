// browse/layout.ts: sizes that scripts need to know, since what is not on the screen is not there.
import { useSyncExternalStore } from 'react'

const large = matchMedia('(min-width: 2200px)')

/** As --row says: 28 pixels, 32 on a large screen. */
export function useRowHeight(): number {
  return useSyncExternalStore((listener) => { large.addEventListener('change', listener); return () => large.removeEventListener('change', listener) }, () => (large.matches ? 32 : 28))
}
