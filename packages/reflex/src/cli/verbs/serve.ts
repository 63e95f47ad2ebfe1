import { resolve } from 'node:path'
import { readTokens, readTriggers, startServer } from '../../serve/index.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faultData } from '../../kernel/index.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT, interruptCode } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import type { ContinueFlags } from '../options.ts'
import { plainLine } from '../progress.ts'
import type { Session } from '../session.ts'
import type { Interrupt } from '../world.ts'

export interface ServeFlags extends ContinueFlags {
  readonly bind?: string
  readonly port?: string
  readonly hostName?: readonly string[]
  readonly tokens?: string
  readonly triggers?: string
  readonly grace?: string
  readonly maxBody?: string
  readonly rate?: string
  readonly streams?: string
  /** False after `--no-work`. */
  readonly work?: boolean
}

/** `reflex serve`: answers requests over HTTP and continues runs that are due, until it is stopped. */
export async function serve({ console, reflex }: Session, flags: ServeFlags): Promise<number> {
  const { cwd, environment } = console.world.surroundings
  const { bind, hostName, tokens, grace, work } = flags
  const numbers = { port: flags.port, maxBody: flags.maxBody, rate: flags.rate, maxStreams: flags.streams }
  const triggers = flags.triggers === undefined ? undefined : resolve(cwd, flags.triggers)
  // It starts programs and sends data elsewhere, which a run must not arrange.
  if (triggers !== undefined) await reflex.library.rejectWritten(triggers)
  const server = await startServer(reflex, {
    version: console.world.version,
    ...(bind === undefined ? {} : { bind }),
    ...(hostName === undefined ? {} : { names: hostName }),
    // A token that is printed at each start would be an operator's in the log of every node.
    ...(tokens === undefined ? {} : { tokens: readTokens(resolve(cwd, tokens)), ownToken: false }),
    ...(triggers === undefined ? {} : { triggers: readTriggers(triggers, environment) }),
    ...(grace === undefined ? {} : { grace: durationOf(grace, '--grace') }),
    ...(work === undefined ? {} : { work }),
    ...Object.fromEntries(Object.entries(numbers).flatMap(([name, word]) => (word === undefined ? [] : [[name, countOf(name, word)]]))),
    onTrouble: (fault) => console.report(console.fault(faultData(fault))),
    onWork: (event) => {
      if (event.did === 'failed' && event.fault.verdict !== 'wait') console.report(console.fault(event.fault))
    },
  })
  const { url, token } = server
  if (console.shape === 'text') {
    plainLine(console, console.now, 'serves', `${reflex.store.name} at ${url}`)
    console.print([token === '' ? `${url}/` : `${url}/#token=${token}`])
  } else console.document(plainJson({ v: 1, url, ...(token === '' ? {} : { token }) }))
  const signal = await new Promise<Interrupt>((stop) => void console.world.onInterrupt(stop))
  await server.stop()
  if (console.shape === 'text' && !console.quiet) plainLine(console, console.now, 'stops', url)
  return signal === 'SIGTERM' ? EXIT.done : interruptCode(signal)
}

function countOf(name: string, word: string): number {
  const count = Number(word)
  if (name === 'port' && count > 65_535) throw faults.make('R2031', `there is no port ${word}`, { fix: 'write a number from 0 to 65535' })
  if (/^\d+$/.test(word) && Number.isSafeInteger(count)) return count
  throw faults.make('R2031', `${name} ${JSON.stringify(word)} is not a whole number`, { fix: 'write a whole number' })
}
