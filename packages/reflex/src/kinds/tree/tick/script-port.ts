import { textOf } from '../model/text-of.ts'
import { type Call, type Fault, type Host, isFault, isObject, type Json, type JsonObject, type Port } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { boardKeys } from '../lua/board-keys.ts'
import type { LuaPool } from '../lua/pool.ts'
import { scriptOutcome } from '../lua/script-outcome.ts'
import { faults } from '../model/faults.ts'
import type { CodeResult, CodeWrite } from '../nodes/run-code.ts'
import { codeArgs, codeReader } from './code-reader.ts'
import { ScriptRate } from './script-rate.ts'
import { TICKS_AT } from './tree-state.ts'

/** Runs Lua: the pool, or a double of it. */
export type LuaRunner = Pick<LuaPool, 'run'>

/** The user for whom scripts run when the blackboard names none. */
const ANONYMOUS = 'anonymous'

/**
 * The port of Lua at run time. Its arguments are `{ node, code, as, wall_ms, scope, tree, file, line }`, its result is a `CodeResult`, or a
 * boolean of a condition. A script leaves nothing outside: it is run again after a crash, and a replay takes the recorded result.
 * `pool` is called with the first script.
 */
export function scriptPort(pool: () => Promise<LuaRunner>, host: Pick<Host, 'now' | 'at'>): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform: scriptRunner(pool, host),
    reject: rejectedScript,
  }
}

/** What a script needs of the call that runs it. */
export type ScriptCall = Pick<Call<RunSettings>, 'args' | 'frame' | 'signal' | 'part'>

/** Returns the function that runs scripts: each user begins ten in a second at most. */
export function scriptRunner(pool: () => Promise<LuaRunner>, host: Pick<Host, 'now' | 'at'>): (call: ScriptCall) => Promise<Json> {
  const rate = new ScriptRate(host)
  return async (call) => {
    const args = codeArgs(call)
    const read = codeReader(call)
    if (args.as !== 'condition') {
      // A script that has to wait makes its node RUNNING, and its tree continues.
      await rate.take(userOf(read), call.signal, (count) => call.part({ running: true, rate: count }))
    }
    return run(await pool(), call, args, read)
  }
}

/** Returns the fault of a script whose call was rejected. */
export function rejectedScript(thrown: unknown): Fault {
  return isFault(thrown) ? thrown : faults.make('R1242', String(thrown), { rule: 'E5002', cause: thrown })
}

/** The user of a tree: `identity.user_id` on its blackboard. */
function userOf(read: (key: string) => Json | undefined): string {
  const identity = read('identity')
  return isObject(identity) && typeof identity.user_id === 'string' ? identity.user_id : ANONYMOUS
}

async function run(lua: LuaRunner, call: ScriptCall, args: JsonObject, read: (key: string) => Json | undefined): Promise<Json> {
  const isCondition = args.as === 'condition'
  const code = textOf(args.code)
  const file = typeof args.file === 'string' ? args.file : textOf(args.node)
  const result = await lua.run({
    code,
    file,
    line: typeof args.line === 'number' ? args.line : 1,
    as: isCondition ? 'condition' : 'script',
    board: Object.fromEntries(boardKeys(code).flatMap((key) => valueEntry(key, read(key)))),
    read,
    ctx: contextOf(call, args, read),
    limits: isCondition ? undefined : { timeoutMs: Number(args.wall_ms) },
    signal: call.signal,
  })
  if (!result.ok) throw faults.make(result.fault.code as 'R1242', result.fault.message, result.fault)
  if (isCondition) return result.value
  return resultOf(result.value, result.writes, result.printed) as unknown as Json
}

/** A key without a value travels along as nil, so that it is not asked for again. */
function valueEntry(key: string, value: Json | undefined): [string, Json][] {
  return value === undefined ? [] : [[key, value]]
}

function contextOf({ frame }: ScriptCall, args: JsonObject, read: (key: string) => Json | undefined): JsonObject {
  const position = Array.isArray(frame.position) ? frame.position : []
  const path = textOf(args.node)
  return {
    tick_count: Number(position[TICKS_AT] ?? 0),
    node_id: path.slice(path.lastIndexOf('/') + 1),
    tree_id: textOf(args.tree),
    ...eventOf(read('_event')),
  }
}

function eventOf(event: Json | undefined): JsonObject {
  return event === undefined ? {} : { event }
}

/** What the script has returned, with its writes: those of `bb.set`, then those of its result. */
function resultOf(value: Json, staged: readonly CodeWrite[], printed: readonly string[]): CodeResult {
  const outcome = scriptOutcome(value)
  if (outcome.status === 'invalid') throw faults.make('R1242', outcome.message, { rule: 'E5002' })
  const writes: CodeWrite[] = [
    ...staged,
    ...Object.entries(outcome.writes).map(([key, item]): CodeWrite => ['result', key, item]),
    ...Object.entries(outcome.fields).map(([key, item]): CodeWrite => ['field', key, item]),
  ]
  return {
    status: outcome.status,
    ...(outcome.reason === undefined ? {} : { reason: outcome.reason, isIntended: true }),
    ...(outcome.asyncId === undefined ? {} : { async_id: outcome.asyncId }),
    ...(writes.length === 0 ? {} : { writes }),
    ...(printed.length === 0 ? {} : { printed }),
  }
}
