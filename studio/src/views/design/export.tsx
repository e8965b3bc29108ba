// design/export.tsx: the model in other forms: requests, templates, documents; to look at, to copy, to download.
import { useEffect, useState } from 'react'
import { Button, CopyButton, Dialog, Tabs, download } from '../../ui'
import { modelReference, type OpenModel } from '../../session'
import { messageOf, onefold } from '../../wire'

const formats = [
  { id: 'create-table', title: 'CreateTable', ending: '.create-table.json', type: 'application/json', about: 'The request of CreateTable, for any SDK or the AWS CLI.' },
  { id: 'cloudformation', title: 'CloudFormation', ending: '.template.yaml', type: 'application/yaml', about: 'A template with the table and its indexes.' },
  { id: 'terraform', title: 'Terraform', ending: '.tf', type: 'text/plain', about: 'A resource of the AWS provider.' },
  { id: 'markdown', title: 'Markdown', ending: '.md', type: 'text/markdown', about: 'The documentation: table, entities, access patterns, sample rows.' },
  { id: 'svg', title: 'SVG', ending: '.svg', type: 'image/svg+xml', about: 'A picture of the table and its indexes.' },
  { id: 'mermaid', title: 'Mermaid', ending: '.mmd', type: 'text/plain', about: 'The same picture as text, for documents that draw Mermaid.' },
  { id: 'json', title: 'JSON', ending: '.json', type: 'application/json', about: 'Everything the model says, with how each pattern is answered.' }
] as const
type Format = (typeof formats)[number]['id']

/** A picture is shown as an image, so that nothing in it can run. */
function Picture({ text, title }: { text: string; title: string }) {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return url ? <div className="dv-picture"><img src={url} alt={'Picture of ' + title} /></div> : null
}

function readable(format: Format, text: string): string {
  return format === 'json' ? JSON.stringify(JSON.parse(text), null, 2) : text
}

export function ExportDialog({ model, onClose }: { model: OpenModel; onClose: () => void }) {
  const [format, setFormat] = useState<Format>('create-table')
  const [answer, setAnswer] = useState<{ format: Format; text: string } | null>(null)
  const [trouble, setTrouble] = useState('')
  const chosen = formats.find((f) => f.id === format)!
  const table = model.description?.model?.table ?? 'table'
  useEffect(() => {
    const away = new AbortController()
    setTrouble('')
    onefold<{ Text: string }>('ExportModel', { ...modelReference(model), Format: format }, away.signal)
      .then(({ Text }) => setAnswer({ format, text: Text }))
      .catch((error) => { if (!away.signal.aborted) setTrouble(messageOf(error)) })
    return () => away.abort()
  }, [format, model.text, model.files])
  const text = answer?.format === format ? answer.text : null
  return (
    <Dialog title={'Export ' + table} onClose={onClose} width={860} foot={
      <>
        <span className="soft small dv-export-about">{chosen.about}</span>
        <span className="spread" />
        <CopyButton text={() => text ?? ''} />
        <Button small look="primary" disabled={text === null} onClick={() => download(table + chosen.ending, text ?? '', chosen.type)}>Download {table + chosen.ending}</Button>
      </>
    }>
      <Tabs label="Format" tabs={formats} value={format} onChange={setFormat} />
      <div className="dv-export" aria-live="polite">
        {trouble ? <p className="notice bad">{trouble}</p> : text === null ? null : format === 'svg' ? <Picture text={text} title={table} /> : <pre tabIndex={0} aria-label={chosen.title}>{readable(format, text)}</pre>}
      </div>
    </Dialog>
  )
}
