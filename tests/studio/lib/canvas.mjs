// canvas.mjs: the design view's canvas as a hand with a mouse and a keyboard uses it.
import { readFile } from 'node:fs/promises'

export const canvas = (page) => page.getByRole('region', { name: 'Canvas', exact: true })
export const card = (page, name) => canvas(page).getByRole('group', { name: `Entity ${name}`, exact: true })
export const lane = (page, name) => canvas(page).getByRole('group', { name: name ? `Index ${name}` : 'The table', exact: true })

/** The model's text as the page would save it. */
export async function modelText(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download', exact: true }).click()])
  return readFile(await download.path(), 'utf8')
}

/** Waits until the text is as it should be; the assertion's own error otherwise. */
export async function untilText(page, check) {
  for (let tries = 0; ; tries++) {
    try {
      return check(await modelText(page))
    } catch (error) {
      if (tries > 12) throw error
      await page.waitForTimeout(150)
    }
  }
}

export async function middle(locator) {
  const box = await locator.boundingBox()
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

export async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 6 })
  await page.mouse.move(to.x, to.y, { steps: 6 })
  await page.mouse.up()
}

/** Drags the Entity chip to a free place and types a name. */
export async function dragEntity(page, name, place) {
  const area = await canvas(page).boundingBox()
  await drag(page, await middle(page.getByRole('button', { name: 'Entity', exact: true })), { x: area.x + place.x, y: area.y + place.y })
  await canvas(page).getByLabel('Name of the new entity').and(page.locator(':focus')).waitFor() // it has the focus a moment after it is seen
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await card(page, name).waitFor()
}

/** Types attributes, one line each, into a card's field. */
export async function typeAttributes(page, entity, lines) {
  const field = card(page, entity).getByLabel(`Add an attribute to ${entity}`)
  for (const line of lines) {
    await field.click()
    await page.keyboard.type(line)
    await page.keyboard.press('Enter')
    await card(page, entity).getByRole('listitem', { name: `Attribute ${line.split(':')[0]}`, exact: true }).waitFor()
  }
}

/** Types into a template, over what is there. */
export async function typeTemplate(page, entity, label, template) {
  const field = card(page, entity).getByRole('combobox', { name: label, exact: true })
  await field.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(template)
  await page.keyboard.press('Escape')
  if (await page.getByRole('listbox', { name: 'Attributes' }).isVisible()) await page.keyboard.press('Escape')
}

/** The dot at the right of a card, which lines are drawn from. */
export const dotOf = (page, entity) => card(page, entity).locator('.cv-handle')
