import { isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { claimOnce, startWithKey } from '../starts.ts'
import type { ServeWorld } from '../world.ts'
import { type Hook, placeOf } from './config.ts'
import { valueAtPointer } from './pointer.ts'

/** The ledger of runs by the value that deliveries name them by. */
const KEYS = 'serve.keys'

/** A delivery with a valid signature. */
export interface Delivery {
  /** The name of the hook. */
  readonly hook: string
  readonly id: string
  readonly payload: Json
}

/** The result of a delivery. */
export type DeliveryResult =
  | { readonly did: 'started' | 'sent'; readonly run: string; readonly repeated: boolean }
  /** The payload has other values than the hook takes. */
  | { readonly did: 'ignored' }

/**
 * Does what a hook declares, once for each id of a delivery: a delivery that is repeated, also after a crash, returns what the first one did.
 * Throws `R6009` for an id with another payload, `R6054` for a payload without a value that the hook needs, `R6055` if no run has its key.
 */
export async function takeDelivery(world: ServeWorld, hook: Hook, delivery: Delivery): Promise<DeliveryResult> {
  const { payload } = delivery
  for (const [pointer, values] of Object.entries(hook.when))
    if (!values.some((value) => isSame(valueAtPointer(payload, pointer), value))) return { did: 'ignored' }
  return hook.start === undefined ? sendMessage(world, hook, delivery) : startRun(world, hook.start, delivery)
}

async function startRun(world: ServeWorld, start: NonNullable<Hook['start']>, delivery: Delivery): Promise<DeliveryResult> {
  const { reflex, feeds } = world
  const { payload } = delivery
  const input: JsonObject = {
    ...start.values,
    ...Object.fromEntries(Object.entries(start.input).map(([name, pointer]) => [name, needed(payload, pointer, name)])),
  }
  const key = start.key === undefined ? undefined : keyOf(start.program, payload, start.key)
  const program = await reflex.library.named(start.program, reflex.workdir)
  const request = { principal: actorOf(delivery), key: delivery.id, body: payload, id: undefined }
  const started = await startWithKey(reflex, request, async (id) => {
    if (key !== undefined) await reflex.store.appendAll(KEYS, `${id}:key`, [{ name: key, value: id }], reflex.host.now())
    return reflex.start(program, { id, input, outside: true, trust: start.trust, by: actorOf(delivery), ...placeOf(start) })
  })
  if ('run' in started) return { did: 'started', run: started.run, repeated: true }
  const run = started.handle.id
  feeds.wake(run)
  world.metrics.starts.add(1, { by: 'hook' })
  return { did: 'started', run, repeated: false }
}

async function sendMessage(world: ServeWorld, { send }: Hook, delivery: Delivery): Promise<DeliveryResult> {
  if (send === undefined) return { did: 'ignored' }
  const { reflex, feeds } = world
  const { payload } = delivery
  const value = needed(payload, send.value, 'value')
  const wanted = await runOf(world, send, payload)
  const { run, isFirst } = await claim(world, delivery, wanted)
  const message = `${actorOf(delivery)}/${delivery.id}`
  await reflex.signal(run, send.topic, value, { by: actorOf(delivery), run: false, id: message, outside: true })
  feeds.wake(run)
  return { did: 'sent', run, repeated: !isFirst }
}

/** Returns the run that the first delivery of this id is for. */
async function claim({ reflex }: ServeWorld, delivery: Delivery, wanted: string): Promise<{ run: string; isFirst: boolean }> {
  const { id, payload } = delivery
  const mark = reflex.host.entropy()
  const kept = await claimOnce(reflex, { principal: actorOf(delivery), key: id, body: payload, value: { run: wanted, mark } })
  return { run: typeof kept.run === 'string' ? kept.run : '', isFirst: kept.mark === mark }
}

/** Returns the run that a payload names, by itself or by the key with which an earlier delivery started it. */
async function runOf({ reflex }: ServeWorld, send: NonNullable<Hook['send']>, payload: Json): Promise<string> {
  if (send.run !== undefined) {
    const run = needed(payload, send.run, 'run')
    const row = typeof run === 'string' ? (await reflex.store.read(run, 0))?.row : undefined
    if (row === undefined) throw serveFaults.make('R6055', `there is no run ${JSON.stringify(run).slice(0, 200)}`)
    return row.id
  }
  const key = keyOf(send.program ?? '', payload, send.key ?? '')
  const [entry] = (await reflex.store.latest(KEYS, [key])).entries
  if (typeof entry?.value !== 'string') throw serveFaults.make('R6055', `no delivery has started a run for ${key}`)
  return entry.value
}

/** The names of a ledger are texts of at most 500 characters. */
function keyOf(program: string, payload: Json, pointer: string): string {
  const value = needed(payload, pointer, 'key')
  const text = isObject(value) || isList(value) ? undefined : JSON.stringify(value)
  if (text !== undefined && text.length + program.length < 500 && text.isWellFormed()) return `${program} ${text}`
  throw serveFaults.make('R6054', `the value at ${pointer} cannot name a run: it is not a short text or a number`)
}

function needed(payload: Json, pointer: string, name: string): Json {
  const value = valueAtPointer(payload, pointer)
  if (value === undefined)
    throw serveFaults.make('R6054', `the payload has nothing at ${pointer}, which is needed for ${name}`, { path: pointer })
  return value
}

function actorOf({ hook }: Delivery): string {
  return `hook/${hook}`
}

function isSame(found: Json | undefined, wanted: Json): boolean {
  return found !== undefined && JSON.stringify(found) === JSON.stringify(wanted)
}
