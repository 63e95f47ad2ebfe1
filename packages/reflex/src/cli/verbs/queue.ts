import { type Cluster, clusterFaults, type QueueFacts, type QueueLimits, type QueueRate } from '../../store/index.ts'
import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { readDuration, shortDuration } from '../../agents/duration.ts'
import { quote, suggest } from '../../text/index.ts'
import { EXIT } from '../exit.ts'
import { factLine, table, tabSeparated } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface QueueFlags extends ContinueFlags {
  readonly slots?: string
  readonly tenantSlots?: string
  readonly share?: string
  readonly rate?: string
  readonly tenantRate?: string
}

const ACTIONS = ['list', 'set', 'pause', 'resume', 'remove', 'retry'] as const
/** The limits as people read them. */
const LIMITS = ['slots', 'tenant slots', 'share', 'rate', 'tenant rate'] as const
/** The word that removes a limit. */
const NONE = 'none'

/**
 * `reflex queue`: lists the queues of the cluster of a store, sets their limits, pauses, resumes and removes them, and makes a stuck run due again.
 * Throws `R2031` for other words, `R5140`, `R5141`, `R5110` for a name or a limit that is not one and for a queue that
 * cannot be removed, and `R5106` for a queue to pause, resume or remove that does not exist.
 */
export async function queue(session: Session, words: readonly string[], flags: QueueFlags): Promise<number> {
  const [action = 'list', name] = words
  const known = ACTIONS.find((one) => one === action)
  if (known === undefined) {
    const message = `queue ${quote(action)} is not known; it is ${ACTIONS.join(', ')}`
    throw faults.make('R2031', message, { fix: `reflex queue ${suggest(action, ACTIONS) ?? 'list'}` })
  }
  if ((known === 'list') !== (name === undefined)) {
    const usage = known === 'list' ? 'queue list' : `queue ${known} ${known === 'retry' ? 'RUN' : 'NAME'}`
    throw faults.make('R2031', `write ${usage}`, { fix: `reflex ${usage}` })
  }
  const cluster = await session.reflex.cluster()
  if (name === undefined) return list(session, await cluster.queues())
  if (known === 'retry') return retry(session, cluster, name)
  if (known !== 'set') await session.reflex.requireQueue(name)
  if (known === 'remove') return remove(session, cluster, name)
  const isNew = known === 'set' && !(await cluster.queues()).some((one) => one.name === name)
  const limits = known === 'set' ? limitsOf(flags) : { paused: known === 'pause' }
  const facts = await cluster.setQueue(name, limits)
  return printQueue(session, isNew ? 'created' : known === 'set' ? 'set' : known === 'pause' ? 'paused' : 'resumed', facts)
}

async function remove({ console }: Session, cluster: Cluster, name: string): Promise<number> {
  await cluster.removeQueue(name)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, removed: name }))
  else if (!console.quiet) console.report([`removed  ${console.err.text(name)}`])
  return EXIT.done
}

async function retry(session: Session, cluster: Cluster, ref: string): Promise<number> {
  const { console, reflex } = session
  const { id } = await reflex.find(ref)
  if (!(await cluster.retry(id))) throw faults.make('R2031', `${id} is not stuck`, { run: id, fix: 'reflex doctor' })
  if (console.shape !== 'text') console.document(plainJson({ v: 1, retried: id }))
  else if (!console.quiet) console.report([`${console.err.text(id)} is due again`])
  return EXIT.done
}

/** Reads the limits that the flags name. Throws `R5110` for a value that is not one. */
function limitsOf({ slots, tenantSlots, share, rate, tenantRate }: QueueFlags): QueueLimits {
  return {
    ...(slots === undefined ? {} : { slots: limitOf('--slots', slots, countOf) }),
    ...(tenantSlots === undefined ? {} : { tenantSlots: limitOf('--tenant-slots', tenantSlots, countOf) }),
    ...(share === undefined ? {} : { share: limitOf('--share', share, shareOf) }),
    ...(rate === undefined ? {} : { rate: limitOf('--rate', rate, rateOf) }),
    ...(tenantRate === undefined ? {} : { tenantRate: limitOf('--tenant-rate', tenantRate, rateOf) }),
  }
}

function limitOf<Limit>(flag: string, word: string, read: (word: string) => Limit | undefined): Limit | null {
  if (word === NONE) return null
  const limit = read(word)
  if (limit !== undefined) return limit
  const example = { '--share': '0.8', '--rate': '100/1m', '--tenant-rate': '10/1m' }[flag] ?? '10'
  throw clusterFaults.make('R5110', `${flag} ${quote(word)} is not a limit`, { fix: `write ${flag} ${example}, or ${flag} ${NONE}` })
}

function countOf(word: string): number | undefined {
  const count = Number(word)
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

function shareOf(word: string): number | undefined {
  const share = Number(word)
  return share > 0 && share <= 1 ? share : undefined
}

function rateOf(word: string): QueueRate | undefined {
  const [count = '', period, ...more] = word.split('/')
  const [most, per] = [countOf(count), readDuration(period ?? '')]
  return most === undefined || per === undefined || more.length > 0 ? undefined : { most, per }
}

function list({ console }: Session, queues: readonly QueueFacts[]): number {
  if (console.shape === 'json') console.document(plainJson({ v: 1, queues: [...queues] }))
  else if (console.shape === 'jsonl') for (const one of queues) console.document(plainJson({ v: 1, queue: one }))
  else if (!console.out.terminal) console.world.out.write(tabSeparated(queues.map(rowOf)))
  else console.print(table(['queue', ...LIMITS, 'waiting', 'admitted', 'begun'], queues.map(rowOf), console.out))
  return EXIT.done
}

function rowOf(facts: QueueFacts): string[] {
  const { name, paused, waiting, admitted, begun } = facts
  return [paused ? `${name} paused` : name, ...limitsIn(facts), ...[waiting, admitted, begun].map(String)]
}

/** Returns the limits in the order of `LIMITS`. */
function limitsIn({ slots, tenantSlots, share, rate, tenantRate }: QueueFacts): string[] {
  return [slots, tenantSlots, share, rateText(rate), rateText(tenantRate)].map((limit) => (limit === null ? NONE : String(limit)))
}

function rateText(rate: QueueRate | null): string | null {
  return rate === null ? null : `${rate.most}/${shortDuration(rate.per)}`
}

function printQueue({ console }: Session, did: string, facts: QueueFacts): number {
  if (console.shape !== 'text') console.document(plainJson({ v: 1, queue: facts }))
  else if (!console.quiet) {
    const lead = `${did}  ${console.err.text(facts.paused ? `${facts.name} paused` : facts.name)}`
    const limits = limitsIn(facts)
    console.report(
      factLine(
        lead,
        lead,
        LIMITS.map((name, i) => `${name} ${limits[i]}`),
        console.err,
      ),
    )
  }
  return EXIT.done
}
