// size.test.mjs: what the studio weighs, and how fast it knows what an edit means.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { serve, top } from './lib/program.mjs'

let server
before(async () => { server = await serve() })
after(() => server.stop())

test('all pages together are under 700 KB compressed', async (t) => {
  const dist = path.join(top, 'build/studio/dist')
  let bytes = 0
  for (const file of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) bytes += gzipSync(await readFile(path.join(file.parentPath ?? file.path, file.name)), { level: 9 }).length
  }
  t.diagnostic(`${Math.round(bytes / 1024)} KB`)
  assert.ok(bytes > 50_000 && bytes < 700 * 1024, `${bytes} bytes`)
})

function largeModel(entities) {
  const lines = ['onefold: 1', 'table: large', 'indexes:', '  GSI1: { hash: GSI1PK, sort: GSI1SK }', '  GSI2: { hash: GSI2PK, sort: GSI2SK }', 'entities:']
  for (let i = 0; i < entities; i++) {
    lines.push(`  Entity${i}:`, `    key: { PK: "E${i}#\${id}", SK: "#META" }`, '    index:',
      `      GSI1: { GSI1PK: "E${i}STATUS#\${status}", GSI1SK: "E${i}#\${createdAt}" }`, `      GSI2: { GSI2PK: "E${i}OWNER#\${owner}", GSI2SK: "E${i}#\${id}" }`,
      '    attributes:', '      id: { type: string, generate: ulid }', '      status: { enum: [open, closed, lost] }', '      owner: { type: string, required: true }',
      '      createdAt: { type: string, format: date-time, required: true }', '      total: { type: number }')
  }
  lines.push('patterns:')
  for (let i = 0; i < entities; i++) {
    lines.push(`  e${i}ById: { of: Entity${i}, by: [id] }`, `  e${i}ByStatus: { of: Entity${i}, by: [status], order: newest, limit: 20 }`,
      `  e${i}ByOwner: { of: Entity${i}, by: [owner], limit: 20 }`, `  e${i}Recent: { of: Entity${i}, across: [status], order: newest, limit: 20 }`)
  }
  return lines.join('\n') + '\n'
}

test('50 entities and 200 patterns are resolved again within 50 ms', async (t) => {
  const times = []
  for (let i = 0; i < 21; i++) {
    const text = largeModel(50) + `# edit ${i}\n`
    const began = performance.now()
    const described = await server.onefold('DescribeModel', { Text: text })
    times.push(performance.now() - began)
    assert.equal(described.model.patterns.filter((p) => p.plan.operation !== 'none').length, 200)
  }
  // The quickest: what others on the machine take away is not ours, and what takes too long by itself does so each time.
  const [best] = times.sort((a, b) => a - b)
  t.diagnostic(`${best.toFixed(1)} ms, median ${times[times.length >> 1].toFixed(1)} ms, with the way there and reading the answer's JSON`)
  assert.ok(best < 50, `${times.map((ms) => ms.toFixed(1)).join(', ')} ms`)
})
