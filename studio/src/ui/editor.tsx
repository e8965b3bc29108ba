// ui/editor.tsx: CodeMirror for YAML and JSON: the text comes from outside and goes back; marks are problems at their places.
import { useEffect, useRef } from 'react'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { yaml } from '@codemirror/lang-yaml'
import { json } from '@codemirror/lang-json'
import { tags } from '@lezer/highlight'

export interface Mark { line: number; column: number; message: string; severity: 'error' | 'warning' | 'info' }

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--e4)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--e1)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--e2)' },
  { tag: [tags.comment], color: 'var(--faint)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.meta], color: 'var(--e6)' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--soft)' }
])
const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text)', height: '100%', fontSize: 'var(--size-2)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', border: '1px solid var(--line-strong)', color: 'var(--text)', borderRadius: '6px', maxWidth: 'min(480px, 90vw)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' }
})

interface Props {
  text: string
  onChange?: (text: string) => void
  language: 'yaml' | 'json' | 'text'
  label: string
  marks?: readonly Mark[]
  /** Scrolls there and puts the cursor there when it changes. */
  at?: { line: number; column: number } | null
  readOnly?: boolean
  /** Undo is the caller's (the model's own), so CodeMirror has none. */
  keys?: { key: string; run: () => boolean }[]
  extensions?: Extension[]
}

export function Editor(props: Props) {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const editable = new Compartment()
    // In a shadow tree CodeMirror's styles are adopted sheets; in the page they would be a style element, which the content policy forbids.
    const host = document.createElement('div')
    host.style.height = '100%'
    box.current!.append(host)
    const shadow = host.attachShadow({ mode: 'open' })
    const v = new EditorView({
      parent: shadow,
      root: shadow,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          lineNumbers(), foldGutter(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(),
          search({ top: true }), autocompletion(), lintGutter(), syntaxHighlighting(colours), look,
          latest.current.language === 'yaml' ? yaml() : latest.current.language === 'json' ? json() : [],
          keymap.of([
            ...(latest.current.keys ?? []).map((k) => ({ key: k.key, run: () => (latest.current.keys ?? []).find((x) => x.key === k.key)?.run() ?? false, preventDefault: true })),
            ...defaultKeymap, ...searchKeymap, ...foldKeymap, ...completionKeymap, indentWithTab]),
          editable.of([EditorState.readOnly.of(latest.current.readOnly ?? false), EditorView.editable.of(!latest.current.readOnly)]),
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged && !u.transactions.some((t) => t.isUserEvent('outside'))) latest.current.onChange?.(u.state.doc.toString())
          }),
          ...(latest.current.extensions ?? [])
        ]
      })
    })
    view.current = v
    return () => { v.destroy(); host.remove() }
  }, [])

  // Only what differs is replaced, so that the cursor and the scroll position stay.
  useEffect(() => {
    const v = view.current
    if (!v) return
    const now = v.state.doc.toString()
    if (now === props.text) return
    let from = 0
    while (from < now.length && from < props.text.length && now[from] === props.text[from]) from++
    let end = 0
    while (end < now.length - from && end < props.text.length - from && now[now.length - 1 - end] === props.text[props.text.length - 1 - end]) end++
    v.dispatch({ changes: { from, to: now.length - end, insert: props.text.slice(from, props.text.length - end) }, userEvent: 'outside' })
  }, [props.text])

  useEffect(() => {
    const v = view.current
    if (!v) return
    const place = (m: { line: number; column: number }) => {
      const line = v.state.doc.line(Math.max(1, Math.min(m.line, v.state.doc.lines)))
      return { from: Math.min(line.to, line.from + Math.max(0, m.column - 1)), to: line.to }
    }
    const marks: Diagnostic[] = (props.marks ?? []).map((m) => ({ ...place(m), severity: m.severity, message: m.message }))
    v.dispatch(setDiagnostics(v.state, marks))
  }, [props.marks, props.text])

  useEffect(() => {
    const v = view.current
    if (!v || !props.at) return
    const { line: wanted, column } = props.at
    // In a task of its own: what was clicked is drawn first.
    const soon = requestAnimationFrame(() => {
      const line = v.state.doc.line(Math.max(1, Math.min(wanted, v.state.doc.lines)))
      const pos = Math.min(line.to, line.from + Math.max(0, column - 1))
      v.dispatch({ selection: { anchor: pos }, effects: EditorView.scrollIntoView(pos, { y: 'center' }) })
    })
    return () => cancelAnimationFrame(soon)
  }, [props.at])

  return <div className="editor" ref={box} />
}
