import { plainJson } from '../../protocol/plain.ts'
import { isFault, type Json } from '../../kernel/index.ts'
import { shortJson } from '../../text/index.ts'
import { driveRun } from '../drive-run.ts'
import { CLUSTER_CONTINUES, followHint } from '../ending.ts'
import { EXIT } from '../exit.ts'
import { readAnswer } from '../grammar.ts'
import { factLine, commandHint } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import { hasWorkers } from '../run-wait.ts'
import type { Session } from '../session.ts'

export interface SignalFlags extends ContinueFlags {
  /** False after `--no-run`. */
  readonly run?: boolean
}

interface Signal {
  readonly run: string
  readonly topic: string
  readonly value: Json
}

/**
 * `reflex signal RUN TOPIC [VALUE]`: sends a message that a run waits for now or later; then continues the run unless
 * another process owns it or a cluster continues it.
 */
export async function signal(session: Session, [ref = '', topic = '', word]: readonly string[], flags: SignalFlags): Promise<number> {
  const { reflex, read } = session
  const { id, program } = await reflex.find(ref)
  const sent = { run: id, topic, value: word === undefined ? null : await readAnswer(word, read) }
  if (!reflex.kinds.isHosted(program[1]) && (await hasWorkers(reflex))) return postSignal(session, sent, true)
  if (flags.run === false) return postSignal(session, sent)
  try {
    return await driveRun(session, flags, {
      open: (prepare) => reflex.resume(id, { prepare }),
      header: () => printSignal(session, sent, 'sent'),
      beforeContinue: async (handle) => void (await handle.run.message(topic, sent.value, { by: reflex.actor })),
    })
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R5001') throw thrown
    return postSignal(session, sent)
  }
}

async function postSignal(session: Session, { run, topic, value }: Signal, inCluster = false): Promise<number> {
  const { console, reflex } = session
  await reflex.signal(run, topic, value, { run: false })
  if (console.shape !== 'text') console.document(plainJson({ v: 1, run, signal: { topic, value, by: reflex.actor }, inbox: true }))
  else printSignal(session, { run, topic, value }, 'in its inbox', ...(inCluster ? [CLUSTER_CONTINUES] : []))
  const next = inCluster ? followHint(console, run) : commandHint(console.err, 'continue', console.command('resume', run))
  if (console.shape === 'text' && !console.quiet) console.report([next])
  return EXIT.done
}

function printSignal({ console, reflex }: Session, { run, topic, value }: Signal, where: string, ...rest: string[]): void {
  if (console.shape !== 'text' || console.quiet) return
  const name = console.err.text(`${run} ${topic}`)
  console.report(factLine(name, name, [`${shortJson(value)}, by ${reflex.actor}, ${where}`, ...rest], console.err))
}
