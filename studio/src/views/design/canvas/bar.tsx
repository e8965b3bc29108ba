// canvas/bar.tsx: what stands at the top of the canvas: new entities and indexes, zoom.
import { Button, Menu } from '../../../ui'
import { entityKind } from './acts'

export function Bar(props: { onEntity: () => void; onIndex: (local: boolean) => void; onZoom: (by: number) => void; onFit: () => void; onArrange: (() => void) | undefined }) {
  return (
    <div className="cv-bar" role="toolbar" aria-label="Canvas tools">
      <button type="button" className="cv-chip" draggable title="Drag it onto the canvas, or press it" onClick={props.onEntity}
        onDragStart={(e) => { e.dataTransfer.setData(entityKind, ''); e.dataTransfer.effectAllowed = 'copy' }}>
        <span className="cv-grip" aria-hidden>⠿</span>Entity
      </button>
      <Menu small label="+ Index" title="A new index">
        {(close) => (
          <>
            <button type="button" onClick={() => { close(); props.onIndex(false) }}><b>Global index</b><span className="soft">its own hash and sort key</span></button>
            <button type="button" onClick={() => { close(); props.onIndex(true) }}><b>Local index</b><span className="soft">another sort key in the same partition</span></button>
          </>
        )}
      </Menu>
      <span className="spread" />
      {props.onArrange ? <Button small look="quiet" title="Put all cards where they were before they were moved" onClick={props.onArrange}>Arrange</Button> : null}
      <div className="cv-zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out" onClick={() => props.onZoom(1 / 1.25)}>−</button>
        <button type="button" aria-label="Fit everything" title="Everything" onClick={props.onFit}>⤢</button>
        <button type="button" aria-label="Zoom in" onClick={() => props.onZoom(1.25)}>+</button>
      </div>
    </div>
  )
}
