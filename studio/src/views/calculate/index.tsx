// views/calculate: sizes, units, cost.
import { Empty } from '../../ui'

export default function CalculateView() {
  return <Empty title="Calculate" />
}
