// pages.tsx: the views, each fetched when it is first opened; one that cannot be fetched or drawn says so, and can be tried again.
import { Component, lazy, type LazyExoticComponent, type ReactNode } from 'react'
import type { View } from './route'
import { Button, Empty } from './ui'

type Page = () => ReactNode
const sources: Record<View, () => Promise<{ default: Page }>> = {
  browse: () => import('./views/browse'),
  patterns: () => import('./views/patterns'),
  design: () => import('./views/design'),
  calculate: () => import('./views/calculate'),
  watch: () => import('./views/watch')
}
const pages = new Map<View, LazyExoticComponent<Page>>()

/** The same component each time, so that a view keeps what it holds. */
export function pageOf(view: View): LazyExoticComponent<Page> {
  const there = pages.get(view) ?? lazy(sources[view])
  pages.set(view, there)
  return there
}

interface Props { view: View; children: ReactNode }

export class PageBoundary extends Component<Props, { failed: Error | null }> {
  override state = { failed: null as Error | null }
  static getDerivedStateFromError(failed: Error) {
    return { failed }
  }
  again = () => {
    pages.delete(this.props.view)
    // A style sheet that did not come is not asked for again by itself.
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) if (!link.sheet) link.replaceWith(link.cloneNode())
    this.setState({ failed: null })
  }
  override render() {
    const { failed } = this.state
    if (!failed) return this.props.children
    const unreached = /fetch|import|preload/i.test(failed.message)
    return (
      <Empty title={unreached ? 'This view could not be fetched' : 'This view cannot be shown'}>
        <p>{unreached ? 'The server does not answer. Is it still running? What is open in this tab is still there.' : failed.message}</p>
        <Button look="primary" onClick={this.again}>Try again</Button>
      </Empty>
    )
  }
}
