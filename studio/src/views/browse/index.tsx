// views/browse: the table, drawer by drawer.
import { Empty } from '../../ui'

export default function BrowseView() {
  return <Empty title="Browse" />
}
