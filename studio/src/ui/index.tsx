// ui/index.tsx: the small parts that all views are made of.
import { useEffect, useId, useLayoutEffect, useRef, useState, type ButtonHTMLAttributes, type ReactNode } from 'react'
import { toast } from '../session'

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { look?: 'primary' | 'danger' | 'quiet'; small?: boolean }
export function Button({ look, small, className = '', ...rest }: ButtonProps) {
  return <button type="button" className={`button ${look ?? ''} ${small ? 'small' : ''} ${className}`} {...rest} />
}

export function Field(props: { label: string; hint?: ReactNode; trouble?: string | undefined; children: (id: string) => ReactNode; className?: string }) {
  const id = useId()
  return (
    <div className={'field ' + (props.className ?? '')}>
      <label className="label" htmlFor={id}>{props.label}</label>
      {props.children(id)}
      {props.trouble ? <span className="trouble" role="alert">{props.trouble}</span> : props.hint ? <span className="hint">{props.hint}</span> : null}
    </div>
  )
}

export function Empty(props: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h3>{props.title}</h3>
      {props.children}
    </div>
  )
}

/** of 0: not known. */
export function Progress(props: { text: string; done?: number; of?: number }) {
  const part = props.of ? Math.min(1, (props.done ?? 0) / props.of) : 0
  return (
    <div className="column" role="status" style={{ gap: 6 }}>
      <span className="soft small">{props.text}</span>
      {props.of ? <div className="progress"><span style={{ width: `${part * 100}%` }} /></div> : null}
    </div>
  )
}

/** Tabs with arrow keys, as the ARIA practices say. */
export function Tabs<T extends string>(props: { label: string; tabs: readonly { id: T; title: ReactNode }[]; value: T; onChange: (id: T) => void }) {
  const refs = useRef(new Map<T, HTMLButtonElement>())
  const move = (by: number) => {
    const at = props.tabs.findIndex((t) => t.id === props.value)
    const next = props.tabs[(at + by + props.tabs.length) % props.tabs.length]
    if (!next) return
    props.onChange(next.id)
    refs.current.get(next.id)?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={props.label}
      onKeyDown={(e) => { if (e.key === 'ArrowRight') move(1); else if (e.key === 'ArrowLeft') move(-1) }}>
      {props.tabs.map((t) => (
        <button key={t.id} type="button" role="tab" aria-selected={t.id === props.value} tabIndex={t.id === props.value ? 0 : -1}
          ref={(e) => { if (e) refs.current.set(t.id, e); else refs.current.delete(t.id) }} onClick={() => props.onChange(t.id)}>
          {t.title}
        </button>
      ))}
    </div>
  )
}

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode; foot?: ReactNode; width?: number }) {
  const ref = useRef<HTMLDialogElement>(null)
  const title = useId()
  // Closed before it leaves the page: only then does the focus go back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog className="dialog" ref={ref} aria-labelledby={title} style={props.width ? { width: props.width } : undefined}
      onCancel={(e) => { e.preventDefault(); props.onClose() }}
      onMouseDown={(e) => { if (e.target === ref.current) props.onClose() }}>
      <div className="dialog-head"><h2 id={title}>{props.title}</h2><span className="spread" /><Button look="quiet" small aria-label="Close" onClick={props.onClose}>✕</Button></div>
      <div className="dialog-body">{props.children}</div>
      {props.foot ? <div className="dialog-foot">{props.foot}</div> : null}
    </dialog>
  )
}

/** A button with a menu below it. items get close(). */
export function Menu(props: { label: ReactNode; title?: string; small?: boolean; align?: 'left' | 'right'; tabIndex?: number; children: (close: () => void) => ReactNode }) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  // What is chosen may take the focus elsewhere; if it does not, the button has it again.
  const close = () => { box.current?.querySelector('button')?.focus(); setOpen(false) }
  useEffect(() => {
    if (!open) return
    const away = (e: Event) => { if (!box.current?.contains(e.target as Node)) setOpen(false) }
    addEventListener('mousedown', away)
    addEventListener('focusin', away)
    return () => { removeEventListener('mousedown', away); removeEventListener('focusin', away) }
  }, [open])
  const keys = (e: React.KeyboardEvent) => {
    if (e.key === 'Escape') { if (open) e.stopPropagation(); return close() }
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return
    e.preventDefault()
    if (!open) return setOpen(true)
    const all = [...(box.current?.querySelectorAll<HTMLElement>('.menu button') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[(at + (e.key === 'ArrowDown' ? 1 : -1) + all.length) % all.length]?.focus()
  }
  return (
    <div className="picker" ref={box} onKeyDown={keys}>
      <Button small={props.small ?? false} aria-expanded={open} title={props.title} tabIndex={props.tabIndex} onClick={() => setOpen(!open)}>{props.label}<span className="faint" aria-hidden>▾</span></Button>
      {open ? <div className="menu" style={props.align === 'right' ? { right: 0 } : { left: 0 }}>{props.children(close)}</div> : null}
    </div>
  )
}

/** Two or more panes side by side (or one above the other) with borders to drag, or to move with the arrow keys. */
export function Split(props: { sizes: number[]; rows?: boolean; children: ReactNode[]; min?: number }) {
  const [sizes, setSizes] = useState(props.sizes)
  const box = useRef<HTMLDivElement>(null)
  const panes = props.children.filter(Boolean)
  const shown = panes.length === sizes.length ? sizes : panes.map((_, i) => sizes[i] ?? 1)
  const resize = (i: number, pixels: number) => {
    const total = box.current ? (props.rows ? box.current.clientHeight : box.current.clientWidth) : 1000
    const sum = shown.reduce((a, b) => a + b, 0)
    const min = ((props.min ?? 160) / total) * sum
    const by = (pixels / total) * sum
    const a = shown[i]! + by, b = shown[i + 1]! - by
    if (a < min || b < min) return
    setSizes(shown.map((s, k) => (k === i ? a : k === i + 1 ? b : s)))
  }
  const drag = (i: number) => (down: React.PointerEvent<HTMLButtonElement>) => {
    const handle = down.currentTarget
    handle.setPointerCapture(down.pointerId)
    let last = props.rows ? down.clientY : down.clientX
    handle.onpointermove = (e) => { const at = props.rows ? e.clientY : e.clientX; resizeRef.current(i, at - last); last = at }
    handle.onpointerup = () => { handle.onpointermove = handle.onpointerup = null }
  }
  const resizeRef = useRef(resize)
  resizeRef.current = resize
  const template = shown.map((s) => `minmax(0, ${s}fr)`).join(' 10px ')
  return (
    <div className={'split ' + (props.rows ? 'rows' : '')} ref={box} style={props.rows ? { gridTemplateRows: template } : { gridTemplateColumns: template }}>
      {panes.flatMap((pane, i) => i === 0 ? [pane] : [
        <button key={'s' + i} type="button" className="splitter" role="separator" aria-label="Resize" aria-orientation={props.rows ? 'horizontal' : 'vertical'}
          onPointerDown={drag(i - 1)}
          onKeyDown={(e) => { if (e.key === 'ArrowLeft' || e.key === 'ArrowUp') resize(i - 1, -24); if (e.key === 'ArrowRight' || e.key === 'ArrowDown') resize(i - 1, 24) }} />,
        pane
      ])}
    </div>
  )
}

/** The class that gives an entity its colour: its place among the model's entities. */
export function entityClass(entity: string | null | undefined, entities: readonly { name: string }[] | undefined): string {
  const at = entity && entities ? entities.findIndex((e) => e.name === entity) : -1
  return at < 0 ? 'e-none' : `e${at % 12}`
}
export function EntityName(props: { name: string | null; copy?: boolean; entities: readonly { name: string }[] | undefined }) {
  return <span className={`entity ${entityClass(props.name, props.entities)} ${props.copy ? 'copy' : ''}`} title={props.copy ? 'a copy of ' + props.name : undefined}>{props.name ?? 'unknown'}</span>
}

export function CopyButton(props: { text: () => string; label?: string }) {
  const copy = async () => {
    try { await navigator.clipboard.writeText(props.text()); toast('Copied') } catch { toast('The browser did not allow copying', 'error') }
  }
  return <Button small onClick={copy}>{props.label ?? 'Copy'}</Button>
}

export function download(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10000)
}

export function bytesText(n: number): string {
  if (n < 1024) return `${n} B`
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10240 ? 1 : 0)} KB`
  return n < 1024 ** 3 ? `${(n / 1024 ** 2).toFixed(1)} MB` : `${(n / 1024 ** 3).toFixed(1)} GB`
}
export function countText(n: number): string {
  return n.toLocaleString('en-US', { maximumFractionDigits: 2 })
}
