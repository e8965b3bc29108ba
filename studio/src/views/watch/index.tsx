// views/watch: what the server is doing.
import { Empty } from '../../ui'

export default function WatchView() {
  return <Empty title="Watch" />
}
