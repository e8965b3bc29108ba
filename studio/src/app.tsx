// app.tsx: the bar with the views, the tables and the models, and below it the view that is open.
import { Suspense, useEffect, useRef } from 'react'
import { dismissToast, isDirty, openById, openEmpty, openFiles, openPattern, start, tell, useModel, useSession } from './session'
import { go, useRoute, views, type View } from './route'
import { PageBoundary, pages } from './pages'
import { setTheme, useDark } from './theme'
import { SignIn, SignOutButton } from './signin'
import { Button, Empty, Menu } from './ui'

const titles: Record<View, string> = { browse: 'Browse', patterns: 'Access patterns', design: 'Design', calculate: 'Calculate', watch: 'Watch' }

function ModelPicker() {
  const model = useModel()
  const info = useSession((s) => s.info)
  const models = useSession((s) => s.models)
  const file = useRef<HTMLInputElement>(null)
  const item = (key: string, label: React.ReactNode, run: () => Promise<void>, close: () => void) => (
    <button key={key} type="button" onClick={() => { close(); run().catch(tell) }}>{label}</button>
  )
  return (
    <>
      <Menu title="The model in use" align="right" label={model
        ? <><span className="faint">Model</span><span className="cut">{model.id}</span>{isDirty(model) ? <span className="dirty" title="not saved" /> : null}</>
        : 'Open a model'}>
        {(close) => (
          <>
            {info?.Models.length ? <div className="title">Files of this server</div> : null}
            {info?.Models.map((m) => item(m.Name, <span className="cut">{m.Name}</span>, () => openById(m.Name), close))}
            {models.some((m) => m.source !== 'file') ? <div className="title">Open in this tab</div> : null}
            {models.filter((m) => m.source !== 'file').map((m) => item(m.id, m.id, () => openById(m.id), close))}
            <div className="title">Start from</div>
            {item('empty', 'An empty table', openEmpty, close)}
            {item('disk', 'A file from this computer…', async () => file.current?.click(), close)}
            {info?.Patterns.map((p) => item('p' + p.name, <><b>{p.name}</b><span className="soft cut" style={{ maxWidth: 300 }}>{p.about}</span></>, () => openPattern(p.name), close))}
          </>
        )}
      </Menu>
      <input ref={file} type="file" multiple hidden accept=".yaml,.yml,.json" aria-label="Model files" onChange={(e) => { openFiles(e.target.files).catch(tell); e.target.value = '' }} />
    </>
  )
}

function ThemeButton() {
  const dark = useDark()
  const next = dark ? 'light' : 'dark'
  return <Button look="quiet" small title={`Switch to ${next}`} aria-label={`Switch to ${next}`} onClick={() => setTheme(next)}>{dark ? '☀' : '☾'}</Button>
}

function Toasts() {
  const toasts = useSession((s) => s.toasts)
  return (
    <div className="toasts" aria-live="polite">
      {toasts.map((t) => <div key={t.id} className={'toast ' + t.kind} role={t.kind === 'error' ? 'alert' : 'status'}>{t.text}<button type="button" aria-label="Dismiss" onClick={() => dismissToast(t.id)}>✕</button></div>)}
    </div>
  )
}

export function App() {
  const { view, table } = useRoute()
  const failed = useSession((s) => s.failed)
  const refused = useSession((s) => s.refused)
  const info = useSession((s) => s.info)
  const model = useModel()
  const subject = view === 'browse' ? table : view === 'watch' ? undefined : model?.id
  const title = `${model && isDirty(model) ? '• ' : ''}${titles[view]}${subject ? ' · ' + subject : ''} – Onefold Studio`
  useEffect(() => { document.title = title }, [title])
  const Page = pages[view]
  return (
    <div className="shell">
      <header className="bar">
        <div className="brand"><svg viewBox="0 0 32 32" aria-hidden><rect width="32" height="32" rx="7" fill="var(--accent)" /><path d="M8 9.5h16M8 16h16M8 22.5h10" stroke="var(--accent-text)" strokeWidth="3" strokeLinecap="round" /></svg>Onefold</div>
        <nav className="views" aria-label="Views">
          {views.map((v) => <a key={v} href={'#/' + v} aria-current={v === view ? 'page' : undefined} onClick={(e) => { e.preventDefault(); go({ view: v }) }}>{titles[v]}</a>)}
        </nav>
        <span className="spread" />
        {refused === null ? <ModelPicker /> : null}
        {refused === null ? <SignOutButton /> : null}
        <ThemeButton />
      </header>
      <main className="view">
        {refused !== null ? <SignIn trouble={refused || failed || ''} /> : failed ? (
          <Empty title="The studio cannot reach its server"><p>{failed}</p><Button look="primary" onClick={() => void start()}>Try again</Button></Empty>
        ) : info ? (
          <PageBoundary key={view}><Suspense fallback={null}><Page /></Suspense></PageBoundary>
        ) : null}
      </main>
      <Toasts />
    </div>
  )
}
