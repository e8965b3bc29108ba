// answers.mjs: the cases of a library pattern's answers.yaml, and what a page shows of a result, to be compared with the command line.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import path from 'node:path'
import { top } from './program.mjs'

/** The cases, every value as its text, as a person would type it. */
export async function cases(pattern) {
  const script = 'import json, sys, yaml; json.dump(yaml.load(open(sys.argv[1], encoding="utf-8"), yaml.BaseLoader)["cases"], sys.stdout)'
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script, path.join(top, 'patterns', pattern, 'answers.yaml')])
  return JSON.parse(stdout)
}

/** name=value, as run takes them. */
export function inputArguments(input) {
  return Object.entries(input).map(([name, value]) => `${name}=${value}`)
}

/** The tables on the screen: { Order: [{ orderId: '...' }] }, cells as texts, what is absent left out. */
export async function tablesOn(page) {
  return page.getByRole('tabpanel').locator('section[aria-label$=" results"]').evaluateAll((groups) => Object.fromEntries(groups.map((group) => {
    const columns = [...group.querySelectorAll('th')].map((th) => th.textContent)
    const rows = [...group.querySelectorAll('tbody tr:not([aria-hidden])')].map((tr) => Object.fromEntries([...tr.cells]
      .map((td, i) => [columns[i], td]).filter(([, td]) => !td.classList.contains('ap-absent')).map(([name, td]) => [name, td.textContent])))
    return [group.getAttribute('aria-label').replace(/ results$/, ''), rows]
  })))
}

/** The same of a report of run, query or scan. */
export function tablesOf(report) {
  const text = (v) => (typeof v === 'string' ? v : JSON.stringify(v))
  return Object.fromEntries(Object.entries(report).filter(([, list]) => Array.isArray(list))
    .map(([name, list]) => [name, list.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, text(v)])))]))
}

/** The figures beside a result: { found, read, requests, units }. */
export async function consumedOn(page) {
  const text = (await page.getByRole('status', { name: 'Consumed' }).innerText()).replace(/\s+/g, ' ')
  const figure = (name) => Number(new RegExp(`([\\d.,]+) ${name}`).exec(text)?.[1].replaceAll(',', ''))
  return { found: figure('found'), read: figure('read(?! units)'), requests: figure('requests?'), units: figure('read units') }
}
