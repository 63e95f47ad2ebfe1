import { plainJson, textOf } from '../../protocol/plain.ts'
import type { Cause } from '../../history/causes.ts'
import { drawingOfCause, placeOf } from '../../pictures/cause-picture.ts'
import type { Console } from '../console.ts'
import { jsonText } from '../escape.ts'
import { readPartAddress } from '../../runs/address.ts'
import { EXIT } from '../exit.ts'
import { fitValue } from '../fit-value.ts'
import { hangingLines, layoutText, tabSeparated, commandHint } from '../layout.ts'
import type { Look } from '../look.ts'
import type { Session } from '../session.ts'
import { image } from './graph.ts'

export interface WhyFlags {
  /** A file, or `-` for standard output. */
  readonly svg?: string
}

/**
 * `reflex why RUN NODE|KEY|@N` and `reflex why RUN EPISODE [NODE]`: prints the causes of a value or a decision, backwards through the
 * journal. `node:` or `key:` precedes a name that both have. `RUN@N.M` is part M of record N. With `--svg` they are a picture.
 */
export async function why(
  { console, reflex }: Session,
  address: string,
  what: string | undefined,
  node: string | undefined,
  { svg }: WhyFlags,
): Promise<number> {
  const cause = await reflex.why(address, what, node)
  const { id, status } = await reflex.find(readPartAddress(address).ref)
  if (svg !== undefined) {
    const question = ['why', address, what, node].filter((word) => word !== undefined).join(' ')
    await image(console, drawingOfCause(question, { id, status }, cause), svg)
    return EXIT.done
  }
  if (console.shape !== 'text') console.document(plainJson({ v: 1, run: id, cause }))
  else if (console.out.terminal) console.print([...lines(console, cause, 0), ...otherNameHint(console, address, cause)])
  else console.world.out.write(tabSeparated(rows(cause, 0)))
  return EXIT.done
}

/** Returns the command for the other subject of the same name. */
function otherNameHint(console: Console, address: string, { also }: Cause): string[] {
  return also === undefined ? [] : [commandHint(console.out, 'the key', console.command('why', address, also))]
}

function rows(cause: Cause, depth: number): string[][] {
  const { what, name, text = '', value: found, by = '', because = '', again, from } = cause
  const row = [
    String(depth),
    placeOf(cause),
    what,
    name,
    found === undefined ? '' : jsonText(found),
    again === true ? 'shown above' : text,
    by,
    because,
  ]
  return [row, ...from.flatMap((inner) => rows(inner, depth + 1))]
}

/** The deepest level that is indented; deeper causes would have no room. */
const DEEPEST = 8

function lines(console: Console, cause: Cause, depth: number): string[] {
  const { out } = console
  const indent = '  '.repeat(Math.min(depth, DEEPEST))
  const { name, from } = cause
  const lead = `${indent}${out.text(name)}`
  const painted = `${indent}${depth === 0 ? out.paint('bold', out.text(name)) : out.text(name)}`
  const column = Math.max(lead.length + 2, indent.length + 12)
  const facts = [placeOf(cause)]
  const head = layoutText({ lead, painted, text: causeText(cause, column, out), facts, column }, out)
  const repeated = from.filter(({ again }) => again === true)
  return [
    ...head,
    ...notes(console, cause, indent.length + 4),
    ...from.filter(({ again }) => again !== true).flatMap((inner) => lines(console, inner, depth + 1)),
    ...repeatedCauses(repeated, depth + 1, out),
  ]
}

/**
 * Returns one line for all causes that are shown above: a stage of a pipeline may read the results of every stage
 * before it.
 */
function repeatedCauses(repeated: readonly Cause[], depth: number, out: Look): string[] {
  if (repeated.length === 0) return []
  const indent = '  '.repeat(Math.min(depth, DEEPEST))
  const lead = `${indent}shown above`
  const text = repeated.map((cause) => `${cause.name}\u00a0${placeOf(cause)}`).join(', ')
  return layoutText({ lead, painted: `${indent}${out.paint('dim', 'shown above')}`, text, column: indent.length + 12 }, out)
}

function causeText({ what, value: found, text = '', by, failed }: Cause, column: number, out: Look): string {
  if (what === 'decision') return [`→ ${textOf(found)}`, ...(by === undefined ? [] : [`by ${by}`])].join(', ')
  const how = [failed === true ? `${out.mark('failed')} failed` : '', text, by === undefined ? '' : `by ${by}`].filter(
    (part) => part !== '',
  )
  const shown = found === undefined ? [] : [fitValue(found, column, ['@000', ...how], out)]
  return [...shown, ...how].join(', ')
}

/** Returns the reason of a decision, and the other edges that were open or closed. */
function notes({ out }: Console, { because, open = [], closed = [], what }: Cause, column: number): string[] {
  const reasons = because === undefined ? [] : [`“${because}”`]
  const openTexts = what !== 'decision' || open.length === 0 ? [] : [`also open: ${open.join(', ')}`]
  const closedTexts = closed.map(({ way, why: reason }) => `closed: ${way}, ${reason}`)
  return [...reasons, ...openTexts, ...closedTexts].flatMap((text) => hangingLines(text, out, column, (line) => line))
}
