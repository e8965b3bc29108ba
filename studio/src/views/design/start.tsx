// design/start.tsx: where no model is open: the patterns of the library, an empty table, a file.
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui'
import { openById, openEmpty, openFiles, openPattern, tell, useSession } from '../../session'
import { onefold } from '../../wire'
import type { Description, ModelText } from '../../types'

interface Counts { entities: number; patterns: number; indexes: number }

/** What each pattern of the library holds, as the server counts it. */
function useCounts(names: string[]): { [name: string]: Counts } {
  const [counts, setCounts] = useState<{ [name: string]: Counts }>({})
  useEffect(() => {
    const away = new AbortController()
    const count = async (name: string) => {
      const read = await onefold<ModelText>('ReadModel', { Pattern: name }, away.signal)
      const { model } = await onefold<Description>('DescribeModel', { Text: read.Text, Files: read.Files }, away.signal)
      if (model) setCounts((c) => ({ ...c, [name]: { entities: model.entities.length, patterns: model.patterns.length, indexes: model.indexes.length } }))
    }
    for (const name of names) count(name).catch(tell)
    return () => away.abort()
  }, [names.join()])
  return counts
}

function plural(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`
}

export function StartPage() {
  const info = useSession((s) => s.info)
  const patterns = info?.Patterns ?? []
  const counts = useCounts(patterns.map((p) => p.name))
  const file = useRef<HTMLInputElement>(null)
  return (
    <div className="dv-start scroll">
      <div className="dv-start-inner">
        <h1>Design a table</h1>
        <p className="soft">Say what the table holds and which questions it must answer. Keys and indexes follow, and each question shows at once whether one request answers it.</p>
        <div className="row dv-start-first">
          <Button look="primary" onClick={() => openEmpty().catch(tell)}>Start with an empty table</Button>
          <Button onClick={() => file.current?.click()}>Open a file…</Button>
          <input ref={file} type="file" multiple hidden accept=".yaml,.yml,.json" aria-label="Open model files" onChange={(e) => { openFiles(e.target.files).catch(tell); e.target.value = '' }} />
          {info?.Models.map((m) => <Button key={m.Name} onClick={() => openById(m.Name).catch(tell)}>{m.Name}</Button>)}
        </div>
        <h2>Or from a design that is known to work</h2>
        <div className="dv-cards">
          {patterns.map((p) => {
            const c = counts[p.name]
            return (
              <button key={p.name} type="button" className="dv-card" aria-label={'Start from ' + p.name} onClick={() => openPattern(p.name).catch(tell)}>
                <b>{p.name}</b>
                <span className="soft">{p.about}</span>
                <span className="faint small">{c ? `${plural(c.entities, 'entity', 'entities')} · ${plural(c.patterns, 'access pattern', 'access patterns')} · ${plural(c.indexes, 'index', 'indexes')}` : '\u00a0'}</span>
              </button>
            )
          })}
        </div>
      </div>
    </div>
  )
}
