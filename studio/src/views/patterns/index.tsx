// views/patterns: how each question is answered.
import { Empty } from '../../ui'

export default function AccessView() {
  return <Empty title="Access patterns" />
}
