import { textOf } from '../model/text-of.ts'
import {
  type Call,
  causeOf,
  type Fault,
  type FaultDetails,
  isFault,
  isList,
  isObject,
  type Json,
  type Port,
  type Repeat,
  type Traits,
} from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { didYouMean, suggest } from '../../../text/index.ts'
import type { RunStatus } from '../model/run-status.ts'
import { functionCapability } from '../model/function-capability.ts'
import { faults } from '../model/faults.ts'
import type { ContractSource } from '../model/source.ts'
import { CALLBACK } from '../nodes/conditions.ts'
import type { CodeResult, CodeWrite } from '../nodes/run-code.ts'
import { codeArgs, codeReader } from './code-reader.ts'

/** The blackboard of a function: it reads what the tree had when the function was called, and its writes count once it has answered. */
export interface FunctionBoard {
  get(key: string): Json | undefined
  has(key: string): boolean
  set(key: string, value: unknown): void
  setGlobal(key: string, value: unknown): void
  delete(key: string): void
}

/** What a function of a host is called with. */
export interface FunctionContext {
  readonly blackboard: FunctionBoard
  /** The event that caused the tick. */
  readonly event: Json | undefined
  readonly nodeId: string
  /** Its id behind the ids of the references to its tree: `research/plan`. */
  readonly nodePath: string
  readonly runId: string
  /** The same for the same call after a crash: pass it on to what must not happen twice. */
  readonly key: string
  /** Aborted when the node is halted. */
  readonly signal: AbortSignal
  readonly services: object
  /** Reports progress, so that the node is not taken for stuck. The node is RUNNING from then on. */
  markProgress(): void
}

/** The answer of a function: a status, true or false for a condition, or a status with its reason. */
export type FunctionAnswer =
  | RunStatus
  | boolean
  | { readonly status: RunStatus | Lowercase<RunStatus>; readonly reason?: string }
  | undefined
  | null

export type TreeFunction = (context: FunctionContext, args: Json) => FunctionAnswer | Promise<FunctionAnswer>

/** A function with what has to be known of it. */
export interface FunctionEntry {
  readonly run: TreeFunction
  /** True if it changes nothing outside: it may be called again after a crash, and waits for no disk. Default: false. */
  readonly reads?: boolean
  /** How it may be repeated after a crash with an unknown outcome. Default: ask, or free if it only reads. */
  readonly repeat?: Repeat
  /** The capabilities that the operator must grant. */
  readonly needs?: readonly string[]
  readonly contract?: ContractSource
}

/** The functions of a host by name, such as `deploy.rollback`. */
export type FunctionRegistry = Readonly<Record<string, TreeFunction | FunctionEntry>>

export function functionEntry(functions: FunctionRegistry, name: string): FunctionEntry | undefined {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined
  return typeof found === 'function' ? { run: found } : found
}

/** Returns the fault of a name that is no function: the nearest name, and up to ten that there are (E4003). */
export function unknownFunction(functions: FunctionRegistry, name: string, place: FaultDetails = {}): Fault {
  const names = Object.keys(functions)
  const hint = didYouMean(suggest(name, names))
  return faults.make('R1203', `there is no function ${name}${hint === undefined ? '' : `; ${hint}`}`, {
    rule: 'E4003',
    ...place,
    data: { fn_path: name, available_modules: names.slice(0, 10) },
  })
}

/** The number of turns of the microtask queue in which a promise may settle and still answer within the tick. */
const TURNS = 8

/** The port of functions of the host. Its arguments are `{ fn, args, as, scope }`, its result is a `CodeResult`, or a boolean of a condition. */
export function functionPort(functions: FunctionRegistry, services: object): Port<RunSettings> {
  return {
    leaves: true,
    repeat: 'ask',
    traits: (call) => traitsOf(nameOf(call), functionEntry(functions, nameOf(call))),
    async perform(call) {
      const started = startFunction(functions, services, call)
      // A function beside the operation of its node keeps no tick waiting.
      return started instanceof Promise && codeArgs(call).as !== CALLBACK ? settledOrRunning(call, started) : started
    },
    reject: rejected,
  }
}

/** What a function needs of the call that runs it. */
export type FunctionCall = Pick<Call<RunSettings>, 'run' | 'args' | 'key' | 'frame' | 'signal' | 'part'>

/** Calls a function. Returns its result, or the promise of it if the function returned one. */
export function startFunction(functions: FunctionRegistry, services: object, call: FunctionCall): Json | Promise<Json> {
  const entry = functionEntry(functions, nameOf(call))
  if (entry === undefined) throw unknownFunction(functions, nameOf(call))
  const writes: CodeWrite[] = []
  const answer = entry.run(contextOf(call, services, writes), codeArgs(call).args ?? null)
  if (!(answer instanceof Promise)) return resultOf(call, answer, writes)
  if (codeArgs(call).as === 'condition') throw asynchronous(nameOf(call), answer)
  return answer.then((settled) => resultOf(call, settled, writes))
}

/** Returns the fault of a function that has thrown. */
export function rejected(thrown: unknown, call: Pick<FunctionCall, 'args'>): Fault {
  return isFault(thrown) ? thrown : failed(nameOf(call), thrown)
}

function traitsOf(name: string, entry: FunctionEntry | undefined): Traits {
  const reads = entry?.reads === true
  return {
    leaves: !reads,
    repeat: entry?.repeat ?? (reads ? 'free' : 'ask'),
    needs: [functionCapability(name), ...(entry?.needs ?? [])],
  }
}

function nameOf(call: Pick<FunctionCall, 'args'>): string {
  return textOf(codeArgs(call).fn)
}

/** The failure of a function that has thrown: its own message, without which nobody could act on it. */
function failed(name: string, thrown: unknown): Fault {
  const cause = causeOf(thrown)
  return faults.make('R1254', `the function ${name} failed: ${typeof cause === 'string' ? cause : cause.message}`, { cause: thrown })
}

/** A condition never is RUNNING, so its function answers at once. */
function asynchronous(name: string, answer: Promise<unknown>): Fault {
  answer.catch(() => undefined)
  return answersAtOnce(name, 'returned a promise')
}

function answersAtOnce(name: string, did: string): Fault {
  return faults.make('R1254', `the function ${name} ${did}; a condition answers at once`, {
    fix: 'read the value in an action that writes it to the blackboard, and test the key',
  })
}

/** A promise that is not settled after a few turns makes the node RUNNING. */
async function settledOrRunning(call: Call<RunSettings>, answer: Promise<Json>): Promise<Json> {
  const PENDING = Symbol('pending')
  // A rejection is taken by the second await.
  answer.catch(() => undefined)
  for (let turn = 0; turn < TURNS; turn++) {
    const first = await Promise.race([
      answer.then(
        () => undefined,
        () => undefined,
      ),
      Promise.resolve(PENDING),
    ])
    if (first !== PENDING) return answer
  }
  call.part({ running: true })
  return answer
}

function contextOf(call: FunctionCall, services: object, writes: CodeWrite[]): FunctionContext {
  const stored = codeReader(call)
  const read = (key: string): Json | undefined => {
    const written = writes.findLast(([, of]) => of === key)
    return written !== undefined && written[0] !== 'delete' ? written[2] : stored(key)
  }
  const path = textOf(codeArgs(call).node)
  return {
    blackboard: {
      get: read,
      has: (key) => read(key) !== undefined,
      set: (key, value) => void writes.push(['set', key, value as Json]),
      setGlobal: (key, value) => void writes.push(['global', key, value as Json]),
      delete: (key) => void writes.push(['delete', key]),
    },
    event: stored('_event'),
    nodeId: path.slice(path.lastIndexOf('/') + 1),
    nodePath: path,
    runId: call.run,
    key: call.key,
    signal: call.signal,
    services,
    markProgress: () => call.part({ progress: true }),
  }
}

function resultOf(call: FunctionCall, answer: FunctionAnswer, writes: readonly CodeWrite[]): Json {
  const { as } = codeArgs(call)
  if (as === 'condition') return conditionResult(nameOf(call), answer)
  return { ...(as === CALLBACK ? {} : statusOf(answer)), ...(writes.length === 0 ? {} : { writes }) } as unknown as Json
}
/** Reads the answer of a condition: a status, or any value, which is true unless it is false or nothing. */
function conditionResult(name: string, answer: FunctionAnswer): boolean {
  const status = isObject(answer) && 'status' in answer ? answer.status : answer
  switch (typeof status === 'string' ? status.toUpperCase() : status) {
    case 'SUCCESS':
      return true
    case 'RUNNING':
      throw answersAtOnce(name, 'answered RUNNING')
    case 'FAILURE':
    case false:
    case null:
    case undefined:
      return false
    default:
      return true
  }
}

/** Only a status is an answer of an action: true, nothing or a number is a mistake, and a failure. */
function statusOf(answer: FunctionAnswer): CodeResult {
  const status = isObject(answer) && !isList(answer) ? answer.status : answer
  const reason = isObject(answer) && typeof answer.reason === 'string' ? { reason: answer.reason } : {}
  switch (typeof status === 'string' ? status.toUpperCase() : status) {
    case 'SUCCESS':
      return { status: 'success', ...reason }
    case 'FAILURE':
      return { status: 'failure', ...reason }
    case 'RUNNING':
      return { status: 'running' }
    default:
      return { status: 'failure', reason: `the function answered ${JSON.stringify(answer) ?? 'nothing'}, which is no status` }
  }
}
