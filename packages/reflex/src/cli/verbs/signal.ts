import { isFault, type Json } from '../../kernel/index.ts'
import { brief } from '../../text/index.ts'
import { conduct } from '../conduct.ts'
import { plain } from '../run-document.ts'
import { EXIT } from '../exit.ts'
import { readAnswer } from '../grammar.ts'
import { factLine, way } from '../layout.ts'
import type { CarryFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface SignalFlags extends CarryFlags {
  /** False after `--no-run`. */
  readonly run?: boolean
}

interface Signal {
  readonly run: string
  readonly topic: string
  readonly value: Json
}

/** `reflex signal RUN TOPIC [VALUE]`: sends a message that a run waits for now or later; then continues the run unless another process holds it. */
export async function signal(session: Session, [ref = '', topic = '', word]: readonly string[], flags: SignalFlags): Promise<number> {
  const { reflex, read } = session
  const { id } = await reflex.find(ref)
  const sent = { run: id, topic, value: word === undefined ? null : await readAnswer(word, read) }
  if (flags.run === false) return post(session, sent)
  try {
    return await conduct(session, flags, {
      open: (prepare) => reflex.resume(id, { prepare }),
      header: () => tell(session, sent, 'sent'),
      first: async (handle) => void (await handle.run.message(topic, sent.value, { by: reflex.actor })),
    })
  } catch (thrown) {
    if (!isFault(thrown) || thrown.code !== 'R5001') throw thrown
    return post(session, sent)
  }
}

async function post(session: Session, { run, topic, value }: Signal): Promise<number> {
  const { console, reflex } = session
  await reflex.signal(run, topic, value, { run: false })
  if (console.shape !== 'text') console.document(plain({ v: 1, run, signal: { topic, value, by: reflex.actor }, inbox: true }))
  else tell(session, { run, topic, value }, 'in its inbox')
  if (console.shape === 'text' && !console.quiet) console.tell([way(console.err, 'go on', console.command('resume', run))])
  return EXIT.done
}

function tell({ console, reflex }: Session, { run, topic, value }: Signal, where: string): void {
  if (console.shape !== 'text' || console.quiet) return
  const name = console.err.text(`${run} ${topic}`)
  console.tell(factLine(name, name, [`${brief(value)}, by ${reflex.actor}, ${where}`], console.err))
}
