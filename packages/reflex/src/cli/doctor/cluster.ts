import { type ClusterFacts, isCallQueue, type MissingFacts, type WorkerFacts } from '../../store/index.ts'
import { findCluster } from '../../app/cluster/open.ts'
import { counted } from '../../protocol/plain.ts'
import type { Console } from '../console.ts'
import { duration } from '../units.ts'
import type { Check } from './check.ts'
import { hasFlags, ownWords, sayWord } from './missing-words.ts'

/** The most lines about tenants, about runs that nobody can take, and about stuck runs. */
const MOST_LINES = 10
/** The most missing words of one run. */
const MOST_WORDS = 5

/** Checks the cluster of a store if it has one: its workers, what waits, what nobody can take, and what is stuck. Changes nothing. */
export async function clusterChecks({ now, world }: Console, address: string, storeName: string): Promise<Check[]> {
  const { host, clusters } = world.surroundings
  const cluster = await findCluster({ host, clusters, address, storeName })
  if (cluster === undefined) return []
  try {
    return checksOf(await cluster.facts(), now)
  } finally {
    await cluster.close()
  }
}

function checksOf(facts: ClusterFacts, now: number): Check[] {
  return [
    ...workerChecks(facts),
    ...secretChecks(facts),
    ...pausedChecks(facts),
    ...waitingChecks(facts, now),
    ...missingChecks(facts),
    ...crashingChecks(facts),
    ...retryingChecks(facts),
    ...stuckChecks(facts),
  ]
}

function workerChecks({ workers, queues }: ClusterFacts): Check[] {
  const alive = workers.filter(({ isAlive }) => isAlive)
  const waits = queues.some(({ waiting }) => waiting > 0)
  if (alive.length === 0)
    return [{ name: 'cluster', mark: waits ? 'warns' : 'skipped', text: 'no worker is alive', fix: 'reflex worker --cluster' }]
  return [...Map.groupBy(alive, ({ version }) => version)].map(([version, same]): Check => {
    const sum = (count: (worker: WorkerFacts) => number): number => same.reduce((all, worker) => all + count(worker), 0)
    const drained = same.filter(({ drains }) => drains).length
    const slots = `${sum(({ turns }) => turns)} of ${counted(
      sum((worker) => worker.slots),
      'slot',
    )} in use`
    const text = [`${counted(same.length, 'worker')} of version ${version}`, slots, ...(drained === 0 ? [] : [`${drained} draining`])]
    return { name: 'cluster', mark: 'done', text: text.join(' · ') }
  })
}

/** Names the workers that have another secret than most. */
function secretChecks({ workers }: ClusterFacts): Check[] {
  const known = workers.filter(({ isAlive, fingerprint }) => isAlive && fingerprint !== null)
  const [, ...others] = [...Map.groupBy(known, ({ fingerprint }) => fingerprint).values()].sort((a, b) => b.length - a.length)
  return others.map((same): Check => {
    const ids = same.slice(0, MOST_LINES).map(({ id }) => id)
    const more = same.length > ids.length ? ` and ${same.length - ids.length} more` : ''
    const fix = 'copy ~/.reflex/secret from one machine to all the others, and restart their workers'
    return { name: 'cluster', mark: 'warns', text: `R5111 the secret differs from that of most workers: ${ids.join(', ')}${more}`, fix }
  })
}

function pausedChecks({ queues }: ClusterFacts): Check[] {
  return queues.flatMap(({ name, paused, waiting }): Check[] =>
    paused
      ? [
          {
            name: 'queue',
            mark: 'warns',
            text: `${name} is paused; ${counted(waiting, isCallQueue(name) ? 'call' : 'turn')} waiting`,
            fix: `reflex queue resume ${name}`,
          },
        ]
      : [],
  )
}

function waitingChecks({ waiting }: ClusterFacts, now: number): Check[] {
  return waiting.slice(0, MOST_LINES).map(({ queue, tenant, waiting: count, oldest }): Check => {
    const whose = tenant === '' ? '' : ` of ${tenant}`
    return {
      name: 'queue',
      mark: 'done',
      text: `${queue}: ${counted(count, 'turn')}${whose} waiting, the oldest for ${duration(Math.max(0, now - oldest))}`,
    }
  })
}

/** Runs that no living worker can take. Without a living worker that is said once, above. */
function missingChecks({ missing, missingCount, workers }: ClusterFacts): Check[] {
  if (!workers.some(({ isAlive }) => isAlive)) return []
  return [...missing.slice(0, MOST_LINES).map(missingCheck), ...moreChecks('waits', missingCount, Math.min(missing.length, MOST_LINES))]
}

function missingCheck(missing: MissingFacts): Check {
  const { text, fix } = missingText(missing)
  return { name: 'waits', mark: 'warns', text: `${missing.run}: ${text}`, fix }
}

/** Returns why no living worker can take a run, and the commands or actions that add one. */
export function missingText({ lacks, needs, queue }: Pick<MissingFacts, 'lacks' | 'needs' | 'queue'>): {
  readonly text: string
  readonly fix: string
} {
  // A worker with only one of the two would not take the run.
  const start = ['reflex worker --cluster', `--queue ${queue}`, ...hasFlags(needs)].join(' ')
  if (lacks.length === 0) return { text: `no worker that has what it needs serves the queue ${queue}`, fix: start }
  const shown = lacks.slice(0, MOST_WORDS)
  const [flags, own] = [hasFlags(shown), ownWords(shown).map(sayWord)]
  const lacked = [
    ...(own.length === 0 ? [] : [`has ${own.map(({ text }) => text).join(', ')}`]),
    ...(flags.length === 0 ? [] : [`was started with ${flags.join(' ')}`]),
  ]
  const more = lacks.length > shown.length ? ` and ${counted(lacks.length - shown.length, 'more word')}` : ''
  const fixes = new Set([...own.map(({ fix }) => fix), ...(flags.length === 0 ? [] : [start])])
  return { text: `no worker ${lacked.join(' and ')}${more}`, fix: [...fixes].join('; ') }
}

/** A run that ends its workers. A supervisor restarts them, so nothing else shows it. */
function crashingChecks({ crashing, crashingCount }: ClusterFacts): Check[] {
  return [
    ...crashing.slice(0, MOST_LINES).map(({ run, crashes, worker }): Check => {
      const latest = worker === null ? '' : `; the latest is ${worker}`
      const text = `${run}: ${crashes} workers in a row died in its turn${latest}; after ten it is set aside`
      return { name: 'crashes', mark: 'warns', text, fix: `read the log of the worker; reflex trace ${run}` }
    }),
    ...moreChecks('crashes', crashingCount, Math.min(crashing.length, MOST_LINES)),
  ]
}

/** A run that waits for something to work again, such as a store of its tools: only its workers would report it. */
function retryingChecks({ retrying, retryingCount }: ClusterFacts): Check[] {
  return [
    ...retrying.slice(0, MOST_LINES).map(({ run, tries, fault }): Check => {
      const text = `${run}: ${tries} turns in a row had no result, and it is tried again: ${fault.code} ${fault.message}`
      return { name: 'retries', mark: 'warns', text, fix: fault.fix ?? `reflex trace ${run}` }
    }),
    ...moreChecks('retries', retryingCount, Math.min(retrying.length, MOST_LINES)),
  ]
}

function stuckChecks({ stuck, stuckCount }: ClusterFacts): Check[] {
  return [
    ...stuck.slice(0, MOST_LINES).map(({ run, fault }): Check => {
      return { name: 'stuck', mark: 'warns', text: `${run}: ${fault.code} ${fault.message}`, fix: `reflex queue retry ${run}` }
    }),
    ...moreChecks('stuck', stuckCount, Math.min(stuck.length, MOST_LINES)),
  ]
}

function moreChecks(name: string, count: number, shown: number): Check[] {
  return count > shown ? [{ name, mark: 'warns', text: `and ${counted(count - shown, 'more run')}` }] : []
}
