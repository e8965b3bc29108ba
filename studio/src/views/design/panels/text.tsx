// design/panels/text.tsx: the model's text, and the files it names, one of them shown.
import { useMemo } from 'react'
import { history, historyKeymap } from '@codemirror/commands'
import { keymap } from '@codemirror/view'
import { Button, Tabs, download } from '../../../ui'
import { Editor } from '../../../ui/editor'
import { changeFile, changedFiles, type OpenModel } from '../../../session'
import { fileNames } from '../../../tree'
import { designView, useDesignView } from '../view'
import { LargeButton } from './index'
import { MODEL_FILE, treeOf } from './place'
import { YamlPanel, marksOf } from './yaml'

type Keys = { key: string; run: () => boolean }[]

/** A file's own undo: it is not part of the model's text. */
const ownHistory = [history(), keymap.of(historyKeymap)]

function DataEditor({ model, name, keys }: { model: OpenModel; name: string; keys: Keys }) {
  const at = useDesignView((s) => s.fileAt)
  const marks = useMemo(() => marksOf(model, name), [model.description, name])
  return (
    <Editor key={model.id + name} text={model.files[name] ?? ''} language="yaml" label={'Sample data in ' + name} marks={marks} at={at} extensions={ownHistory}
      keys={keys.filter((k) => k.key === 'Mod-s')} onChange={(text) => changeFile(model.id, name, text)} />
  )
}

export function TextPane({ model, keys }: { model: OpenModel; keys: Keys }) {
  const wanted = useDesignView((s) => s.file)
  const files = fileNames(treeOf(model)).data
  const shown = files.includes(wanted) ? wanted : MODEL_FILE
  const changed = changedFiles(model)
  const tabs = [{ id: MODEL_FILE, title: <>YAML</> }, ...files.map((f) => ({ id: f, title: <>{f}{changed.includes(f) ? <span className="dirty dv-mark" title="not saved" /> : null}</> }))]
  return (
    <section className="panel dv-pane" aria-label="Text">
      <div className="dv-tabs">
        <Tabs label="Text" tabs={tabs} value={shown} onChange={(file) => designView.set({ file })} />
        {shown === MODEL_FILE ? null : <Button small look="quiet" onClick={() => download(shown.split('/').at(-1)!, model.files[shown] ?? '', 'application/yaml')}>Download {shown}</Button>}
        <LargeButton which="text" label="Enlarge the text" />
      </div>
      <div className="dv-body" role="tabpanel">
        {shown === MODEL_FILE ? <YamlPanel key={model.id} model={model} keys={keys} /> : <DataEditor key={shown} model={model} name={shown} keys={keys} />}
      </div>
    </section>
  )
}
