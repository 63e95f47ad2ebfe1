import { el, fill } from './dom.js'
import { clock } from './time.js'
import { factsElement, inline, isObject } from './value.js'
/** @import { Api } from './api.js' */
/** @import { Fault, Line, Question, Trace } from './documents.ts' */

const FEW_RECORDS = 12
const FEW_LINES = 6
const MANY_RECORDS = 1_000

/** The marks of the command, and their meaning for those who hear them. */
const MARKS = new Map([
  ['step', ['✓', 'step']],
  ['done', ['✓', 'done']],
  ['fail', ['✗', 'failed']],
  ['skip', ['–', 'skipped']],
  ['push', ['▸', 'enters']],
  ['pop', ['◂', 'returns']],
  ['decide', ['◆', 'decided']],
  ['ask', ['?', 'asks']],
  ['answer', ['✓', 'answered']],
  ['wait', ['‖', 'waits']],
  ['warn', ['!', 'warning']],
  ['fork', ['▸', 'branches']],
])

/**
 * Returns a section about the run of a question: its program, its input, and the end of its story, with a button for all of it.
 * @param {Api} api
 * @param {Question} question
 */
export function runStory(api, { run, path }) {
  const facts = el('div', {})
  const lines = el('ol', { class: 'story', 'aria-label': 'Story of the run' })
  const more = el(
    'button',
    { type: 'button', class: 'quiet', 'aria-expanded': 'false', hidden: true, click: () => void load(MANY_RECORDS) },
    'Show the whole story',
  )
  const note = el('p', { class: 'hint', role: 'status' }, 'Loading…')

  /** @param {number} tail */
  const load = async (tail) => {
    const reply = await api.get(`/v1/runs/${encodeURIComponent(run)}/trace?tail=${tail}`).catch(() => undefined)
    if (reply?.status !== 200) {
      const error = /** @type {Fault | undefined} */ (/** @type {unknown} */ (reply?.body['error']))
      return fill(note, error?.message ?? 'The server cannot be reached, so the run is not shown.')
    }
    const trace = /** @type {Trace} */ (/** @type {unknown} */ (reply.body))
    const all = trace.lines.filter(isTold)
    const shown = tail === FEW_RECORDS ? all.slice(-FEW_LINES) : all
    const isWhole = shown.length === all.length && trace.from === undefined
    fill(facts, runFacts(trace, path), el('h4', {}, isWhole ? 'All steps' : 'Last steps'))
    fill(lines, ...shown.map(lineElement))
    more.hidden = isWhole || tail === MANY_RECORDS
    fill(note, tail === MANY_RECORDS && !isWhole && `The story before record ${trace.from ?? 1} is in reflex trace ${run}.`)
    if (tail !== MANY_RECORDS) return
    lines.tabIndex = -1
    lines.focus()
  }
  void load(FEW_RECORDS)
  return el(
    'section',
    { class: 'run', 'aria-labelledby': 'run-heading' },
    el('h3', { id: 'run-heading' }, 'About this run'),
    facts,
    lines,
    more,
    note,
  )
}

/**
 * @param {Trace} trace
 * @param {string} path
 */
function runFacts({ run, by, input }, path) {
  const { program, id, started } = run
  const hasInput = input !== undefined && Object.keys(input).length > 0
  return el(
    'div',
    {},
    el(
      'dl',
      { class: 'facts' },
      fact('Program', program.name, el('span', { class: 'muted' }, ` ${program.kind}`)),
      fact('Place', el('code', {}, path)),
      fact('Run', el('code', {}, id), el('span', { class: 'muted' }, ` started ${clock(started)}${by === undefined ? '' : ` by ${by}`}`)),
    ),
    hasInput && el('h4', {}, 'Input'),
    hasInput && factsElement(input),
  )
}

/**
 * @param {string} name
 * @param {readonly (string | Node)[]} value
 */
function fact(name, ...value) {
  return el('div', { class: 'fact' }, el('dt', {}, name), el('dd', {}, ...value))
}

/**
 * True for a line that says more than that a node has begun.
 * @param {Line} line
 */
function isTold({ mark, text = '' }) {
  return mark !== 'enter' || text !== ''
}

/** @param {Line} line */
function lineElement({ record, mark, place, text, facts, depth }) {
  const [sign = '·', word = 'note'] = MARKS.get(mark) ?? []
  const { by, wrote, returned, value } = facts ?? {}
  const what = [text, text === undefined || text === '' ? writtenText(wrote ?? returned ?? value) : ''].filter(
    (part) => part !== undefined && part !== '',
  )
  return el(
    'li',
    { 'data-mark': mark, 'data-depth': Math.min(depth, 4) },
    el('span', { class: 'mark', 'aria-hidden': 'true' }, sign),
    el('span', { class: 'hidden' }, `${word} `),
    el('span', { class: 'node' }, place === '' ? 'program' : place),
    el('span', { class: 'what' }, ...what.map((part) => inline(part, 300))),
    el('span', { class: 'muted' }, typeof by === 'string' ? by : '', el('code', {}, ` @${record}`)),
  )
}

/** @param {unknown} written */
function writtenText(written) {
  if (!isObject(written)) return ''
  return Object.entries(written)
    .map(([key, value]) => `${key} = ${inline(value, 80)}`)
    .join(', ')
}
