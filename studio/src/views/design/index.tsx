// views/design: the canvas and the text of the model.
import { Empty } from '../../ui'

export default function DesignView() {
  return <Empty title="Design" />
}
