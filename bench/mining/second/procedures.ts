import type { Json, JsonObject } from '../../../packages/reflex/src/kernel/index.ts'
import { chance, type Draw, oneOf, upTo } from './draw.ts'

/** The source of one argument of a call. */
export type Flow = 'fixed' | 'typed' | 'earlier' | 'free' | 'prose' | 'secret'

/** One argument: its path in the arguments, where its value comes from, and for an earlier result, of which call. */
export interface Argument {
  readonly path: readonly string[]
  readonly flow: Flow
  readonly value: string
  readonly of: number
}

/** One call of a procedure. */
export interface Operation {
  readonly tool: string
  readonly args: readonly Argument[]
}

/** Why a procedure must not be found; undefined for one that must. */
export type Trap = 'unreliable' | 'batched' | 'tandem' | 'written' | 'secret'

/** A sequence of calls that agents of the log follow. */
export interface Procedure {
  readonly name: string
  readonly operations: readonly Operation[]
  readonly trap?: Trap
  /** Its share of the choices, relative to the weights of the others. */
  readonly weight: number
}

const DOMAINS = ['crm', 'ledger', 'wiki', 'build', 'ship', 'desk', 'auth', 'feed'] as const
const ACTS = ['read', 'search', 'attach', 'assign', 'close', 'merge', 'charge', 'notify', 'move', 'verify', 'label', 'fetch'] as const
const TRAPS: readonly (readonly [Trap, number])[] = [
  ['unreliable', 4],
  ['batched', 3],
  ['tandem', 3],
  ['written', 2],
  ['secret', 1],
]

/** Returns twelve procedures of 3 to 7 calls, and thirteen traps (reference skill 4.3). */
export function procedures(draw: Draw): Procedure[] {
  const all: Procedure[] = []
  for (let i = 0; i < 12; i++)
    all.push({ name: `real ${i}`, operations: operations(draw, `r${i}`, 3 + upTo(draw, 5)), weight: 1 + upTo(draw, 3) })
  for (const [trap, count] of TRAPS)
    for (let i = 0; i < count; i++) {
      const made = operations(draw, `${trap}${i}`, trap === 'tandem' ? 2 : 3 + upTo(draw, 2))
      all.push({
        name: `${trap} ${i}`,
        trap,
        weight: 2,
        operations: trap === 'tandem' ? [...made, ...made, ...made] : extended(made, trap),
      })
    }
  return all
}

/** Gives the second call of a trap the argument that makes it one. */
function extended(made: readonly Operation[], trap: Trap): readonly Operation[] {
  if (trap !== 'written' && trap !== 'secret') return made
  const argument: Argument = { path: ['content'], flow: trap === 'written' ? 'prose' : 'secret', value: '', of: 0 }
  return made.map((one, i) => (i === 1 ? { ...one, args: [...one.args, argument] } : one))
}

function operations(draw: Draw, prefix: string, count: number): readonly Operation[] {
  const domain = oneOf(draw, DOMAINS)
  return Array.from(
    { length: count },
    (_, i): Operation => ({ tool: `${domain}.${prefix}.${oneOf(draw, ACTS)}_${i}`, args: args(draw, i) }),
  )
}

/** The first call takes what the user typed; later ones take it, what an earlier call returned, or something fixed or free. */
function args(draw: Draw, at: number): readonly Argument[] {
  const made: Argument[] = [{ path: ['options', 'mode'], flow: 'fixed', value: oneOf(draw, ['safe', 'fast', 'full']), of: 0 }]
  if (at === 0) made.push({ path: ['subject'], flow: 'typed', value: '', of: 0 })
  else if (chance(draw, 0.75)) made.push({ path: ['target', 'id'], flow: 'earlier', value: '', of: upTo(draw, at) })
  else made.push({ path: ['about'], flow: 'typed', value: '', of: 0 })
  if (chance(draw, 0.25)) made.push({ path: ['tier'], flow: 'free', value: '', of: 0 })
  return made
}

/** The values of one occurrence. */
export interface Values {
  readonly typed: string
  /** The ids that its calls have returned. */
  readonly ids: readonly string[]
}

/** Returns the arguments of a call. */
export function argumentsOf({ args: list }: Operation, values: Values, draw: Draw): JsonObject {
  const made: Record<string, Json> = {}
  for (const argument of list) {
    const [first = '', second] = argument.path
    const value = valueOf(argument, values, draw)
    made[first] = second === undefined ? value : { ...(made[first] as JsonObject | undefined), [second]: value }
  }
  return made
}

function valueOf({ flow, value, of }: Argument, { typed, ids }: Values, draw: Draw): Json {
  switch (flow) {
    case 'fixed':
      return value
    case 'typed':
      return typed
    case 'earlier':
      return ids[of] ?? ''
    case 'free':
      return oneOf(draw, [1, 2, 3, 5, 8])
    case 'prose':
      return Array.from({ length: 40 }, () => upTo(draw, 1e9).toString(36)).join(' ')
    default:
      return '‹secret 0f3a9c51›'
  }
}
