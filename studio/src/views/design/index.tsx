// views/design: the canvas, and beside it the patterns, findings and sample rows, and the model's text.
import './design.css'
import { useEffect, useState } from 'react'
import { Split } from '../../ui'
import { redo, undo, useModel, useSession, type OpenModel } from '../../session'
import { route } from '../../route'
import { Canvas } from './canvas'
import { design, useDesign } from './state'
import { designView, useDesignView } from './view'
import { Toolbar } from './toolbar'
import { StartPage } from './start'
import { useSaving } from './saving'
import { PanelsPane } from './panels'
import { TextPane } from './panels/text'
import { MODEL_FILE } from './panels/place'

/** From here on the text stands beside the panels, not below them. */
const WIDE = '(min-width: 1900px)'

function useWide(): boolean {
  const [wide, setWide] = useState(() => matchMedia(WIDE).matches)
  useEffect(() => {
    const query = matchMedia(WIDE)
    const change = () => setWide(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return wide
}

/** Where typing has an undo of its own. */
function isTyping(e: KeyboardEvent): boolean {
  const target = e.composedPath()[0]
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function Design({ model }: { model: OpenModel }) {
  const wide = useWide()
  const chosen = useDesignView((s) => s.large)
  const form = useDesignView((s) => s.form !== null && s.panel === 'patterns')
  // The form needs the height; beside each other there is enough.
  const large = form && !wide ? 'panels' : chosen
  const at = useDesign((s) => s.at)
  const saving = useSaving(model)
  const keys = [
    { key: 'Mod-z', run: () => { undo(model.id); return true } },
    { key: 'Mod-Shift-z', run: () => { redo(model.id); return true } },
    { key: 'Mod-y', run: () => { redo(model.id); return true } },
    { key: 'Mod-s', run: () => { saving.save(); return true } }
  ]
  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      if (e.defaultPrevented || !(e.ctrlKey || e.metaKey) || e.altKey) return
      const key = e.key.toLowerCase()
      const wanted = key === 's' ? 'Mod-s' : isTyping(e) ? null : key === 'y' ? 'Mod-y' : key === 'z' ? (e.shiftKey ? 'Mod-Shift-z' : 'Mod-z') : null
      const found = keys.find((k) => k.key === wanted)
      if (!found) return
      e.preventDefault()
      if (!document.querySelector('dialog[open]')) found.run()
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  })
  useEffect(() => {
    design.set({ selected: null, at: null })
    designView.set({ file: MODEL_FILE, fileAt: null, form: null })
  }, [model.id])
  useEffect(() => { if (at) designView.set({ file: MODEL_FILE }) }, [at])
  return (
    <div className="dv">
      <Toolbar model={model} saving={saving} />
      <Split key={wide ? 'wide' : 'narrow'} sizes={wide ? [54, 46] : [58, 42]} min={300}>
        <section className="panel dv-canvas" aria-label="Canvas"><Canvas model={model} /></section>
        <Split rows={!wide} sizes={wide ? [1, 1] : [54, 46]} min={120}>
          {large === 'text' ? null : <PanelsPane key="panels" model={model} />}
          {large === 'panels' ? null : <TextPane key="text" model={model} keys={keys} />}
        </Split>
      </Split>
      {saving.dialog}
    </div>
  )
}

export default function DesignPage() {
  const model = useModel()
  const expected = useSession((s) => (s.info?.Models.length ?? 0) > 0) || route().model !== undefined
  // A model that is on its way is there in a moment; the start page would only flash.
  const [waited, setWaited] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWaited(true), 500)
    return () => clearTimeout(timer)
  }, [])
  if (model) return <Design model={model} />
  return expected && !waited ? null : <StartPage />
}
