/** Colours by purpose: one set for light backgrounds, one for dark ones. */
interface Palette {
  readonly paper: string
  readonly box: string
  readonly ink: string
  readonly dim: string
  readonly line: string
  readonly faint: string
  /** The colours of states, each for the line and the box: taken or passed, running, waiting for people, failed. */
  readonly green: readonly [string, string]
  readonly cyan: readonly [string, string]
  readonly yellow: readonly [string, string]
  readonly red: readonly [string, string]
}

const LIGHT: Palette = {
  paper: '#ffffff',
  box: '#f6f8fa',
  ink: '#1f2328',
  dim: '#59636e',
  line: '#818b98',
  faint: '#c8d1da',
  green: ['#1a7f37', '#eaf8ee'],
  cyan: ['#0f6f8c', '#e2f5fa'],
  yellow: ['#9a6700', '#fff8dc'],
  red: ['#cf222e', '#ffefee'],
}

const DARK: Palette = {
  paper: '#0d1117',
  box: '#161b22',
  ink: '#e6edf3',
  dim: '#9198a1',
  line: '#6e7681',
  faint: '#343b44',
  green: ['#3fb950', '#12261a'],
  cyan: ['#39c5cf', '#0c2a30'],
  yellow: ['#d4a72c', '#272112'],
  red: ['#f85149', '#2d1618'],
}

export const FONT = { name: 13, small: 11, title: 15 } as const
/** The width of a character relative to the font size, for the widest of the usual monospace fonts. */
export const CELL = 0.605

/**
 * Returns the style of a drawing: no script, only system fonts, and colours by the reader's preference. Each set of
 * colours is written out, because not every program that shows an SVG supports variables.
 */
export function styleSheet(): string {
  return `<style>
.reflex-graph{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
.reflex-graph text{font-size:${FONT.small}px;white-space:pre}
.reflex-graph .title{font-size:${FONT.title}px;font-weight:700}
.reflex-graph .name{font-size:${FONT.name}px;font-weight:600}
.reflex-graph .box{stroke-width:1.25}
.reflex-graph .rim{fill:none;stroke-width:1.25}
.reflex-graph .line{fill:none;stroke-width:1.5}
.reflex-graph .badge{fill:none;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.reflex-graph .here .box{stroke-width:2.5}
.reflex-graph .taken .line{stroke-width:3}
.reflex-graph .closed .line{stroke-dasharray:2 5;stroke-linecap:round}
.reflex-graph .jump .line{stroke-dasharray:6 4}
.reflex-graph .frame{fill:none;stroke-width:1;stroke-dasharray:1 3}
${colours(LIGHT)}
@media (prefers-color-scheme:dark){
${colours(DARK)}
}
</style>`
}

function colours({ paper, box, ink, dim, line, faint, green, cyan, yellow, red }: Palette): string {
  return [
    `.paper{fill:${paper}}`,
    `text,.badge.full{fill:${ink}}`,
    `.dim,.faint text,.faint .badge.full{fill:${dim}}`,
    `.frame{stroke:${line}}`,
    `.badge{stroke:${ink}}`,
    ...lineRules('', line, box),
    ...lineRules('.faint ', faint, box),
    ...lineRules('.green ', ...green),
    ...lineRules('.cyan ', ...cyan),
    ...lineRules('.yellow ', ...yellow),
    ...lineRules('.red ', ...red),
    '.badge.full{stroke:none}',
  ]
    .map((rule) => rule.split('{'))
    .map(
      ([selectors = '', body = '']) =>
        `${selectors
          .split(',')
          .map((one) => `.reflex-graph ${one}`)
          .join(',')}{${body}`,
    )
    .join('\n')
}

function lineRules(prefix: string, line: string, box: string): string[] {
  const badge = prefix === '' || prefix === '.faint ' ? [] : [`${prefix}.badge{stroke:${line}}`, `${prefix}.badge.full{fill:${line}}`]
  return [
    `${prefix}.box{fill:${box};stroke:${line}}`,
    `${prefix}.rim,${prefix}.line{stroke:${line}}`,
    `${prefix}.tip,${prefix}.dot{fill:${line}}`,
    ...badge,
  ]
}
