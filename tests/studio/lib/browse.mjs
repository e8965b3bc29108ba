// browse.mjs: what the browse view shows, read from the screen: rows come and go as one scrolls, so reading is scrolling.

export const option = (page, name) => page.getByRole('listbox', { name: 'Partitions' }).getByRole('option', { name })
export const grid = (page, name = 'Items') => page.getByRole('grid', { name, exact: true })
export const rows = (page, name) => grid(page, name).locator('.br-body [role=row]')
export const rowOf = (page, text, name) => rows(page, name).filter({ hasText: text })

/** What each row's gridcells say under each column, scrolled through from the top. Rows in order. */
export async function readRows(page, name = 'Items') {
  const found = new Map()
  const box = grid(page, name)
  await box.evaluate((e) => { e.scrollTop = 0; e.scrollLeft = 0 })
  for (;;) {
    const seen = await box.evaluate(async (e) => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const list = [...e.querySelectorAll('.br-body [role=row][data-index]')].map((row) => [Number(row.dataset.index),
        { keys: [...row.querySelectorAll('.br-key')].map((c) => c.textContent), entity: row.querySelector('.entity').textContent, copy: row.querySelector('.entity').classList.contains('copy'), text: row.textContent }])
      const end = e.scrollTop + e.clientHeight >= e.scrollHeight - 1 && !e.querySelector('.br-more')
      e.scrollTop += e.clientHeight / 2
      return { list, end }
    })
    for (const [index, row] of seen.list) found.set(index, row)
    if (seen.end) break
  }
  return [...found].sort((a, b) => a[0] - b[0]).map(([, row]) => row)
}

/** Every item of the table over the wire. */
export async function scanAll(server, table) {
  const items = []
  let start
  do {
    const page = await server.dynamodb('Scan', { TableName: table, ...(start ? { ExclusiveStartKey: start } : {}) })
    items.push(...page.Items)
    start = page.LastEvaluatedKey
  } while (start)
  return items
}

/** Waits for the count above the rows, and that they are those of the place in the title: until these are there, the ones before stay, dimmed. */
export async function count(page, text, name) {
  await grid(page, name).page().waitForFunction((t) => document.querySelector('.br-pane[aria-busy=false] .br-count')?.textContent.startsWith(t), text)
}
