// pages.tsx: the views, each fetched when it is first opened; one that cannot be fetched or drawn says so, and what can be done.
import { Component, lazy, type LazyExoticComponent, type ReactNode } from 'react'
import type { View } from './route'
import { Button, Empty } from './ui'

export const pages: Record<View, LazyExoticComponent<() => ReactNode>> = {
  browse: lazy(() => import('./views/browse')),
  patterns: lazy(() => import('./views/patterns')),
  design: lazy(() => import('./views/design')),
  calculate: lazy(() => import('./views/calculate')),
  watch: lazy(() => import('./views/watch'))
}

export class PageBoundary extends Component<{ children: ReactNode }, { failed: Error | null }> {
  override state = { failed: null as Error | null }
  static getDerivedStateFromError(failed: Error) {
    return { failed }
  }
  override render() {
    const { failed } = this.state
    if (!failed) return this.props.children
    // A browser does not fetch a module twice: only the whole page can be had again.
    return /fetch|import|preload/i.test(failed.message) ? (
      <Empty title="This view could not be fetched">
        <p>The server does not answer. Start it again, then load the page anew; the browser asks before it drops what is not saved. The views that are there already can still be used.</p>
        <Button look="primary" onClick={() => location.reload()}>Load the page anew</Button>
      </Empty>
    ) : (
      <Empty title="This view cannot be shown">
        <p>{failed.message}</p>
        <Button look="primary" onClick={() => this.setState({ failed: null })}>Try again</Button>
      </Empty>
    )
  }
}
