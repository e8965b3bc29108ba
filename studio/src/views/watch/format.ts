// watch/format.ts: rates and times as short texts.
export function rateText(n: number): string {
  if (n >= 100 || Number.isInteger(n)) return Math.round(n).toLocaleString('en-US')
  return n.toFixed(n >= 10 ? 1 : n >= 0.1 || n === 0 ? 1 : 2)
}
export function timeText(us: number): string {
  if (us < 1000) return `${Math.round(us)} µs`
  if (us < 1e6) return `${(us / 1000).toFixed(us < 10000 ? 1 : 0)} ms`
  return `${(us / 1e6).toFixed(1)} s`
}
export function percentText(part: number): string {
  return `${part > 0 && part < 0.01 ? '<1' : Math.round(part * 100)} %`
}
