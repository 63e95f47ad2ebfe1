import { type Host, type Json, type Rec, type Store, systemHost } from '../../src/kernel/index.ts'
import { thisProcess } from '../../src/app/host.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { work } from '../../src/app/worker.ts'

export interface GraphCrowdOptions {
  readonly workdir: string
  readonly open: () => Store
  readonly runs: number
  /** The number of ticks that each run gets from its timer before it gets an event of its own. */
  readonly times: number
  /** Milliseconds between two ticks. The runs begin one after the other within the first of these. */
  readonly between: number
  readonly host?: Host
}

/** How late each tick was in milliseconds, sorted, and the runs that missed a tick or the event. */
export interface GraphCrowdResult {
  readonly delays: readonly number[]
  readonly wrong: readonly string[]
}

const NUMBER = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false }
const parts = (id: string): { readonly id: string; readonly version: string } => ({ id, version: '1.0.0' })

/** Counts its events, whatever they are. */
const COUNTS: Json = {
  format: 'reflex-dataflow-1',
  graph: {
    kind: 'cluster',
    ...parts('crowd'),
    nodes: {
      n: { impl: 'context_number_source@^0.1', params: { key: 'n' } },
      one: { impl: 'number_source@^0.1', params: { value: 1 } },
      next: { impl: 'add@^0.1' },
      always: { impl: 'const_bool@^0.1', params: { value: true } },
      each: { impl: 'emit_if_true@^0.1' },
      save: { impl: 'context_set_number@^0.1', params: { key: 'n' } },
    },
    edges: [
      'n.value -> next.a',
      'one.value -> next.b',
      'always.value -> each.input',
      'each.event -> save.event',
      'next.result -> save.value',
    ],
    outputs: { saved: 'save.outcome' },
  },
  adapter: {
    kind: 'adapter',
    ...parts('crowd'),
    runtime_compatibility: '0.1.0',
    context_keys: [{ name: 'n', type: 'Number', required: false, writable: true }],
    event_kinds: ['tick', 'press'].map((name) => ({ name, payload_schema: NUMBER })),
    accepts: { effects: [{ name: 'set_context', payload_schema: NUMBER }] },
    capture: { format_version: '1', fields: ['event.tick', 'event.press'] },
  },
}

/**
 * Lets a worker share its time among graphs that each get events from a timer; then each gets an event from outside, while the worker goes on,
 * and the message that no further one follows.
 */
export async function graphCrowd({ workdir, open, runs, times, between, host = systemHost }: GraphCrowdOptions): Promise<GraphCrowdResult> {
  const reflex = new Reflex({ workdir, store: open(), surroundings: { ...thisProcess(), host } })
  await reflex.runtime.programs.load('dataflow')
  const program = reflex.runtime.programs.add('dataflow', 'crowd', COUNTS)
  const names = Array.from({ length: runs }, (_, i) => `graph-${i}`)
  const args = { _stays: true, _live: true, _sources: [{ from: 'timer', name: 'timer', every: between, semantic_kind: 'tick' }] }
  for (const id of names) {
    const run = await reflex.runtime.start(program, { id, args })
    await run.idle()
    await run.leave()
  }
  const stop = new AbortController()
  const working = work(reflex, { signal: stop.signal })
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void host.at(host.now() + ms, resolve))
  // All ticks, the last ones late by half of the time between two.
  await pause(between * (times + 0.5))
  for (const id of names) {
    await reflex.signal(id, 'event', { event_id: 'p1', semantic_kind: 'press', payload: {} }, { run: false })
    await reflex.signal(id, 'event', null, { run: false })
  }
  const isOver = async (): Promise<boolean> =>
    (await reflex.store.runs({ status: ['running', 'suspended'], prefix: 'graph-', limit: 1 })).length === 0
  for (let looks = 240; looks > 0 && !(await isOver()); looks--) await pause(500)
  stop.abort()
  await working
  const delays: number[] = []
  const wrong: string[] = []
  for (const id of names) {
    const records = await reflex.runtime.journal(id)
    const late = delaysOf(records, between)
    delays.push(...late)
    const pressed = records.some(({ input }) => input?.[0] === 'messages' && JSON.stringify(input[2]).includes('"press"'))
    const end = records.at(-1)?.more?.return?.[0]
    if (late.length < times || !pressed || end !== 'done')
      wrong.push(`${id} had ${late.length} ticks, ${pressed ? 'its' : 'no'} event, and is ${end ?? 'open'}`)
  }
  await reflex.close()
  return { delays: delays.sort((a, b) => a - b), wrong }
}

/** The times of a timer are a fixed time apart. One that is met more than that late takes the place of those between. */
function delaysOf(records: readonly Rec[], between: number): number[] {
  const delays: number[] = []
  let now = 0
  let due = 0
  for (const { input, elapsed, more } of records) {
    now = more?.start?.at ?? now + elapsed
    if (more?.wait?.some(([type]) => type === 'timer')) due = now + between
    if (input?.[0] !== 'timer') continue
    delays.push(now - due)
    while (due <= now) due += between
  }
  return delays
}
