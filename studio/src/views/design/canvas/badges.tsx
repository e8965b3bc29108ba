// canvas/badges.tsx: problems and findings at their place: a badge, and what it means when it is pointed at or focused.
import { useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { tell } from '../../../session'
import { useTab } from './acts'
import type { Mark } from './marks'

function Explained({ mark }: { mark: Mark }) {
  const [why, setWhy] = useState<string | null>(null)
  const ask = () => { import('./why').then((m) => setWhy(m.whyOf(mark.rule))).catch(tell) }
  return (
    <div className="cv-said">
      <div className="row">
        <span className={'badge ' + (mark.kind === 'problem' ? 'bad' : 'warn')}>{mark.rule || 'problem'}</span>
        <span className="spread" />
        {mark.rule && why === null ? <button type="button" className="cv-why" onClick={ask}>Why?</button> : null}
      </div>
      <p>{mark.message}</p>
      {mark.hint ? <p className="soft">{mark.hint}</p> : null}
      {why ? <p className="cv-reason">{why}</p> : null}
    </div>
  )
}

/** Nothing where there are no marks. */
export function Badges({ marks, on }: { marks: readonly Mark[] | undefined; on: string }) {
  const button = useRef<HTMLButtonElement>(null)
  const said = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<{ left: number; top: number; above: boolean } | null>(null)
  const id = useId()
  const tab = useTab()
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (!marks?.length) return null
  const open = () => {
    clearTimeout(closing.current)
    const box = button.current!.getBoundingClientRect()
    const above = box.bottom > innerHeight * 0.62
    setPlace({ left: Math.max(8, Math.min(box.left, innerWidth - 368)), top: above ? box.top - 4 : box.bottom + 4, above })
  }
  // A moment to move the pointer from the badge to what it says, where "Why?" is.
  const close = () => { closing.current = setTimeout(() => setPlace(null), 160) }
  const left = (to: EventTarget | null) => { if (!said.current?.contains(to as Node) && !button.current?.contains(to as Node)) close() }
  const worst = marks.find((m) => m.kind === 'problem') ?? marks[0]!
  const rules = [...new Set(marks.map((m) => m.rule || 'problem'))]
  return (
    <>
      <button ref={button} type="button" tabIndex={tab} className={`cv-mark nodrag ${worst.kind}`} aria-describedby={place ? id : undefined}
        aria-label={`${on}: ${marks.map((m) => (m.rule ? m.rule + ': ' : '') + m.message).join('; ')}`}
        onPointerEnter={open} onPointerLeave={close} onFocus={open} onBlur={(e) => left(e.relatedTarget)} onClick={(e) => { e.stopPropagation(); open() }}
        onKeyDown={(e) => { if (e.key === 'Escape' && place) { e.stopPropagation(); setPlace(null) } }}>
        {rules.length > 1 ? `${rules[0]} +${rules.length - 1}` : rules[0]}
      </button>
      {place ? createPortal(
        <div ref={said} id={id} role="tooltip" className="cv-pop" style={{ left: place.left, top: place.top, transform: place.above ? 'translateY(-100%)' : undefined }}
          onPointerEnter={() => clearTimeout(closing.current)} onPointerLeave={close} onBlur={(e) => left(e.relatedTarget)}>
          {marks.map((m, i) => <Explained key={i} mark={m} />)}
        </div>, document.body) : null}
    </>
  )
}
