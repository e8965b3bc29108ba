// calculate/figures.tsx: the controls of a rate and of a number of items: slider, field, unit, and the way back to what the model says.
import { useState } from 'react'
import { digits, periods, readRate } from './rates'
import { LogSlider } from './slider'

function titleOf(unit: string): string {
  return periods.find((p) => p.unit === unit)?.title ?? unit
}

/** What the field says; null: nothing, undefined: no number that the model could take. Commas are how it is shown. */
function numberIn(text: string, whole: boolean): number | null | undefined {
  const bare = text.replaceAll(',', '').trim()
  if (bare === '') return null
  const good = (whole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(bare) && Number(bare) > 0 && Number(bare) <= 1e13
  return good ? Number(bare) : undefined
}

/** A number as it is typed: it counts when it is one. An emptied field is "not stated". */
function NumberField(props: { label: string; value: number | null; whole?: boolean; onChange: (value: number | null) => void }) {
  const whole = props.whole ?? false
  const shown = props.value === null ? '' : props.value.toLocaleString('en-US', { maximumFractionDigits: 6 })
  // What is typed stands as long as the value is the one it was typed for: the field never lags behind the slider.
  const [draft, setDraft] = useState<{ text: string; of: number | null } | null>(null)
  const typed = draft && draft.of === props.value ? draft.text : shown
  const change = (text: string) => {
    const value = numberIn(text, whole)
    setDraft({ text, of: value === undefined ? props.value : value })
    if (value !== undefined) props.onChange(value)
  }
  return <input className="input number calc-number" inputMode="decimal" aria-label={props.label} aria-invalid={numberIn(typed, whole) === undefined} placeholder="not stated"
    value={typed} onChange={(e) => change(e.target.value)} onBlur={() => setDraft(null)} />
}

/** stated: as the model's text has it; text: as it is tried now. */
interface ControlProps { name: string; stated: string | null; text: string | null; onChange: (text: string | null) => void }

function Back(props: ControlProps) {
  if (props.text === props.stated) return <span />
  const was = props.stated ?? 'not stated'
  return <button type="button" className="calc-back" title={`Back to what the model says: ${was}`} aria-label={`${props.name}: back to ${was}`} onClick={() => props.onChange(props.stated)}>↺</button>
}

export function RateControl(props: ControlProps) {
  const rate = readRate(props.text ?? undefined)
  const [chosen, setChosen] = useState('s')
  const unit = rate?.unit ?? readRate(props.stated ?? undefined)?.unit ?? chosen
  const set = (value: number | null, per = unit) => props.onChange(value === null ? null : `${digits(value)}/${per}`)
  const spoken = rate ? `${digits(rate.value)} ${titleOf(rate.unit)}` : 'not stated'
  return (
    <div className="calc-control" role="group" aria-label={props.name}>
      <LogSlider label={`${props.name}, rate`} value={rate?.value ?? null} spoken={spoken} lowest={-2} highest={6} onChange={(v) => set(v)} />
      <NumberField label={`${props.name}, runs`} value={rate?.value ?? null} onChange={(v) => set(v)} />
      <select className="select calc-unit" aria-label={`${props.name}, per`} value={unit} onChange={(e) => { setChosen(e.target.value); if (rate) set(rate.value, e.target.value) }}>
        {periods.map((p) => <option key={p.unit} value={p.unit}>{p.title}</option>)}
      </select>
      <Back {...props} />
    </div>
  )
}

export function ItemsControl(props: ControlProps) {
  const value = props.text === null || !(Number(props.text) > 0) ? null : Number(props.text)
  const set = (v: number | null) => props.onChange(v === null ? null : digits(v))
  return (
    <div className="calc-control" role="group" aria-label={props.name}>
      <LogSlider label={props.name} value={value} spoken={value === null ? 'not stated' : digits(value)} lowest={1} highest={11} onChange={set} />
      <NumberField label={`${props.name}, number`} value={value} whole onChange={set} />
      <span className="soft small calc-unit">items</span>
      <Back {...props} />
    </div>
  )
}
