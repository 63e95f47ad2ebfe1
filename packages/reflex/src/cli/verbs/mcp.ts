import { Readable, Writable } from 'node:stream'
import { work } from '../../app/worker.ts'
import { leaveAll, serveMcpStdio } from '../../serve/index.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'
import type { Interrupt, World } from '../world.ts'

/** The milliseconds that effects have to end when the client has gone. */
const GRACE = 5000

export interface McpFlags extends ContinueFlags {
  readonly grace?: string
  /** False after `--no-work`. */
  readonly work?: boolean
}

/** `reflex mcp`: serves programs as tools over standard input and output until the client has gone. Only the protocol is written to standard output. */
export async function mcp({ console, reflex }: Session, flags: McpFlags): Promise<number> {
  const { world } = console
  const grace = flags.grace === undefined ? GRACE : durationOf(flags.grace, '--grace')
  const restore = printsToError()
  try {
    const connection = await serveMcpStdio(reflex, {
      version: world.version,
      input: Readable.from(world.receive(), { objectMode: false }),
      output: sinkOf(world),
      onTrouble: (error) => console.report([`mcp  ${error.message}`]),
    })
    const stop = new AbortController()
    const worked = flags.work === false ? Promise.resolve() : work(reflex, { signal: stop.signal, grace })
    const interrupted = new Promise<Interrupt>((resolve) => void world.onInterrupt(resolve))
    const signal = await Promise.race([interrupted, connection.ended.then(() => undefined)])
    await connection.close()
    stop.abort()
    await worked
    await leaveAll(reflex, grace)
    return signal === undefined || signal === 'SIGTERM' ? EXIT.done : interruptCode(signal)
  } finally {
    restore()
  }
}

/** Writes to standard output, as fast as the client reads. */
function sinkOf(world: World): Writable {
  const send = async (text: string, sent: (error?: Error) => void): Promise<void> => {
    try {
      sent((await world.send(text)) ? undefined : new Error('the client no longer reads'))
    } catch (thrown) {
      sent(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }
  return new Writable({ decodeStrings: false, write: (text, _, sent) => void send(String(text), sent) })
}

/** Sends what modules of tools print to standard error: it would break the protocol. Returns a function that ends it. */
function printsToError(): () => void {
  const kept = { ...globalThis.console }
  const error = (...words: unknown[]): void => kept.error(...words)
  Object.assign(globalThis.console, { log: error, info: error, debug: error, dir: error, table: error })
  return () => void Object.assign(globalThis.console, kept)
}
