import { z } from 'zod'
import { type Change, type Json, type JsonObject, type RunRow, type State, topOf } from '../../../kernel/index.ts'
import { definitionFinder, type FindDefinition } from '../../../programs/kind-view.ts'
import { defineRoute, type RequestOrigin, type Route, type RouteAnswer, type RouteWorld } from '../../../programs/route.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { treeDocument, treeDot } from '../debug/formats.ts'
import { TreeHistory } from '../debug/history.ts'
import { treeFinder } from '../debug/laid-out.ts'
import type { PicturedTree } from '../debug/picture.ts'
import { faults } from '../model/faults.ts'
import { DEBUG_TOPIC, debugState } from '../tick/debug-state.ts'

const TREE = z.strictObject({ id: z.string().min(1).max(200).describe('A run of a tree') })
const ANY = z.looseObject({})
const NODE = z.string().min(1).max(1000)

/** The routes that debug trees (reference tree 7.4). Each needs the scope `admin`. */
export const treeRoutes: readonly Route[] = [
  defineRoute({
    name: 'trees.list',
    method: 'GET',
    url: '/api/bt/debug/trees',
    does: 'Lists the runs of trees.',
    scope: 'admin',
    answers: { 200: z.object({ trees: z.array(ANY) }) },
    async handle(request, world) {
      const answer = await world.call('runs.list', { query: { kind: 'tree', limit: 1000 } }, request)
      const { runs = [] } = 'json' in answer ? answer.json : {}
      const trees = (runs as JsonObject[]).map(({ id = '', program, status = '' }) => ({ id, program: program ?? null, status }))
      return { json: { trees } }
    },
  }),
  defineRoute({
    name: 'trees.get',
    method: 'GET',
    url: '/api/bt/debug/tree/{id}',
    does: 'Returns a tree with the states of its nodes.',
    scope: 'admin',
    path: TREE,
    answers: { 200: ANY },
    async handle({ path }, world) {
      const { row, tree } = await treeOf(path.id, world)
      return { json: { run: row.id, status: row.status, ...treeDocument(tree) } }
    },
  }),
  defineRoute({
    name: 'trees.blackboard',
    method: 'GET',
    url: '/api/bt/debug/tree/{id}/blackboard',
    does: 'Returns the values on the blackboard of a tree, with the record that wrote each.',
    scope: 'admin',
    path: TREE,
    answers: { 200: ANY },
    async handle({ path }, world) {
      const { state, isInternal } = await treeOf(path.id, world)
      const reader = topOf(state.root).reader()
      const keys = reader.keys().filter((key) => !isInternal(key))
      const values = keys.flatMap((key): [string, Json][] => {
        const entry = reader.entry(key)
        return entry?.value === undefined ? [] : [[key, { value: entry.value, record: entry.record }]]
      })
      return { json: { values: Object.fromEntries(values) } }
    },
  }),
  defineRoute({
    name: 'trees.history',
    method: 'GET',
    url: '/api/bt/debug/tree/{id}/history',
    does: 'Returns the newest changes of the statuses of nodes, the newest first; for one node also what it has done so far.',
    scope: 'admin',
    path: TREE,
    query: z.strictObject({
      node: NODE.exactOptional(),
      status: z.enum(['FRESH', 'RUNNING', 'SUCCESS', 'FAILURE']).exactOptional(),
      limit: z.coerce.number().int().min(1).max(10_000).default(100),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answers: { 200: ANY },
    async handle({ path, query }, world) {
      const { row, definition } = await treeOf(path.id, world)
      const history = new TreeHistory(query.limit + query.offset)
      for await (const change of world.changes(row.id)) history.add(change as Change<CompiledTree>, definition)
      const entries = history.query(query).map((entry) => ({ ...entry }))
      return { json: { entries, ...(query.node === undefined ? {} : { statistics: { ...history.statistics(query.node) } }) } }
    },
  }),
  defineRoute({
    name: 'trees.visualization',
    method: 'GET',
    url: '/api/bt/debug/tree/{id}/visualization',
    does: 'Draws a tree with the states of its nodes.',
    scope: 'admin',
    path: TREE,
    query: z.strictObject({ format: z.enum(['dot', 'json', 'svg']).default('dot') }),
    answers: { 200: 'text/vnd.graphviz' },
    async handle(request, world) {
      const { path, query } = request
      if (query.format === 'svg') return world.call('runs.graph', { path: { run: path.id }, query: { format: 'svg' } }, request)
      const { tree } = await treeOf(path.id, world)
      return query.format === 'json' ? { json: treeDocument(tree) } : { text: treeDot(tree), type: 'text/vnd.graphviz' }
    },
  }),
  defineRoute({
    name: 'trees.breakpoints',
    method: 'GET',
    url: '/api/bt/debug/tree/{id}/breakpoint',
    does: 'Lists the breakpoints of a tree.',
    scope: 'admin',
    path: TREE,
    answers: { 200: ANY },
    async handle({ path }, world) {
      const { tree } = await treeOf(path.id, world)
      const { breaks = {} } = debugState(tree.get) ?? {}
      return { json: { breakpoints: Object.entries(breaks).map(([node_id, one]) => ({ node_id, ...one })) } }
    },
  }),
  defineRoute({
    name: 'trees.break',
    method: 'POST',
    url: '/api/bt/debug/tree/{id}/breakpoint',
    does: 'Sets a breakpoint, or enables and disables one.',
    scope: 'admin',
    path: TREE,
    body: z.strictObject({ node_id: NODE, condition: z.string().max(10_000).exactOptional(), enabled: z.boolean().exactOptional() }),
    answers: { 202: ANY },
    handle({ path, body, ...origin }, world) {
      const { node_id, condition, enabled } = body
      const word = enabled === undefined ? 'break' : enabled ? 'enable' : 'disable'
      return command(`${word} ${node_id}${condition === undefined ? '' : ` when ${condition}`}`, path.id, world, origin)
    },
  }),
  defineRoute({
    name: 'trees.unbreak',
    method: 'DELETE',
    url: '/api/bt/debug/tree/{id}/breakpoint',
    does: 'Removes a breakpoint.',
    scope: 'admin',
    path: TREE,
    query: z.strictObject({ node_id: NODE }),
    answers: { 202: ANY },
    handle: ({ path, query, ...origin }, world) => command(`unbreak ${query.node_id}`, path.id, world, origin),
  }),
  defineRoute({
    name: 'trees.clear',
    method: 'DELETE',
    url: '/api/bt/debug/tree/{id}/breakpoint/all',
    does: 'Removes all breakpoints.',
    scope: 'admin',
    path: TREE,
    answers: { 202: ANY },
    handle: ({ path, ...origin }, world) => command('clear', path.id, world, origin),
  }),
  defineRoute({
    name: 'trees.validate',
    method: 'POST',
    url: '/api/bt/debug/validate',
    does: 'Returns the findings about the text of a tree.',
    scope: 'admin',
    body: z.strictObject({ text: z.string(), name: z.string().default('tree.lua') }),
    answers: { 200: ANY },
    handle: (request, world) => world.call('programs.check', { body: { ...request.body, kind: 'tree' } }, request),
  }),
]

/** Sends a command to the debugger of a run: it is a record, so a replay is equal. The process that owns the run takes it as a message. */
async function command(text: string, id: string, world: RouteWorld, origin: RequestOrigin): Promise<RouteAnswer> {
  const { row } = await treeOf(id, world)
  if (await world.command(row.id, text)) return { status: 202, json: { run: row.id, command: text } }
  return world.call('runs.signal', { path: { run: row.id, topic: DEBUG_TOPIC }, body: { value: text } }, origin)
}

interface ReadTree {
  readonly row: RunRow
  readonly state: State
  readonly tree: PicturedTree
  readonly definition: FindDefinition
  readonly isInternal: (key: string) => boolean
}

/** Reads a run of a tree. Throws `R1220` for a run of another kind. */
async function treeOf(id: string, world: RouteWorld): Promise<ReadTree> {
  const { row, state, definitions } = await world.peek(id)
  const { kind, def } = definitions.program(state.root.pin)
  if (kind !== 'tree') throw faults.make('R1220', `${row.id} is a run of a ${kind}, not of a tree`, { fix: `GET /v1/runs/${row.id}` })
  const reader = state.root.reader()
  const definition = definitionFinder(state, definitions)
  return {
    row,
    state,
    definition,
    isInternal: (key) => definitions.kind(kind).isInternal?.(key) === true,
    tree: {
      def: def as CompiledTree,
      position: state.root.position,
      get: (key) => reader.get(key),
      find: treeFinder(definition),
      now: world.host.now(),
    },
  }
}
