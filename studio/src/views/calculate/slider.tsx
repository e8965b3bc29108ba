// calculate/slider.tsx: a logarithmic slider with a number field: each decade has ten round steps.

const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]

/** Where the slider stands for a value; the first place is "not stated". */
export function placeOf(value: number | null, lowest: number): number {
  if (value === null || !(value > 0)) return 0
  const decade = Math.floor(Math.log10(value) + 1e-9)
  const mantissa = value / 10 ** decade
  let nearest = 0
  steps.forEach((s, i) => { if (Math.abs(s - mantissa) < Math.abs(steps[nearest]! - mantissa)) nearest = i })
  return Math.max(1, (decade - lowest) * steps.length + nearest + 1)
}

export function valueAt(place: number, lowest: number): number | null {
  if (place < 1) return null
  const decade = Math.floor((place - 1) / steps.length) + lowest
  return Number((steps[(place - 1) % steps.length]! * 10 ** decade).toPrecision(3))
}

/** From 10^lowest to 10^highest. */
export function LogSlider(props: { label: string; value: number | null; spoken: string; lowest: number; highest: number; onChange: (value: number | null) => void }) {
  const most = (props.highest - props.lowest) * steps.length + 1
  const place = Math.min(most, placeOf(props.value, props.lowest))
  return (
    <input type="range" className="calc-slider" aria-label={props.label} aria-valuetext={props.spoken} min={0} max={most} step={1} value={place}
      style={{ '--part': `${(place / most) * 100}%` } as React.CSSProperties}
      onChange={(e) => props.onChange(valueAt(Number(e.target.value), props.lowest))} />
  )
}
