// design/canvas: entities as cards, indexes as lanes, relations as lines.
import { Empty } from '../../../ui'
import type { OpenModel } from '../../../session'

export function Canvas({ model }: { model: OpenModel }) {
  return <Empty title={model.id} />
}
