// design/saving.tsx: saving a model to its file, or as a download where it has none; and what to do when the file changed meanwhile.
import { useState, type ReactNode } from 'react'
import { Button, Dialog, download } from '../../ui'
import { changedFiles, patch, readAgain, save, tell, toast, type OpenModel } from '../../session'

/** What the model is called as a file. */
export function fileName(model: OpenModel): string {
  const name = model.id.split('/').at(-1) || 'model'
  return /\.(ya?ml|json)$/.test(name) ? name : name.replaceAll(' ', '-') + '.yaml'
}

export interface Saving { save: () => void; busy: boolean; dialog: ReactNode }

function ChangedDialog({ model, message, onClose }: { model: OpenModel; message: string; onClose: () => void }) {
  const again = () => readAgain(model.id).then(() => toast(`Read ${model.id} again; Undo brings your text back`)).catch(tell).finally(onClose)
  return (
    <Dialog title="The file was changed meanwhile" onClose={onClose} width={520} foot={
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button onClick={() => { download(fileName(model), model.text, 'application/yaml'); onClose() }}>Download mine</Button>
        <Button look="primary" onClick={() => void again()}>Read it again</Button>
      </>
    }>
      <p>Nothing was written: {message}.</p>
      <p className="soft">Reading it again shows their text; Undo then brings yours back, to compare or to save over theirs. Or download yours and keep both.</p>
    </Dialog>
  )
}

export function useSaving(model: OpenModel): Saving {
  const [busy, setBusy] = useState(false)
  const [changed, setChanged] = useState<string | null>(null)
  const run = async () => {
    if (model.source !== 'file') {
      download(fileName(model), model.text, 'application/yaml')
      for (const name of changedFiles(model)) download(name.split('/').at(-1)!, model.files[name] ?? '', 'application/yaml')
      patch(model.id, { savedText: model.text, savedFiles: model.files })
      return
    }
    setBusy(true)
    try { setChanged(await save(model.id)) } finally { setBusy(false) }
  }
  return { save: () => void run().catch(tell), busy, dialog: changed ? <ChangedDialog model={model} message={changed} onClose={() => setChanged(null)} /> : null }
}
