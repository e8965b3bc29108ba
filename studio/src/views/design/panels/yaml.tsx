// design/panels/yaml.tsx: the model's text. Typing changes the model; the cursor and the canvas select the same thing.
import { useMemo, useRef } from 'react'
import { EditorView } from '@codemirror/view'
import { Editor, type Mark } from '../../../ui/editor'
import { changeText, findModel, type OpenModel } from '../../../session'
import { design, select, useDesign } from '../state'
import type { Problem } from '../../../types'
import { completions } from './complete'
import { MODEL_FILE, samePlace, selectedAt, treeOf } from './place'

/** What is typed within this time is undone together. */
const ONE_CHANGE_MS = 1000

export function marksOf(model: OpenModel, file: string): Mark[] {
  const mark = (p: Problem, severity: Mark['severity'], rule = ''): Mark =>
    ({ line: p.line, column: p.column, severity, message: rule + p.message + (p.hint ? '\n' + p.hint : '') })
  return [
    ...(model.description?.problems ?? []).filter((p) => p.file === file).map((p) => mark(p, 'error')),
    ...(model.description?.lint?.findings ?? []).filter((f) => f.file === file).map((f) => mark(f, 'warning', f.rule + ': '))
  ]
}

export function YamlPanel(props: { model: OpenModel; keys: { key: string; run: () => boolean }[] }) {
  const { model } = props
  const at = useDesign((s) => s.at)
  const typed = useRef({ text: '', time: 0 })
  const marks = useMemo(() => marksOf(model, MODEL_FILE), [model.description])
  const change = (text: string) => {
    const now = Date.now()
    // What was typed last must still be the text: an edit on the canvas in between is a step of its own.
    const merge = now - typed.current.time < ONE_CHANGE_MS && findModel(model.id)?.text === typed.current.text
    typed.current = { text, time: now }
    changeText(model.id, text, merge)
  }
  const extensions = useMemo(() => [
    completions(() => findModel(model.id)),
    EditorView.updateListener.of((update) => {
      if (!update.transactions.some((t) => t.isUserEvent('select'))) return
      const head = update.state.selection.main.head
      const line = update.state.doc.lineAt(head)
      const open = findModel(model.id)
      const there = open ? selectedAt(treeOf(open), { line: line.number, column: head - line.from + 1 }) : null
      if (there && !samePlace(there, design.get().selected)) select(there)
    })
  ], [model.id])
  return <Editor key={model.id} text={model.text} language="yaml" label="Model as YAML" marks={marks} at={at} onChange={change} keys={props.keys} extensions={extensions} />
}
