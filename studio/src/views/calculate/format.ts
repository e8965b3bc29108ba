// calculate/format.ts: figures as people read them. Nothing is worked out here but differences.

export function money(v: number | null | undefined, currency: string): string {
  if (v === null || v === undefined) return '–'
  const small = v !== 0 && Math.abs(v) < 0.1
  return v.toLocaleString('en-US', { style: 'currency', currency, maximumFractionDigits: small ? 4 : 2 })
}

export function units(v: number | null | undefined): string {
  return v === null || v === undefined ? '–' : v.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

/** Of a difference: a part of a cent is none to look at. */
export function moneyApart(v: number, currency: string): string {
  return v < 0.005 ? '<' + money(0.01, currency) : v.toLocaleString('en-US', { style: 'currency', currency })
}

/** "+3", "−0.5", "" where nothing changed; what was or is unknown has no difference. */
export function difference(before: number | null | undefined, after: number | null | undefined, show: (v: number) => string): string {
  if (typeof before !== 'number' || typeof after !== 'number') return ''
  const by = after - before
  if (Math.abs(by) < 1e-9) return ''
  return (by > 0 ? '+' : '−') + show(Math.abs(by))
}

/** 'less' is good where figures cost something. */
export function direction(before: number | null | undefined, after: number | null | undefined): 'less' | 'more' | 'same' {
  if (typeof before !== 'number' || typeof after !== 'number' || Math.abs(after - before) < 1e-9) return 'same'
  return after < before ? 'less' : 'more'
}
