import {
  digest,
  type Host,
  isList,
  type Json,
  ledgerPort,
  type Port,
  type Run,
  type Store,
} from '../../packages/reflex/src/kernel/index.ts'
import { programHash } from '../../packages/reflex/src/kernel/step/program.ts'
import { NODES } from '../../packages/reflex/src/kinds/tree/nodes/table.ts'
import { PAUSED_AT } from '../../packages/reflex/src/kinds/tree/tick/debug-words.ts'
import { type FunctionRegistry, functionPort } from '../../packages/reflex/src/kinds/tree/tick/function-port.ts'
import { treeKind } from '../../packages/reflex/src/kinds/tree/tick/kind.ts'
import { type LuaRunner, scriptPort } from '../../packages/reflex/src/kinds/tree/tick/script-port.ts'
import { OPEN_AT, TICKS_AT } from '../../packages/reflex/src/kinds/tree/tick/tree-state.ts'
import type { KindSubject, Script, SubjectProgram } from '../../packages/reflex/src/testing/index.ts'
import { ABREAST, AGAIN, CALLER, CHILD, CLOCK, EVENTS, INNER, LEAVES, NEXT, OLD } from './tree-programs.ts'
import { suiteKind, suitePorts } from '../../packages/reflex/test/kinds/pipeline/engine/suite-world.ts'

/** The number and the beginning of the execution in the position of a tree. */
const EXECUTION_AT = 2

/** Trees that together do what a tree can. */
export function treeSubjects(): readonly KindSubject[] {
  const reload = (policy: string, ...messages: (readonly [number, string])[]): Script => ({
    messages: [{ topic: 'debug', body: { do: 'reload', reload: { hash: programHash('tree', NEXT.source), policy } } }],
    drive: sendAfter('v', messages),
  })
  const events = [2, 7, 3, 9].map((amount) => ({ topic: 'event', body: { amount } }))
  return [
    subject('leaves', [LEAVES, INNER, CHILD]),
    subject('again', [AGAIN]),
    subject('abreast', [ABREAST, CHILD]),
    unsealed(subject('events', [EVENTS], { messages: [...events, { topic: 'close', body: null }] })),
    // The clock goes on while no process lives, so that more than five ticks are right.
    {
      ...subject('clock', [CLOCK], { drive: sendAfter('ticks', [[5, 'close']]) }),
      timeless: () => null,
    },
    subject('reload at the end', [OLD, NEXT], reload('let_finish_then_swap', [2, 'event'], [4, 'close'])),
    // The event comes before the tree is cancelled, or after it.
    { ...subject('cancel and reload', [OLD, NEXT], reload('cancel_and_restart', [2, 'event'], [4, 'close'])), times: [...TIMES, '_event'] },
    subject('debug', [OLD], {
      drive: stepPaused,
      messages: [
        { topic: 'debug', body: 'break two' },
        { topic: 'event', body: 1 },
        { topic: 'close', body: null },
      ],
    }),
    subject('below a pipeline', [CALLER, AGAIN]),
  ]
}

/** Trees with messages stay for them. */
function subject(name: string, programs: readonly SubjectProgram[], script: Script = {}): KindSubject {
  return {
    name: `tree ${name}`,
    kinds: [treeKind({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) }), suiteKind()],
    programs,
    ...(script.messages === undefined ? {} : { args: { _stays: true } }),
    times: TIMES,
    timeless,
    ports: treePorts,
    script: {
      answer: ({ name: question, about }) => (JSON.stringify([question, about ?? null]).includes('late?') ? undefined : 'yes'),
      ...script,
    },
  }
}

/** The subject with journals of one segment: a run with several forgets the ids of old messages, and an event counts again. */
function unsealed(sealed: KindSubject): KindSubject {
  return { ...sealed, kinds: sealed.kinds.map(({ endless: _, ...kind }) => kind) }
}

function treePorts(store: Store, host: Host): Readonly<Record<string, Port>> {
  const functions: FunctionRegistry = {
    pay: ({ blackboard }, args) => (blackboard.set('paid', args), 'SUCCESS'),
    measure: {
      reads: true,
      run: ({ blackboard }) => (
        blackboard.set('total', JSON.stringify(blackboard.get('word')).length), Promise.resolve('SUCCESS' as const)
      ),
    },
    late: { repeat: 'keyed', run: () => new Promise((resolve) => host.turn(() => host.turn(() => resolve('SUCCESS')))) },
  }
  return {
    ...suitePorts(),
    // Its answers name no key: after a question about an outcome, later keys have other record numbers.
    tool: {
      leaves: true,
      repeat: 'keyed',
      perform: ({ args }) => ({ code: 0, stdout: digest(JSON.stringify(args)).slice(0, 8), stderr: '' }),
    },
    function: functionPort(functions, {}),
    script: scriptPort(() => Promise.resolve(LUA), host),
    ledger: ledgerPort(store, host),
  }
}

/** Lua that answers at once, as turns are counted here and a worker takes real time: `add KEY` adds one to a key. */
const LUA: LuaRunner = {
  run: ({ code, read }) => {
    const key = code.replace(/^add /, '')
    return Promise.resolve({ ok: true, value: null, writes: [['set', key, Number(read?.(key) ?? 0) + 1]], printed: [], steps: 1 })
  },
}

/** Fields that hold times. */
const TIMES = ['timestamp', '_tool_duration_ms', 'first', 'last', '_debug', '_reload', 'began', 'since', 'at', 'duration_ms']
/** The first time of the clocks of the suites. */
const TIMES_FROM = Date.UTC(2025)

/** A position without its counts of ticks and executions, which more processes can have more of, and in which each time of the calendar is 0. */
function timeless(position: Json): Json {
  if (!isList(position)) return position
  return withoutDates(position.with(0, 0).with(EXECUTION_AT, 0).with(TICKS_AT, 0))
}

function withoutDates(value: Json): Json {
  if (isList(value)) return value.map(withoutDates)
  return typeof value === 'number' && value > TIMES_FROM ? 0 : value
}

/** Sends messages, each once a key has reached a value. */
function sendAfter(key: string, messages: readonly (readonly [value: number, topic: string])[]): (run: Run) => Promise<boolean> {
  return async (run) => {
    const found = Number(run.state.root.reader().get(key) ?? 0)
    const [value, topic] = messages.findLast(([least]) => found >= least) ?? []
    return topic !== undefined && run.message(topic, null, { id: `${topic} at ${value}` })
  }
}

/** Steps a tree that has stopped before a node. */
async function stepPaused(run: Run): Promise<boolean> {
  for (const { id, position } of run.state.frames.values()) {
    const open = isList(position) ? position[OPEN_AT] : undefined
    if (!isList(open) || open[1] !== PAUSED_AT) continue
    await run.command(id, 'step')
    return true
  }
  return false
}
