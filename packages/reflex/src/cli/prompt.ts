import { checkAnswer } from '../runs/runtime-questions.ts'
import type { OpenQuestion } from '../runs/handle.ts'
import { describeFault, isFault, isObject, type Json } from '../kernel/index.ts'
import { shortJson, countCells } from '../text/index.ts'
import type { Console } from './console.ts'
import { hangingLines, layoutRow } from './layout.ts'
import type { Look } from './look.ts'
import { type Line, type Menu, type MenuItem, pressLine, pressMenu } from './menu.ts'
import type { Screen } from './screen.ts'
import { dueTime } from './units.ts'
import type { Key } from './world.ts'

/** The result of a question at the terminal. */
export type PromptResult = { readonly value: Json } | { readonly left: true } | { readonly interrupted: true } | { readonly over: true }

/** The meaning of a line of the menu. */
type MenuChoice = { readonly value: Json } | 'type' | 'later'

/** The two stages of a question: a menu, or a line of text. `note` explains what was wrong with the last answer. */
type PromptStage = { readonly menu: Menu<MenuChoice>; readonly note?: string } | { readonly line: Line; readonly note?: string }

/** The last choice of every question: nobody is forced to answer. */
const LATER: MenuItem<MenuChoice> = { value: 'later', label: 'Later', detail: 'leave the question in the inbox' }
const TEXT_COLUMN = 18
/** The most entries that are shown of the facts of a question. */
const MOST_SHOWN = 6

/**
 * Asks a question below the output so far. It ends with a checked answer, when the person leaves or interrupts it, or
 * when `closed` is aborted: somebody else has answered, or the time is up.
 */
export function askAtTerminal(console: Console, screen: Screen, open: OpenQuestion, closed: AbortSignal): Promise<PromptResult> {
  const { keyboard } = console.world
  if (keyboard === undefined || closed.aborted) return Promise.resolve({ over: true })
  return new Promise((resolve) => {
    let stage = firstStage(open)
    const draw = (): readonly string[] => drawQuestion(console, open, stage)
    const close = keyboard((key) => {
      const step = key.ctrl && key.name === 'c' ? ({ interrupted: true } as const) : pressKey(open, stage, key)
      if ('stage' in step) {
        stage = step.stage
        screen.refresh()
      } else finish(step)
    })
    const ended = (): void => finish({ over: true })
    const finish = (answered: PromptResult): void => {
      closed.removeEventListener('abort', ended)
      close()
      screen.removeBlock()
      console.world.err.write(SHOW_CURSOR)
      resolve(answered)
    }
    closed.addEventListener('abort', ended)
    console.world.err.write(HIDE_CURSOR)
    screen.showBlock(draw)
    screen.refresh()
  })
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'

function firstStage(open: OpenQuestion): PromptStage {
  const { options = [], schema } = open.question
  if (options.length === 0) return { line: { before: '', after: '' } }
  const items: MenuItem<MenuChoice>[] = options.map(({ value, label, detail, key }) => ({
    value: { value },
    label: label ?? value,
    detail,
    key,
  }))
  if (schema !== undefined) items.push({ value: 'type', label: 'Other', detail: 'type another answer' })
  if (!items.some(({ label }) => label.toLowerCase() === 'later')) items.push(LATER)
  return { menu: { items, selected: 0 } }
}

function pressKey(open: OpenQuestion, stage: PromptStage, key: Key): { readonly stage: PromptStage } | PromptResult {
  if ('menu' in stage) {
    const step = pressMenu(stage.menu, key)
    if ('menu' in step) return { stage: step }
    if ('left' in step || step.chosen === 'later') return { left: true }
    if (step.chosen === 'type') return { stage: { line: { before: '', after: '' } } }
    return acceptAnswer(open, step.chosen.value, stage)
  }
  const step = pressLine(stage.line, key)
  if ('line' in step) return { stage: step }
  return 'left' in step ? step : acceptAnswer(open, step.entered, stage)
}

function acceptAnswer(open: OpenQuestion, value: Json, stage: PromptStage): { readonly stage: PromptStage } | PromptResult {
  if (value === '') return { stage: { ...stage, note: 'type at least one character' } }
  try {
    return { value: checkAnswer(open, value) }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { stage: { ...stage, note: thrown.message === '' ? describeFault(thrown) : thrown.message } }
  }
}

function drawQuestion(console: Console, open: OpenQuestion, stage: PromptStage): string[] {
  const { err: look } = console
  const { path, due } = open
  const question = open.question
  const [node = '', ...callers] = path.split('/').reverse()
  const by = due === undefined ? [] : [`due ${dueTime(due, console.now)}`]
  const column = look.isNarrow ? 4 : TEXT_COLUMN
  return [
    ...layoutRow(
      { depth: callers.length, mark: 'asks', node: open.asker === 'outcome' ? node || open.name : node, text: question.text, facts: by },
      look,
    ),
    ...aboutLines(question.about, look, column),
    ...('menu' in stage ? drawMenu(stage.menu, look, column) : drawLine(stage.line, look, column)),
    ...(stage.note === undefined ? [] : hangingLines(stage.note, look, column, (line) => look.paint('yellow', line))),
    ...hangingLines('menu' in stage ? '↑↓ enter' : 'enter to answer · esc to leave it in the inbox', look, column),
  ]
}

/** Returns the facts of a question, shortened. */
function aboutLines(about: Json | undefined, look: Look, column: number): string[] {
  if (typeof about === 'string') return hangingLines(about.slice(0, 300), look, column)
  if (!isObject(about)) return []
  const room = look.room - column
  const entries = Object.entries(about)
  const widest = Math.min(16, Math.max(0, ...entries.map(([key]) => countCells(key))))
  return entries.slice(0, MOST_SHOWN).flatMap(([key, value]) => {
    const limit = Math.max(16, room - widest - 10)
    return hangingLines(
      `${key.padEnd(widest)}  ${typeof value === 'string' && value.length <= limit ? value.trimEnd() : shortJson(value, limit)}`,
      look,
      column,
    )
  })
}

function drawMenu({ items, selected }: Menu<MenuChoice>, look: Look, column: number): string[] {
  const names = items.map((item) => look.text(keyedLabel(item, items)))
  const widest = Math.max(...names.map(countCells))
  return items.flatMap(({ detail }, i) => {
    const pointer = i === selected ? look.text('› ') : '  '
    const name = names[i] ?? ''
    const painted = i === selected ? look.paint('bold', name) : name
    const blank = ' '.repeat(widest - countCells(name))
    const lead = `${' '.repeat(column)}${look.paint('cyan', pointer)}${painted}`
    if (detail === undefined) return [lead]
    const room = look.room - column - 2 - widest - 3
    if (room >= countCells(look.text(detail))) return [`${lead}${blank}   ${look.paint('dim', look.text(detail))}`]
    return [lead, ...hangingLines(detail, look, column + 4)]
  })
}

/** Returns `[M] Merge`: the key of a choice stands before its label, if choices have keys. */
function keyedLabel<Value>({ key, label }: MenuItem<Value>, items: readonly MenuItem<Value>[]): string {
  const widest = Math.max(0, ...items.map((item) => (item.key === undefined ? 0 : countCells(item.key) + 3)))
  return widest === 0 ? label : `${(key === undefined ? '' : `[${key}]`).padEnd(widest)}${label}`
}

function drawLine({ before, after }: Line, look: Look, column: number): string[] {
  const room = Math.max(10, look.room - column - 4)
  const typed = look.text(before)
  const tail = look.text(after)
  // A line that is too long shows its end, where the text grows.
  const start = typed.length + tail.length <= room ? 0 : Math.max(0, typed.length - room + 4)
  const cut = `${start > 0 ? look.text('…') : ''}${typed.slice(start)}${look.text('▏')}${tail}`
  return [`${' '.repeat(column)}${look.paint('cyan', look.text('› '))}${cut.slice(0, room + 2)}`]
}
