import { copyJson, type Json } from '../kernel/index.ts'
import type { Session } from './session.ts'

/** A line of a file of events: its value, or why it is none. */
export type EventLine = { readonly line: number } & ({ readonly body: Json } | { readonly wrong: string })

/** Reads events, one JSON value on each line, from a file or from standard input (`-`). Empty lines are passed over. */
export async function* eventLines({ console, read }: Session, name: string): AsyncGenerator<EventLine> {
  let [line, rest] = [0, '']
  const chunks = name === '-' ? textOf(console.world.receive()) : [await read(name)]
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines)
      if (text.trim() !== '') yield eventOf(text, ++line)
      else line++
  }
  if (rest.trim() !== '') yield eventOf(rest, line + 1)
}

async function* textOf(parts: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const part of parts) yield typeof part === 'string' ? part : decoder.decode(part, { stream: true })
}

function eventOf(text: string, line: number): EventLine {
  try {
    return { line, body: copyJson(JSON.parse(text), 'event') }
  } catch (thrown) {
    return { line, wrong: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
