// canvas/why.ts: the reasons of lint's rules, from their pages in docs/lint: loaded when somebody asks why.
const pages = import.meta.glob<string>('../../../../../docs/lint/*.md', { query: '?raw', import: 'default', eager: true })

/** What the rule's page says under "Why", without its marks. */
export function whyOf(rule: string): string {
  const page = Object.entries(pages).find(([path]) => path.endsWith(`/${rule}.md`))?.[1] ?? ''
  return /\*\*Why\.\*\*\s+([^]*?)\n\n/.exec(page)?.[1]?.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1') ?? ''
}
