import type { Json, JsonObject, Kind } from '../../../../src/kernel/index.ts'
import { ledgerPort } from '../../../../src/kernel/index.ts'
import { encodeRecord } from '../../../../src/kernel/journal/codec.ts'
import type { Port } from '../../../../src/kernel/ports/port.ts'
import type { Run } from '../../../../src/kernel/run/run.ts'
import type { Runtime } from '../../../../src/kernel/run/runtime.ts'
import type { NodeManifest } from '../../../../src/kinds/tree/manifest/manifest.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { type FunctionRegistry, functionPort } from '../../../../src/kinds/tree/tick/function-port.ts'
import { treeKind } from '../../../../src/kinds/tree/tick/kind.ts'
import { HEADER } from '../../../../src/kinds/tree/tick/tree-state.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost, type VirtualHost } from '../../../../src/testing/index.ts'
import { worldOf } from '../../../kernel/world.ts'

/** A node as data. Without an id it has that of its type, numbered. */
export function n(type: string, params: JsonObject & { readonly id?: string } = {}, children: readonly NodeSource[] = []): NodeSource {
  const { id, ...rest } = params
  return { type, id: id ?? `${type}_${++nodes}`, params: rest, children }
}
let nodes = 0

/** A leaf that answers what `script` lists, then its last item for ever. An item is a status, or what it writes with its status. */
export function leaf(id: string): NodeSource {
  return n('action', { id, fn: id })
}

export type Answer = 'S' | 'F' | 'R' | { readonly [key: string]: Json }

export interface Forest {
  readonly runtime: Runtime
  readonly run: Run
  readonly host: VirtualHost
  /** The nodes that were called, in order. */
  readonly calls: string[]
  /** The events of the tree so far. */
  readonly events: (readonly [string, JsonObject])[]
  states(): Record<string, string>
  get(key: string): Json | undefined
  event(body: Json): Promise<void>
  /** Sends a message of another topic. */
  message(topic: string, body: Json): Promise<void>
  /** The records so far, each as it is stored. */
  records(): Promise<readonly string[]>
  /** Sends a command of the host to the tree. */
  command(body: Json): Promise<void>
  pass(ms: number): Promise<void>
}

export interface ForestOptions {
  readonly tree?: Partial<TreeSource>
  readonly scripts?: Readonly<Record<string, readonly Answer[]>>
  readonly functions?: FunctionRegistry
  readonly ports?: Readonly<Record<string, Port>> | ((host: VirtualHost) => Readonly<Record<string, Port>>)
  readonly stays?: boolean
  /** Commands from the first tick on. */
  readonly debug?: readonly string[]
  readonly input?: JsonObject
  readonly nodes?: readonly NodeManifest[]
  readonly trees?: readonly TreeSource[]
  /** Other kinds, each with a program of its name. */
  readonly kinds?: readonly Kind[]
}

const STATES = ['FRESH', 'RUNNING', 'SUCCESS', 'FAILURE']

/** Starts a tree in memory, and ticks it until it rests. */
export async function forest(root: NodeSource, options: ForestOptions = {}): Promise<Forest> {
  const calls: string[] = []
  const store = memoryStore()
  const host = virtualHost({ seed: 7 })
  const functions = { ...scripted(options.scripts ?? {}, calls), ...options.functions }
  const ports = { function: functionPort(functions, {}) as unknown as Port, ledger: ledgerPort(store, host), ...portsOf(options, host) }
  const table = new Map([...NODES, ...(options.nodes ?? [])].map((manifest) => [manifest.type, manifest]))
  const world = worldOf([treeKind({ nodes: table }), ...(options.kinds ?? [])], { ports, store, host })
  for (const { name } of options.kinds ?? []) world.runtime.programs.add(name, name, {})
  for (const tree of options.trees ?? []) world.runtime.programs.add('tree', tree.id, tree as unknown as Json)
  const source: TreeSource = { format: 1, id: 'main', events: true, root, ...options.tree, board: boardOf(options) }
  const events: [string, JsonObject][] = []
  const run = await world.start('tree', {
    source: source as unknown as Json,
    args: {
      ...options.input,
      ...(options.stays === true ? { _stays: true } : {}),
      ...(options.debug === undefined ? {} : { _debug: options.debug }),
    },
    prepare: (made) => void made.observe(({ record }) => events.push(...eventsOf(record.more?.note))),
  })
  const rest = async (): Promise<void> => {
    // A run whose effect never ends is not idle: it rests after some turns.
    await Promise.race([run.idle(), turns(50)])
  }
  await rest()
  return {
    runtime: world.runtime,
    run,
    host,
    calls,
    events,
    states: () => statesOf(run, source),
    get: (key) => run.state.root.reader().get(key),
    event: async (body) => {
      await run.message('event', body)
      await rest()
    },
    message: async (topic, body) => {
      await run.message(topic, body)
      await rest()
    },
    records: async () => (await world.runtime.history(run.id)).records.map((record) => encodeRecord(record).text),
    command: async (body) => {
      await run.command(0, body)
      await rest()
    },
    pass: async (ms) => {
      await host.advance(ms)
      await rest()
    },
  }
}

function portsOf({ ports }: ForestOptions, host: VirtualHost): Readonly<Record<string, Port>> {
  return typeof ports === 'function' ? ports(host) : (ports ?? {})
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

function eventsOf(note: Json | undefined): [string, JsonObject][] {
  return ((note as { readonly events?: [string, JsonObject][] } | undefined)?.events ?? []).map(([type, payload]) => [type, payload])
}

/** The keys that leaves write, and those of the tree. */
function boardOf({ tree, scripts = {}, input = {} }: ForestOptions): NonNullable<TreeSource['board']> {
  const written = Object.values(scripts)
    .flat()
    .flatMap((answer) => (typeof answer === 'string' ? [] : Object.keys(answer)))
  const keys = [...written, ...Object.keys(input)].filter((key) => key !== 'status' && key !== 'reason' && !key.startsWith('_'))
  return { ...Object.fromEntries(keys.map((key) => [key, {}])), ...tree?.board }
}

function scripted(scripts: Readonly<Record<string, readonly Answer[]>>, calls: string[]): FunctionRegistry {
  const STATUS = { S: 'SUCCESS', F: 'FAILURE', R: 'RUNNING' } as const
  return Object.fromEntries(
    Object.entries(scripts).map(([id, answers]) => {
      let count = 0
      const entry = {
        reads: true,
        run: (context: { readonly blackboard: { set(key: string, value: unknown): void } }) => {
          calls.push(id)
          const answer = answers[Math.min(count++, answers.length - 1)] ?? 'S'
          if (typeof answer === 'string') return STATUS[answer]
          const { status = 'SUCCESS', reason, ...writes } = answer
          for (const [key, value] of Object.entries(writes)) context.blackboard.set(key, value)
          return { status: status as 'SUCCESS', ...(typeof reason === 'string' ? { reason } : {}) }
        },
      }
      return [id, entry]
    }),
  )
}

/** The state of each node by its id. A tree with `on_failure` has a node above its root. */
function statesOf(run: Run, { root, on_failure }: TreeSource): Record<string, string> {
  const position = run.state.root.position as readonly Json[]
  const ids = on_failure === undefined ? idsOf(root) : ['tree', ...idsOf(root), ...idsOf(on_failure)]
  return Object.fromEntries(ids.map((id, i) => [id, STATES[stateIn(position[HEADER + i] ?? 0)] ?? '']))
}

function stateIn(slot: Json): number {
  return Array.isArray(slot) ? Number(slot[0]) : Number(slot)
}

function idsOf({ id, children = [] }: NodeSource): string[] {
  return [id, ...children.flatMap(idsOf)]
}
