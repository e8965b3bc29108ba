// session.ts: what all views share: the server's tables and models, which one is open, its text with undo and redo. All of it
// lives in the tab and is gone with it.
import { CallError, dynamodb, messageOf, onefold, whenRefused } from './wire'
import { isRefusal, lastRefusal, refusalText, signedIn, signOut } from './sign'
import { makeStore, useStore } from './store'
import { route, go } from './route'
import { fileNames } from './tree'
import type { Description, ModelText, StudioInfo, TableDescription } from './types'

export interface OpenModel {
  /** What the picker shows and the address names: the file's path, "library/NAME", or a name made up in the tab. */
  id: string
  source: 'file' | 'library' | 'tab'
  text: string
  savedText: string
  files: { [name: string]: string }
  savedFiles: { [name: string]: string }
  version?: string
  /** Of the files it names, as SaveModel wants them. */
  versions: { [name: string]: string }
  past: string[]
  future: string[]
  /** Of the newest text that was described; text may be newer by a few milliseconds. */
  description: Description | null
  describedText: string
  describedFiles: { [name: string]: string } | null
  /** The newest description whose model could be read: what the canvas shows while the text is being broken and mended. */
  lastGood: Description | null
}

export interface Toast { id: number; kind: 'info' | 'error'; text: string }

export interface Session {
  info: StudioInfo | null
  failed: string | null
  /** The server asks for an access key: what was wrong with the one that was used, if any was. */
  refused: string | null
  tables: string[]
  models: OpenModel[]
  currentModel: string | null
  toasts: Toast[]
}

export const session = makeStore<Session>({ info: null, failed: null, refused: null, tables: [], models: [], currentModel: null, toasts: [] })

export function useSession<R>(select: (s: Session) => R): R {
  return useStore(session, select)
}

export function useModel(): OpenModel | null {
  return useSession((s) => s.models.find((m) => m.id === s.currentModel) ?? null)
}

/** Whether the model or a file that it names was changed since it was read or saved. */
export function isDirty(m: OpenModel): boolean {
  return m.text !== m.savedText || changedFiles(m).length > 0
}

/** Of those that it names: others do not go with it. */
export function changedFiles(m: OpenModel): string[] {
  if (m.files === m.savedFiles) return []
  const named = fileNames(m.description?.tree ?? m.lastGood?.tree)
  return [...named.data, ...named.prices].filter((name) => m.files[name] !== m.savedFiles[name])
}

addEventListener('beforeunload', (leaving) => { if (session.get().models.some(isDirty)) leaving.preventDefault() })

export function modelReference(m: OpenModel): { Text: string; Files: { [name: string]: string } } {
  return { Text: m.text, Files: m.files }
}

let toastNumber = 0
export function toast(text: string, kind: Toast['kind'] = 'info'): void {
  const id = ++toastNumber
  session.set((s) => ({ toasts: [...s.toasts, { id, kind, text }] }))
  setTimeout(() => dismissToast(id), kind === 'error' ? 12000 : 5000)
}
export function dismissToast(id: number): void {
  session.set((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) }))
}
/** For promises nobody waits for: what goes wrong is told. */
export function tell(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  toast(messageOf(error), 'error')
}

export async function listTables(): Promise<string[]> {
  const names: string[] = []
  let start: string | undefined
  do {
    const page: { TableNames: string[]; LastEvaluatedTableName?: string } = await dynamodb('ListTables',
      start ? { ExclusiveStartTableName: start } : {})
    names.push(...page.TableNames)
    start = page.LastEvaluatedTableName
  } while (start)
  session.set({ tables: names })
  return names
}

export async function describeTable(name: string): Promise<TableDescription> {
  return (await dynamodb<{ Table: TableDescription }>('DescribeTable', { TableName: name })).Table
}

whenRefused((error) => {
  // Of several calls under way the first tells; the others find the key gone.
  if (signedIn()) refuse(error)
  else session.set((s) => ({ refused: s.refused ?? lastRefusal() }))
})

/** Back to signing in, with what was wrong. */
function refuse(error: CallError): void {
  const sentence = refusalText(error.type, error.message)
  session.set({ refused: sentence, failed: null })
  signOut(sentence)
}

export async function start(): Promise<void> {
  try {
    const listed = listTables()
    listed.catch(() => {}) // who may not use the studio is told that first: it is why he may not list tables either
    const info = await onefold<StudioInfo>('DescribeStudio', {})
    await listed
    session.set({ info, failed: null, refused: null })
    const wanted = route().model ?? info.Models[0]?.Name
    if (wanted) await openById(wanted).catch(tell)
  } catch (error) {
    if (error instanceof CallError && isRefusal(error.type)) return
    // The key is right and may not do this. Another one can be entered.
    if (error instanceof CallError && error.type === 'AccessDeniedException') refuse(error)
    else session.set({ failed: messageOf(error) })
  }
}

export async function openById(id: string): Promise<void> {
  const there = session.get().models.find((m) => m.id === id)
  if (there) return choose(id)
  if (id.startsWith('library/')) return openPattern(id.slice('library/'.length))
  const read = await onefold<ModelText>('ReadModel', { Name: id })
  await open({ id, source: 'file', read })
}

/** A pattern of the library, as a start: a copy in the tab. */
export async function openPattern(name: string): Promise<void> {
  const there = findModel('library/' + name)
  const read = await onefold<ModelText>('ReadModel', { Pattern: name })
  // One that was changed stays open; this is another.
  if (there && isDirty(there)) await open({ id: freeName(name), source: 'tab', read })
  else await open({ id: 'library/' + name, source: 'library', read })
}

export async function openEmpty(): Promise<void> {
  await open({ id: freeName('untitled'), source: 'tab', read: await onefold<ModelText>('ReadModel', {}) })
}

/** A file from the user's disk; others are the files it names, as far as they were chosen with it. */
export async function openText(name: string, text: string, files: { [name: string]: string }): Promise<void> {
  await open({ id: freeName(name), source: 'tab', read: { Name: name, Text: text, Files: files } })
}

/** Files chosen on the user's disk: a model, and those it names. */
export async function openFiles(list: FileList | null): Promise<void> {
  const files = [...(list ?? [])]
  const texts = await Promise.all(files.map((f) => f.text()))
  const main = Math.max(0, texts.findIndex((t) => /^\s*["']?onefold["']?\s*:/m.test(t)))
  if (!files[main]) return
  await openText(files[main].name, texts[main]!, Object.fromEntries(files.map((f, i) => [f.name, texts[i]!]).filter((_, i) => i !== main)))
}

function freeName(name: string): string {
  const taken = new Set(session.get().models.map((m) => m.id))
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name} ${i}`
  return free
}

async function open(o: { id: string; source: OpenModel['source']; read: ModelText }): Promise<void> {
  const model: OpenModel = {
    id: o.id, source: o.source, text: o.read.Text, savedText: o.source === 'file' && o.read.Version === 'absent' ? '' : o.read.Text,
    files: o.read.Files, savedFiles: o.read.Files, versions: o.read.Versions ?? {}, past: [], future: [], description: null, describedText: '', describedFiles: null, lastGood: null,
    ...(o.read.Version === undefined ? {} : { version: o.read.Version })
  }
  session.set((s) => ({ models: [...s.models.filter((m) => m.id !== o.id), model] }))
  await describe(o.id)
  choose(o.id)
}

function choose(id: string): void {
  session.set({ currentModel: id })
  if (route().model !== id) go({ model: id })
}

export function patch(id: string, change: Partial<OpenModel>): void {
  session.set((s) => ({ models: s.models.map((m) => (m.id === id ? { ...m, ...change } : m)) }))
}

export function findModel(id: string): OpenModel | undefined {
  return session.get().models.find((m) => m.id === id)
}

// ---- changing the text: every change goes through here, so that it can be undone and is described ----

/** One more change that can be undone; typed text within a second of the last goes with it (merge). */
export function changeText(id: string, text: string, merge = false): void {
  const m = findModel(id)
  if (!m || m.text === text) return
  const past = merge && m.past.length ? m.past : [...m.past, m.text].slice(-500)
  patch(id, { text, past, future: [] })
  scheduleDescribe(id)
}

/** A file that the model names, its sample data. */
export function changeFile(id: string, name: string, text: string): void {
  const m = findModel(id)
  if (!m || m.files[name] === text) return
  patch(id, { files: { ...m.files, [name]: text } })
  scheduleDescribe(id)
}

export function undo(id: string): void {
  const m = findModel(id)
  const text = m?.past.at(-1)
  if (!m || text === undefined) return
  patch(id, { text, past: m.past.slice(0, -1), future: [m.text, ...m.future] })
  scheduleDescribe(id)
}

export function redo(id: string): void {
  const m = findModel(id)
  const text = m?.future[0]
  if (!m || text === undefined) return
  patch(id, { text, past: [...m.past, m.text], future: m.future.slice(1) })
  scheduleDescribe(id)
}

// At once, but one at a time: what is typed while an answer is under way is asked when it has come.
const describing = new Set<string>()
function scheduleDescribe(id: string): void {
  if (!describing.has(id)) describe(id).catch(tell)
}

/** Asks the server what the text means now, and again until that is the text. */
export async function describe(id: string): Promise<void> {
  describing.add(id)
  try {
    for (let m = findModel(id); m && (m.description === null || m.describedText !== m.text || m.describedFiles !== m.files); m = findModel(id)) {
      const { text, files } = m
      const description = await onefold<Description>('DescribeModel', { Text: text, Files: files })
      patch(id, { description, describedText: text, describedFiles: files, ...(description.model ? { lastGood: description } : {}) })
    }
  } finally {
    describing.delete(id)
  }
}

/** Changes made on the canvas: the server edits the text and keeps comments (docs/studio-api.md, EditModel). */
export type Edit =
  | { Op: 'set'; Path: (string | number)[]; Value: unknown }
  | { Op: 'remove'; Path: (string | number)[] }
  | { Op: 'rename'; Path: string[]; To: string }
  | { Op: 'accept'; Pattern: string; Proposal: number }
  | { Op: 'relate'; From: string; To: string; Kind: 'one-to-many' | 'many-to-many'; Through?: string }

/** True if it was made; what is wrong with it is told otherwise. merge: it is undone together with the change before it. */
export async function edit(id: string, edits: Edit[], merge = false): Promise<boolean> {
  const m = findModel(id)
  if (!m) return false
  try {
    const answer = await onefold<{ Text: string; Notes: string[] }>('EditModel', { Text: m.text, Files: m.files, Edits: edits })
    if (findModel(id)?.text !== m.text) {
      // A proposal is known by its number, which is another one's in another text.
      if (edits.some((e) => e.Op === 'accept')) throw new Error('The model was changed meanwhile, and its proposals with it: choose again')
      return edit(id, edits, merge)
    }
    changeText(id, answer.Text, merge)
    for (const note of answer.Notes) toast(note)
    return true
  } catch (error) {
    tell(error)
    return false
  }
}

/** Writes the model and its files back. The sentence where someone else has changed one meanwhile; other trouble is told. */
export async function save(id: string): Promise<string | null> {
  const m = findModel(id)
  if (!m || m.source !== 'file') return null
  try {
    const changed = changedFiles(m)
    const answer = await onefold<{ Version: string; Versions: { [name: string]: string } }>('SaveModel', {
      Name: m.id, Text: m.text, Version: m.version,
      Files: Object.fromEntries(changed.map((name) => [name, m.files[name]])),
      Versions: Object.fromEntries(changed.map((name) => [name, m.versions[name] ?? 'absent']))
    })
    patch(id, { version: answer.Version, versions: { ...m.versions, ...answer.Versions }, savedText: m.text, savedFiles: m.files })
    toast('Saved ' + m.id)
    return null
  } catch (error) {
    if (error instanceof CallError && error.type === 'ConditionalCheckFailedException') return error.message
    tell(error)
    return null
  }
}

/** The file as it is now. What was in the tab can be had back with undo. */
export async function readAgain(id: string): Promise<void> {
  const read = await onefold<ModelText>('ReadModel', { Name: id })
  changeText(id, read.Text)
  patch(id, { savedText: read.Text, files: read.Files, savedFiles: read.Files, versions: read.Versions ?? {}, ...(read.Version === undefined ? {} : { version: read.Version }) })
  await describe(id)
}
