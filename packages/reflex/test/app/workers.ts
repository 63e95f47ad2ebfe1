import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Kind, Port, Program, Store } from '../../src/kernel/index.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore, openStore } from '../../src/store/index.ts'
import type { VirtualHost } from '../../src/testing/index.ts'
import type { WorkerEvent } from '../../src/app/options.ts'
import { type LoopOptions, work } from '../../src/app/worker.ts'
import { kindOf, type Step } from '../kernel/world.ts'
import { newFolder } from './folders.ts'

export const LEASE = 10_000

/** Opens what its source names, and is done with what it met once it has met as many. It skips each time of a timer with `every`. */
const waits: Step = (x, input) => {
  const source = x.def as { topics?: []; questions?: []; times?: []; many?: number; every?: number }
  const { topics = [], questions = [], times = [], many = 1, every } = source
  if (input === undefined) {
    if (every !== undefined) x.wait('timer', 'often', { every })
    for (const topic of topics) x.wait('message', topic)
    for (const question of questions) x.wait('answer', question)
    for (const time of times) x.timer(time, 'a time')
    return
  }
  if (input[0] === 'timer' && every !== undefined) return x.skip()
  const met = [...((x.get('met') ?? []) as string[]), `${input[0]} ${typeof input[1] === 'string' ? input[1] : ''}`]
  x.set('met', met)
  if (met.length >= many) x.done(met)
}

/** Has one effect of the port that its source names. */
const acts: Step = (x, input) => {
  if (input === undefined) x.request((x.def as { port: string }).port)
  else if (input[0] === 'ok') x.done(input[2])
  else if (input[0] !== 'answer') x.fail({ code: 'X1', message: input[0], verdict: 'fail' })
}

const KINDS: readonly Kind[] = [kindOf('waits', waits), kindOf('acts', acts)]

/** A store that can be cut off, as a process that is stopped, or a database that is gone, is cut off from it. */
export class Cable {
  cut = false
  /** Programs that cannot be found. */
  lost = false
  /** The runs that are due, in place of the answer of the store. */
  due: Store['due'] | undefined
  readonly store: Store

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, name: keyof Store) => {
        const member = target[name]
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          if (this.cut && name !== 'close') throw new Error('the cable is cut')
          if (this.lost && name === 'program') return undefined
          if (this.due !== undefined && name === 'due') return this.due(given[0] as number)
          return (member as (...given: unknown[]) => unknown).apply(target, given)
        }
      },
    })
  }
}

/** One process over a place. */
export interface Life {
  readonly reflex: Reflex
  readonly cable: Cable
  readonly program: (kind: 'waits' | 'acts', source: object) => Program
  /** Begins to work; what it tells is collected. */
  readonly works: (options?: Omit<LoopOptions, 'told'>) => Working
}

export interface Working {
  readonly events: WorkerEvent[]
  /** What was done, in words: `left otter completed`. */
  readonly words: () => string[]
  readonly stop: () => Promise<void>
  readonly ended: Promise<void>
}

/** A place for runs, which processes open. */
export interface Place {
  readonly folder: string
  /** `pid`: the number of a process that lives, where others must not take it for dead. */
  live(host: VirtualHost, ports?: Readonly<Record<string, Port>>, pid?: number): Life
}

let lives = 0

export const PLACES: readonly (readonly [string, () => Place])[] = [
  [
    'in memory',
    () => {
      const store = memoryStore()
      return placeOf(() => store)
    },
  ],
  ['in SQLite', () => placeOf((folder) => openStore(join(folder, 'reflex.db')))],
]

function placeOf(open: (folder: string) => Store): Place {
  const folder = newFolder()
  return { folder, live: (host, ports = {}, pid = 2 ** 22 + ++lives) => lifeOf(folder, new Cable(open(folder)), host, ports, pid) }
}

function lifeOf(workdir: string, cable: Cable, host: VirtualHost, ports: Readonly<Record<string, Port>>, pid: number): Life {
  const reflex = new Reflex({
    workdir,
    store: cable.store,
    leaseMs: LEASE,
    surroundings: { host, worker: { id: `life ${pid} ${++lives}`, host: 'test', pid }, cwd: workdir, environment: {}, actor: 'ana' },
  })
  for (const kind of KINDS) reflex.runtime.programs.addKind(kind)
  for (const [name, port] of Object.entries(ports)) reflex.runtime.ports.set(name, port)
  onTestFinished(() => reflex.close())
  return {
    reflex,
    cable,
    program: (kind, source) => reflex.runtime.programs.add(kind, 'main', source as Parameters<typeof reflex.runtime.programs.add>[2]),
    works: (options = {}) => workingOf(reflex, options),
  }
}

function workingOf(reflex: Reflex, options: Omit<LoopOptions, 'told'>): Working {
  const control = new AbortController()
  const events: WorkerEvent[] = []
  const ended = work(reflex, { signal: control.signal, ...options, onEvent: (event) => void events.push(event) })
  const stop = async (): Promise<void> => {
    control.abort()
    await ended
  }
  onTestFinished(stop)
  return {
    events,
    ended,
    stop,
    words: () =>
      events.map((event) =>
        event.did === 'failed'
          ? `failed ${event.run ?? 'the store'} ${event.fault.code}`
          : event.did === 'took'
            ? `took ${event.run}`
            : `left ${event.run} ${event.status} ${event.records}`,
      ),
  }
}
