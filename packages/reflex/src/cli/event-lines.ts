import { copyJson, type FaultData, faultData, type Json } from '../kernel/index.ts'
import { readJson } from '../text/index.ts'
import type { Session } from './session.ts'

/** A line of a file of events: its value, or the fault of a line that is not JSON. */
export type EventLine = { readonly body: Json } | { readonly wrong: FaultData }

/** Throws `R1021` for a file of events that cannot be read, so that no run starts without its events. */
export async function requireEvents({ read }: Session, name: string | undefined): Promise<void> {
  if (name !== undefined && name !== '-') await read(name)
}

/** Reads events, one JSON value on each line, from a file or from standard input (`-`). Empty lines are passed over. */
export async function* eventLines({ console, read }: Session, name: string): AsyncGenerator<EventLine> {
  let [line, rest] = [0, '']
  const chunks = name === '-' ? textOf(console.world.receive()) : [await read(name)]
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines)
      if (text.trim() !== '') yield eventOf(text, name, ++line)
      else line++
  }
  if (rest.trim() !== '') yield eventOf(rest, name, line + 1)
}

async function* textOf(parts: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const part of parts) yield typeof part === 'string' ? part : decoder.decode(part, { stream: true })
}

function eventOf(text: string, file: string, line: number): EventLine {
  try {
    return { body: copyJson(JSON.parse(text), 'event') }
  } catch {
    const { value, findings } = readJson(text, file)
    const found = findings.find(({ severity }) => severity === 'error')
    if (found === undefined) return { body: value ?? null }
    // A code frame would number the line as if it were the first one.
    const { frame: _, ...wrong } = faultData(found)
    return { wrong: { ...wrong, severity: 'warning', message: `${wrong.message}; the line is left out`, file, line } }
  }
}
