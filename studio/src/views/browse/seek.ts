// browse/seek.ts: opens a reading at an item. It begins at the start of the partition where the item is soon reached, else at the item itself:
// nobody waits for a million rows before it.
import type { AttributeValue } from '../../types'
import { Reading, type Question } from './reading'

export interface Sought { reading: Reading; from: AttributeValue | null }

const pagesToTry = 3

/** make: the question, from a sort key on where one is given. id: the row to reach; null: none. */
export async function seek(make: (from?: AttributeValue) => Question, id: string | null, sort: AttributeValue | undefined): Promise<Sought> {
  const reading = new Reading(make())
  await reading.more()
  if (id === null) return { reading, from: null }
  for (let i = 1; i < pagesToTry && !reading.done && !reading.error && !reading.rows.some((r) => r.id === id); i++) await reading.more()
  if (reading.done || reading.error || !sort || reading.rows.some((r) => r.id === id)) return { reading, from: null }
  reading.close()
  const there = new Reading(make(sort))
  await there.more()
  return { reading: there, from: sort }
}
