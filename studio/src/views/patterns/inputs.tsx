// patterns/inputs.tsx: the inputs of a pattern as fields: typed as the model says, with values of the sample data to choose from.
import { useId } from 'react'
import { Field } from '../../ui'
import type { Attribute, ModelDocument, Pattern } from '../../types'

export interface InputInfo {
  name: string
  /** S, N, B, BOOL or date. */
  type: string
  attribute?: Attribute
}

export function inputsOfPattern(model: ModelDocument, p: Pattern): InputInfo[] {
  return p.plan.inputs.map((i) => {
    const of = p.inputs.find((x) => x.name === i.name)?.attribute
    const attribute = of ? p.entities.map((e) => model.entities.find((x) => x.name === e)?.attributes.find((a) => a.name === of)).find(Boolean) : undefined
    return { name: i.name, type: i.type, ...(attribute ? { attribute } : {}) }
  })
}

/** Values that occur, of rows that fit what the other inputs say. */
function sampleValues(model: ModelDocument, p: Pattern, all: InputInfo[], wanted: InputInfo, given: { [name: string]: string }): string[] {
  const attribute = wanted.attribute?.name
  if (!attribute) return []
  const rows = model.sample.filter((s) => !s.copy && p.entities.includes(s.entity) && s.item[attribute] !== undefined)
  const fits = rows.filter((r) => all.every((i) => i === wanted || !i.attribute || !given[i.name] || String(r.item[i.attribute.name]) === given[i.name]))
  const values = (fits.length ? fits : rows).map((r) => r.item[attribute]).filter((v) => typeof v !== 'object')
  return [...new Set(values.map(String))]
}

function dateValues(): string[] {
  const today = new Date().toISOString()
  return ['-30d', 'today', 'tomorrow', '-7d', '-12h', 'yesterday', 'now', today.slice(0, 4), today.slice(0, 7), today.slice(0, 10)]
}

const formats: { [name: string]: string } = { ulid: 'a ULID', uuid: 'a UUID', date: 'a date: 2026-05-10', 'date-time': 'a time: 2026-05-10T14:23:01Z' }

function hintOf(i: InputInfo): string | undefined {
  if (i.type === 'date') return '2026-05, 2026-05-10, -12h; in UTC'
  const a = i.attribute
  if (!a) return i.type === 'N' ? 'a number' : undefined
  if (a.enum) return undefined
  const range = [a.min === undefined ? '' : `from ${a.min}`, a.max === undefined ? '' : `to ${a.max}`].filter(Boolean).join(' ')
  if (i.type === 'N') return range ? `a number ${range}` : 'a number'
  return [a.format ? formats[a.format] ?? a.format : '', i.type === 'B' ? 'base64' : ''].filter(Boolean).join(', ') || a.about
}

interface FieldProps {
  info: InputInfo
  value: string
  suggestions: string[]
  trouble?: string | undefined
  onChange: (value: string) => void
}

export function InputField(props: FieldProps) {
  const { info, value } = props
  const choices = info.attribute?.enum?.map(String) ?? (info.type === 'BOOL' ? ['true', 'false'] : null)
  const list = useId()
  return (
    <Field label={info.name} hint={hintOf(info)} trouble={props.trouble} className="ap-input">
      {(id) => choices ? (
        <select id={id} className="select" value={value} aria-invalid={Boolean(props.trouble)} onChange={(e) => props.onChange(e.target.value)}>
          <option value="">Choose…</option>
          {choices.map((c) => <option key={c}>{c}</option>)}
          {value && !choices.includes(value) ? <option>{value}</option> : null}
        </select>
      ) : (
        <>
          <input id={id} className="input mono" value={value} list={list} aria-invalid={Boolean(props.trouble)} autoComplete="off" spellCheck={false}
            inputMode={info.type === 'N' ? 'decimal' : 'text'} onChange={(e) => props.onChange(e.target.value)} />
          <datalist id={list}>{props.suggestions.slice(0, 200).map((s) => <option key={s} value={s} />)}</datalist>
          {props.suggestions.length ? (
            <div className="ap-chips" role="group" aria-label={`Values for ${info.name}`}>
              {props.suggestions.slice(0, 3).map((s) => (
                <button key={s} type="button" className="ap-chip mono" title={s} onClick={() => props.onChange(s)}>{s}</button>
              ))}
            </div>
          ) : null}
        </>
      )}
    </Field>
  )
}

/** The input that a message of the server is about: by its value, its name or its attribute's. */
export function inputBlamed(infos: readonly InputInfo[], given: { [name: string]: string }, message: string | null): string | undefined {
  if (!message) return undefined
  const quoted = infos.find((i) => given[i.name] && message.includes(` ${given[i.name]} is not `))
  return quoted?.name ?? infos.find((i) => [i.name, i.attribute?.name].some((n) => n && new RegExp(`(\\.|input |^)${n.replace(/[^\w]/g, '\\$&')}\\b`).test(message)))?.name
}

export function InputForm(props: {
  model: ModelDocument; pattern: Pattern; infos: InputInfo[]; given: { [name: string]: string }; troubles: { [name: string]: string }
  onChange: (name: string, value: string) => void
}) {
  return (
    <>
      {props.infos.map((i) => (
        <InputField key={i.name} info={i} value={props.given[i.name] ?? ''} trouble={props.troubles[i.name]}
          suggestions={i.type === 'date' && !i.attribute ? dateValues() : sampleValues(props.model, props.pattern, props.infos, i, props.given)}
          onChange={(v) => props.onChange(i.name, v)} />
      ))}
    </>
  )
}
