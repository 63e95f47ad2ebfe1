import { textOf } from '../model/text-of.ts'
import { type Call, type Fault, type FaultDetails, type Json, type Port, type Repeat, type Traits } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { didYouMean, suggest } from '../../../text/index.ts'
import { type FunctionAnswer, type FunctionBoard, type PureContext, type PureEntry, versionsOf } from '../compile/pure-functions.ts'
import { functionCapability } from '../model/function-capability.ts'
import { faults } from '../model/faults.ts'
import type { ContractSource } from '../model/source.ts'
import { CALLBACK } from '../nodes/conditions.ts'
import { codeArgs, codeReader } from './code-reader.ts'
import { answersAtOnce, functionFailed, functionResult } from './function-answers.ts'
import { stagedBoard } from './staged-board.ts'

export type { FunctionAnswer, FunctionBoard } from '../compile/pure-functions.ts'

/** What a function of a host is called with. */
export interface FunctionContext extends PureContext {
  readonly runId: string
  /** The same for the same call after a crash: pass it on to what must not happen twice. */
  readonly key: string
  /** Aborted when the node is halted. */
  readonly signal: AbortSignal
  readonly services: object
  /** Reports progress, so that the node is not taken for stuck. The node is RUNNING from then on. */
  markProgress(): void
}

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
export type FunctionRegistry = Readonly<Record<string, TreeFunction | FunctionEntry | PureEntry | readonly PureEntry[]>>

export function functionEntry(functions: FunctionRegistry, name: string): FunctionEntry | undefined {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (typeof found === 'function') return { run: found }
  if (found === undefined || 'run' in found) return found
  // Where a pure function is called as an effect, it is one that only reads.
  const current = versionsOf(found).at(-1)
  return current === undefined ? undefined : { run: current.pure, reads: true }
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
  const { args = null, as } = codeArgs(call)
  const name = nameOf(call)
  const { board, writes } = stagedBoard(codeReader(call))
  const answer = entry.run(contextOf(call, services, board), args)
  if (!(answer instanceof Promise)) return functionResult(name, as, answer, writes)
  if (as === 'condition') throw asynchronous(name, answer)
  return answer.then((settled) => functionResult(name, as, settled, writes))
}

/** Returns the fault of a function that has thrown. */
export function rejected(thrown: unknown, call: Pick<FunctionCall, 'args'>): Fault {
  return functionFailed(nameOf(call), thrown)
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

/** A condition never is RUNNING, so its function answers at once. */
function asynchronous(name: string, answer: Promise<unknown>): Fault {
  answer.catch(() => undefined)
  return answersAtOnce(name, 'returned a promise')
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

function contextOf(call: FunctionCall, services: object, blackboard: FunctionBoard): FunctionContext {
  const path = textOf(codeArgs(call).node)
  return {
    blackboard,
    event: codeReader(call)('_event'),
    nodeId: path.slice(path.lastIndexOf('/') + 1),
    nodePath: path,
    runId: call.run,
    key: call.key,
    signal: call.signal,
    services,
    markProgress: () => call.part({ progress: true }),
  }
}
