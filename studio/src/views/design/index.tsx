// views/design: the canvas and the text of the model.
import { Empty } from '../../ui'
import { useModel } from '../../session'
import { Canvas } from './canvas'

export default function DesignView() {
  const model = useModel()
  return model ? <Canvas model={model} /> : <Empty title="Design" />
}
