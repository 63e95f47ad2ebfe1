import type { Cause } from '../../history/causes.ts'
import type { Console } from '../console.ts'
import { plain } from '../documents.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { layoutText, tabbed } from '../layout.ts'
import type { Session } from '../session.ts'
import { textOf, value } from '../telling.ts'

/** `reflex why RUN NODE|KEY|@N`: back over the journal, from what is to what it came from. */
export async function why({ console, reflex }: Session, address: string, what: string): Promise<number> {
  const cause = await reflex.why(address, what)
  const { id } = await reflex.find(address.replace(/@\d+$/, ''))
  if (console.shape !== 'text') console.document(plain({ v: 1, run: id, cause }))
  else if (console.out.terminal) console.print(lines(console, cause, 0))
  else console.world.out.write(tabbed(rows(cause, 0)))
  return EXIT.done
}

function rows({ what, name, record, text = '', value: found, by = '', because = '', again, from }: Cause, depth: number): string[][] {
  const row = [
    String(depth),
    `@${record}`,
    what,
    name,
    found === undefined ? '' : jsonText(found),
    again === true ? 'told above' : text,
    by,
    because,
  ]
  return [row, ...from.flatMap((cause) => rows(cause, depth + 1))]
}

/** Deeper ones are further in, up to where a line has no room. */
const DEEPEST = 8

function lines(console: Console, cause: Cause, depth: number): string[] {
  const { out } = console
  const indent = '  '.repeat(Math.min(depth, DEEPEST))
  const { name, record, from } = cause
  const lead = `${indent}${out.text(name)}`
  const painted = `${indent}${depth === 0 ? out.paint('bold', out.text(name)) : out.text(name)}`
  const beside = layoutText(
    { lead, painted, text: saying(console, cause), facts: [`@${record}`], column: Math.max(lead.length + 2, indent.length + 12) },
    out,
  )
  return [...beside, ...notes(console, cause, `${indent}  `), ...from.flatMap((inner) => lines(console, inner, depth + 1))]
}

function saying({ out }: Console, { what, value: found, text, by, again }: Cause): string {
  const room = Math.max(16, Math.min(50, out.columns - 44))
  const shown = found === undefined ? '' : what === 'decision' ? `→ ${textOf(found)}` : value(found, room)
  const who = by === undefined ? '' : `by ${by}`
  const parts = [shown, what === 'decision' ? '' : (text ?? ''), who, again === true ? 'told above' : '']
  return parts
    .filter((part) => part !== '')
    .join(', ')
    .replace(/^→ ([^,]*), by /, '→ $1, by ')
}

/** What was said for it, and what else could have been. */
function notes({ out }: Console, { because, open = [], closed = [], again, what }: Cause, indent: string): string[] {
  if (again === true) return []
  const said = because === undefined ? [] : [`“${because}”`]
  const ways = what !== 'decision' || open.length === 0 ? [] : [`also open: ${open.join(', ')}`]
  const shut = closed.map(({ way, why: reason }) => `closed: ${way}, ${reason}`)
  return [...said, ...ways, ...shut].flatMap((text) => layoutText({ lead: indent, painted: indent, text, column: indent.length }, out))
}
