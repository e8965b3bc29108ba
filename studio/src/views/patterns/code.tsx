// patterns/code.tsx: a pattern as a program in five languages (WriteCode), highlighted, to copy.
import { EditorView } from '@codemirror/view'
import { StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { CopyButton, Empty } from '../../ui'
import { Editor } from '../../ui/editor'
import { useAnswer } from './state'
import type { OpenModel } from '../../session'

export const languages = [
  { id: 'javascript', title: 'JavaScript SDK v3' },
  { id: 'python', title: 'boto3' },
  { id: 'cli', title: 'AWS CLI' },
  { id: 'onefold', title: 'onefold run' },
  { id: 'c', title: 'C' }
] as const
export type Language = (typeof languages)[number]['id']

/** A text that is read only, and can be reached and scrolled with the keyboard all the same. */
export const readOnly: Extension[] = [EditorView.contentAttributes.of({ tabindex: '0', 'aria-readonly': 'true' })]

const keywords: Record<Language, string> = {
  javascript: 'import from const let var function return if else for while do of in new await async true false null undefined typeof break continue throw try catch finally export default class',
  python: 'import from as def return if elif else for while in not and or is None True False lambda with try except finally raise break continue yield class pass',
  cli: 'set if then else elif fi for in do done while case esac export local return exit',
  onefold: '',
  c: 'int char const static void struct return if else for while do break continue sizeof size_t bool true false NULL double float long unsigned switch case default typedef enum goto'
}

interface State { comment: boolean; quote: string }

/** Strings, comments, numbers and keywords: as much colour as code that is read needs. */
function parser(language: Language): StreamParser<State> {
  const words = new Set(keywords[language].split(' '))
  const slashes = language === 'javascript' || language === 'c', shell = language === 'cli' || language === 'onefold'
  const string = (stream: { next(): string | void; eol(): boolean }, state: State) => {
    for (let c = stream.next(); c; c = stream.next()) {
      if (c === '\\' && !(state.quote === "'" && shell)) stream.next()
      else if (c === state.quote) { state.quote = ''; break }
    }
    return 'string'
  }
  return {
    startState: () => ({ comment: false, quote: '' }),
    token(stream, state) {
      if (state.comment) {
        if (stream.match(/.*?\*\//)) state.comment = false
        else stream.skipToEnd()
        return 'comment'
      }
      if (state.quote) return string(stream, state)
      if (stream.eatSpace()) return null
      if (slashes ? stream.match('//') || (language === 'c' && stream.match(/#\w+/)) : stream.match('#')) {
        if (stream.current().startsWith('#') && slashes) return 'meta'
        stream.skipToEnd()
        return 'comment'
      }
      if (slashes && stream.match('/*')) { state.comment = true; return 'comment' }
      if (stream.match(/["'`]/)) { state.quote = stream.current(); return string(stream, state) }
      if (stream.match(/\d[\w.]*/)) return 'number'
      if (shell && stream.match(/--?[a-z][\w-]*/)) return 'meta'
      if (stream.match(shell ? /[A-Za-z_][\w-]*/ : /[A-Za-z_]\w*/)) return words.has(stream.current()) ? 'keyword' : stream.peek() === '(' ? 'propertyName' : null
      stream.next()
      return null
    }
  }
}

const highlighting = Object.fromEntries(languages.map((l) => [l.id, [...readOnly, StreamLanguage.define(parser(l.id))]])) as Record<Language, Extension[]>

export function CodePane(props: { model: OpenModel; pattern: string; inputs: { [name: string]: string }; language: Language }) {
  const asked = useAnswer<{ Text: string }>('WriteCode', props.model,
    { Pattern: props.pattern, Inputs: props.inputs, Language: props.language, Endpoint: location.origin })
  const title = languages.find((l) => l.id === props.language)!.title
  if (asked.error) return <Empty title="No code yet"><p>{asked.error}</p></Empty>
  if (!asked.answer) return null
  const text = asked.answer.Text
  return (
    <div className="ap-pane">
      <div className="ap-pane-head"><span className="soft small">Runs as it is, with the inputs above</span><span className="spread" /><CopyButton label="Copy code" text={() => text} /></div>
      <Editor key={props.language} text={text} language="text" label={`Code for ${title}`} readOnly extensions={highlighting[props.language]} />
    </div>
  )
}
