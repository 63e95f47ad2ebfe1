import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReflexOptions, RunOptions } from '../../../src/app/options.ts'
import type { Reflex } from '../../../src/app/reflex.ts'
import { HandlerRegistry } from '../../../src/kinds/pipeline/engine/custom.ts'
import { SUCCESS } from '../../../src/kinds/tree/manifest/behaviour.ts'
import type { NodeManifest } from '../../../src/kinds/tree/manifest/manifest.ts'
import { defineTool } from '../../../src/tools/index.ts'
import { READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../../kinds/dataflow/run/graphs.ts'

/** A program that sleeps, and what a host needs to carry it on after that. */
export interface Deploy {
  readonly name: string
  /** Writes the program, and returns its file. */
  readonly write: (folder: string) => string
  /** A host that has what the program names. */
  readonly has: ReflexOptions
  /** A newer one that does not. */
  readonly lacks: ReflexOptions
  /** The words that the newer one lacks. */
  readonly words: readonly string[]
  readonly start?: RunOptions
  /** Wakes the run. Default: answers its question with `yes`. */
  readonly wake?: (reflex: Reflex, run: string) => Promise<unknown>
}

const charge = defineTool({ name: 'charge', description: 'Charges.', repeat: 'free', leaves: false, run: () => ({ paid: true }) })

function file(folder: string, name: string, content: object | string): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** A workflow with a question, and with an edge from it to the next node. */
const asking =
  (spec: object, guard?: object) =>
  (folder: string): string =>
    file(folder, 'ask.workflow.json', {
      id: 'ask',
      entry: 'ask',
      nodes: {
        ask: { id: 'ask', spec: { ask: 'Go on?', options: [{ event: 'YES' }] } },
        on: { id: 'on', spec },
        end: { id: 'end', spec: {} },
      },
      edges: [
        { id: 'yes', from: 'ask', to: 'on', event: 'YES' },
        { id: 'done', from: 'on', to: 'end', event: 'DONE', ...(guard === undefined ? {} : { guard }) },
      ],
    })

/** A pipeline that asks, and goes on to a node. */
const gated =
  (attributes: string, graph = '') =>
  (folder: string): string =>
    file(
      folder,
      'ask.dot',
      `digraph ask { ${graph} start [shape=Mdiamond]; gate [shape=hexagon, label="Go on?"]; on [${attributes}]; exit [shape=Msquare]
        start -> gate; gate -> on [label="yes"]; on -> exit }`,
    )

/** A tree that waits, and goes on to a node. */
const waiting =
  (node: object, more: object = {}) =>
  (folder: string): string =>
    file(folder, 'ask.tree.json', {
      format: 1,
      id: 'ask',
      ...more,
      root: {
        type: 'sequence',
        id: 'root',
        children: [{ type: 'ask', id: 'gate', params: { text: 'Go on?', options: ['yes'] } }, node],
      },
    })

const DIAL = {
  type: 'dial',
  role: 'leaf',
  children: [0, 0],
  parameters: [],
  propagates: 'leaf',
  outcomes: () => ({ success: true, failure: false, running: false }),
  doc: 'Turns a dial.',
  example: 'BT.dial()',
  behaviour: { enter: () => SUCCESS },
} as unknown as NodeManifest

const handlers = new HandlerRegistry()
handlers.register('score', { execute: () => ({ status: 'success' }), idempotency: 'idempotent' })

const SKILL = {
  schema: 'reflex.capability/1',
  id: 'app.restart',
  version: '1.0.0',
  owner: 'platform',
  description: 'Restarts an app.',
  compat: {},
  signature: { inputs: [{ name: 'app', type: 'string' }], outputs: [] },
  preconditions: { tools_available: ['charge'], invariants: ['quiet(args.app)', 'az.open'] },
  policy: { require_confirmation: true },
  plan: {
    idempotence_key: 'r:{{app}}',
    steps: [{ id: 'go', tool: 'charge', args: {} }],
    compensation: 'none',
    irreversible_reason: 'it restarts',
  },
  effects: { external: ['restarted:app'] },
  activation: { keywords_any: ['restart'], score_weights: { keyword_hit: 1 }, tau: 1 },
}
const quiet = { name: 'quiet', params: ['string'], returns: 'boolean', call: () => true } as const

const yes = async (reflex: Reflex, run: string): Promise<unknown> => reflex.answer(run, 'yes', { run: false })
const YES = async (reflex: Reflex, run: string): Promise<unknown> => reflex.answer(run, 'YES', { run: false })

/** The event of a graph, and the end of its events. */
const readings = async (reflex: Reflex, run: string): Promise<void> => {
  for (const event of [READINGS[1] ?? null, null]) await reflex.signal(run, 'event', event, { run: false })
}

export const DEPLOYS: readonly Deploy[] = [
  {
    name: 'a workflow with a tool',
    write: asking({ tool: 'charge', args: {} }),
    has: { tools: [charge] },
    lacks: {},
    words: ['tool:charge'],
    wake: YES,
  },
  {
    name: 'a workflow with a guard in a version',
    write: asking({ go: 'done' }, { type: 'custom', name: 'open', version: '2' }),
    has: { workflow: { guards: { open: { version: '2', evaluate: () => true } } } },
    lacks: { workflow: { guards: { open: { version: '3', evaluate: () => true } } } },
    words: ['function:workflow/open@2'],
    wake: YES,
  },
  {
    name: 'a workflow with a guard without a version',
    write: asking({ go: 'done' }, { type: 'custom', name: 'open', version: '2' }),
    has: { workflow: { guards: { open: () => true } } },
    lacks: {},
    words: ['function:workflow/open@2'],
    wake: YES,
  },
  {
    name: 'a workflow with an agent',
    write: asking({ agent: 'clerk' }),
    has: { workflow: { agents: { clerk: { resolve: async ({ validEdges }) => ({ type: 'advance', edge: validEdges[0]?.id ?? '' }) } } } },
    lacks: {},
    words: ['agent:workflow/clerk'],
    wake: YES,
  },
  {
    name: 'a pipeline with a handler',
    write: gated('type="score"'),
    has: { pipeline: { handlers } },
    lacks: {},
    words: ['node:pipeline/score'],
  },
  {
    name: 'a pipeline with an action and middleware',
    write: gated('type="exec", target="action", action="mail.ring"', 'middleware="audit"'),
    has: { pipeline: { actions: { mail_ring: () => ({}) }, middleware: new Map([['audit', { name: 'audit' }]]) } },
    lacks: {},
    words: ['action:pipeline/mail_ring', 'middleware:pipeline/audit'],
  },
  {
    name: 'a pipeline with a model of the application',
    write: gated('shape=box, prompt="Say it.", llm_model="house"'),
    has: { models: { house: { name: 'house', generate: async () => ({ text: 'It.', usage: {} }) as never } } },
    lacks: {},
    words: ['model:server or model:own/house or model:fallback'],
  },
  {
    name: 'a pipeline with a model that another application has not',
    write: gated('shape=box, prompt="Say it.", llm_model="house"'),
    has: { models: { house: { name: 'house', generate: async () => ({ text: 'It.', usage: {} }) as never } } },
    lacks: { models: { shed: { name: 'shed', generate: async () => ({ text: 'It.', usage: {} }) as never } } },
    words: ['model:server or model:own/house or model:fallback'],
  },
  {
    name: 'a pipeline without the name of a model',
    write: gated('shape=box, prompt="Say it."'),
    has: { model: 'simulated' },
    lacks: {},
    words: ['model:default'],
  },
  {
    name: 'a tree with a function',
    write: waiting({ type: 'action', id: 'go', params: { fn: 'ship.go' } }),
    has: { tree: { functions: { 'ship.go': () => 'SUCCESS' as const } } },
    lacks: {},
    words: ['function:tree/ship.go'],
  },
  {
    name: 'a tree with a pure function in a version',
    write: waiting({ type: 'action', id: 'go', params: { fn: 'limit' } }),
    has: { tree: { functions: { limit: { pure: () => 'SUCCESS' as const, version: '1' } } } },
    lacks: { tree: { functions: { limit: { pure: () => 'SUCCESS' as const, version: '2' } } } },
    words: ['function:tree/limit@1'],
  },
  {
    name: 'a tree with a type of node and a schema',
    write: waiting({ type: 'dial', id: 'go' }, { board: { at: { type: 'Level' } } }),
    has: { tree: { nodes: [DIAL], schemas: { Level: { type: 'number' } } } },
    lacks: {},
    words: ['node:tree/dial', 'schema:tree/Level'],
  },
  {
    name: 'a graph with a primitive',
    write(folder) {
      file(folder, 'heat.adapter.json', THERMOSTAT_ADAPTER)
      const host = { kind: 'host', channels: { log: { type: 'ledger', ledger: 'heater' } }, routes: { heater_command: { channel: 'log' } } }
      file(folder, 'heat.host.json', host)
      return file(folder, 'heat.dataflow.json', THERMOSTAT)
    },
    has: { dataflow: { primitives: [setHeater] } },
    lacks: {},
    words: ['function:dataflow/set_heater@0.1.0'],
    start: { dataflow: { stays: true } },
    wake: readings,
  },
  {
    name: 'a skill with a function and a fact',
    write: (folder) => file(folder, 'restart.skill.json', SKILL),
    has: { tools: [charge], skill: { functions: [quiet], facts: { az: () => ({ open: true }) } } },
    lacks: { tools: [charge] },
    words: ['fact:skill/az', 'function:skill/quiet'],
    start: { input: { app: 'shop' }, skill: { draft: true } },
  },
]

/** Wakes a run that sleeps. */
export async function wake({ wake: own = yes }: Deploy, reflex: Reflex, run: string): Promise<void> {
  await own(reflex, run)
}
