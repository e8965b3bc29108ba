// design/toolbar.tsx: the model's name, undo and redo, and where models come from and go to.
import { useRef, useState } from 'react'
import { Button, Menu, download } from '../../ui'
import { isDirty, openEmpty, openFiles, openPattern, redo, tell, undo, useSession, type OpenModel } from '../../session'
import { textOf, member } from '../../tree'
import { treeOf } from './panels/place'
import { ExportDialog } from './export'
import { fileName, type Saving } from './saving'

export function Toolbar({ model, saving }: { model: OpenModel; saving: Saving }) {
  const patterns = useSession((s) => s.info?.Patterns ?? [])
  const file = useRef<HTMLInputElement>(null)
  const [exporting, setExporting] = useState(false)
  const dirty = isDirty(model)
  const table = textOf(member(treeOf(model), 'table'))
  return (
    <div className="dv-toolbar" role="toolbar" aria-label="Model">
      <h2 className="cut" title={model.id}>{table ?? model.id}</h2>
      <span className="soft small cut dv-path">{model.id}</span>
      {dirty ? <span className="row dv-dirty small" role="status"><span className="dirty" />not saved</span> : null}
      <span className="spread" />
      <Button small look="quiet" aria-label="Undo" title="Undo (Ctrl+Z)" disabled={!model.past.length} onClick={() => undo(model.id)}>↶ Undo</Button>
      <Button small look="quiet" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" disabled={!model.future.length} onClick={() => redo(model.id)}>↷ Redo</Button>
      <span className="dv-rule" />
      <Menu small label="New" title="Start a new model" align="right">
        {(close) => {
          const begin = (run: () => Promise<void>) => () => { close(); run().catch(tell) }
          return (
            <>
              <button type="button" onClick={begin(openEmpty)}>Empty table</button>
              <div className="title">From the library</div>
              {patterns.map((p) => <button key={p.name} type="button" onClick={begin(() => openPattern(p.name))}><b>{p.name}</b><span className="soft cut dv-about">{p.about}</span></button>)}
            </>
          )
        }}
      </Menu>
      <Button small title="Open a model file from this computer, with the data files it names" onClick={() => file.current?.click()}>Open…</Button>
      <input ref={file} type="file" multiple hidden accept=".yaml,.yml,.json" aria-label="Open model files" onChange={(e) => { openFiles(e.target.files).catch(tell); e.target.value = '' }} />
      <Button small title="Download the model's text" onClick={() => download(fileName(model), model.text, 'application/yaml')}>Download</Button>
      <Button small disabled={!model.description?.model} title={model.description?.model ? 'CreateTable, CloudFormation, Terraform, documents' : 'Mend the model first: the findings say what is wrong'} onClick={() => setExporting(true)}>Export…</Button>
      <Button small look="primary" disabled={!dirty || saving.busy} title={model.source === 'file' ? `Save to ${model.id} (Ctrl+S)` : 'The model is only in this tab: save a file on this computer (Ctrl+S)'} onClick={saving.save}>Save</Button>
      {exporting ? <ExportDialog model={model} onClose={() => setExporting(false)} /> : null}
    </div>
  )
}
