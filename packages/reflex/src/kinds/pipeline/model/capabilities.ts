import { isObject } from '../../../kernel/journal/json.ts'
import { type Attributes, isOn, listOf, textOf } from '../dot/graph.ts'
import { ACTION_FACTS, canonicalAction } from './action-facts.ts'
import { TYPE_NAMES } from './aliases.ts'
import { fileUri, netUri, uri } from './capability-uris.ts'
import { operationOf } from './operation.ts'
import { type CustomHandler, resolveHandler } from './resolve-handler.ts'
import type { Resolution } from './typed.ts'
import { parseJson } from '../language/parse-json.ts'

/** What must be known of a node to say what it needs. */
export interface ResolvedNode extends Resolution {
  readonly operation: string
  readonly attributes: Attributes
}

type CapabilityRule = (text: (key: string) => string | undefined, attributes: Attributes) => readonly string[]

const EXECUTE = uri('orchestrator/execute')
/** The same for each type that is known: one text for all nodes. */
const EXECUTES: ReadonlyMap<string, string> = new Map(Array.from(TYPE_NAMES.keys(), (name) => [name, `${EXECUTE}/${name}`]))
const MODEL = uri('orchestrator/execute/llm_query')
const SHELL = uri('shell/exec')
const INVOKE = uri('orchestrator/invoke')
const DISPATCH = uri('orchestrator/map/dispatch')
const ASK = uri('human/ask')

const asksModel: CapabilityRule = () => [MODEL]
const asksPerson: CapabilityRule = () => [ASK]
// What runs without a sandbox is asked for when it does: a run that may not gets one whatever its program says (decisions, trust).
const runsCommand: CapabilityRule = () => [SHELL]
const callsProgram: CapabilityRule = (text) => [INVOKE, ...(text('graph_file') === undefined ? [] : [fileUri('read', text('graph_file'))])]
const usesMemory =
  (op: string): CapabilityRule =>
  () => [uri('memory', op)]
/** What a session recalls, and what that needs. */
const RECALLED_BY: ReadonlyMap<string, string> = new Map([
  ['goals', 'recall_goals'],
  ['intents', 'recall_intents'],
  ['beliefs', 'recall_beliefs'],
])
const usesNet: CapabilityRule = (text) => [netUri(text('url'))]

function actionNeeds(text: (key: string) => string | undefined): readonly string[] {
  const name = canonicalAction(text('action') ?? '')
  const facts = ACTION_FACTS.get(name)
  const parameterText = (parameter: string): string | undefined =>
    [parameter, ...(facts?.parameters[parameter]?.also ?? [])]
      .flatMap((one) => [text(`param.${one}`), text(`arg.${one}`)])
      .find((found) => found !== undefined)
  return [uri('action', name), ...(facts?.needs?.(parameterText) ?? [])]
}

/** What an operation does beyond being executed (reference pipeline 5.2); those that are not here do nothing. */
const CAPABILITY_RULES: ReadonlyMap<string, CapabilityRule> = new Map<string, CapabilityRule>([
  ['codergen', (text, attributes) => [MODEL, ...toolUris(attributes), ...attachmentUris(text, attributes)]],
  ['retry.escalate', asksModel],
  ['feedback.loop', asksModel],
  ['session.llm_call', asksModel],
  ['session.tool_dispatch', () => [uri('tool')]],
  ['session.memory_recall', (text) => [uri('memory', RECALLED_BY.get(text('recall_type') ?? '') ?? 'memory_recall')]],
  ['session.route_actions', () => ['route_actions', 'route_intents', 'apply_identity_insights'].map((op) => uri('memory', op))],
  ['session.store_identity', usesMemory('apply_identity_insights')],
  ...[
    'memory_update',
    'checkpoint',
    'background_checks',
    'update_goals',
    'store_decompositions',
    'process_proposal_decisions',
    'consolidate',
    'update_working_memory',
  ].map((op): [string, CapabilityRule] => [`session.${op}`, usesMemory(op)]),
  ['consensus.propose', asksModel],
  ['consensus.ask', asksModel],
  ['fan_in', (text) => (text('prompt') === undefined ? [] : [MODEL])],
  ['prompt.ab_test', (text) => [MODEL, ...storeUris(text('persistence'))]],
  ['drift_detect', (text) => storeUris(text('baseline_path') ?? '')],
  ['eval.run', (text) => (text('subject') === 'llm' ? [uri('eval', 'run'), MODEL] : [uri('eval', 'run')])],
  ['eval.dataset', (text) => [uri('eval', 'dataset'), fileUri('read', text('dataset'))]],
  ['eval.persist', () => [uri('eval', 'persist')]],
  ['eval.report', (text) => [uri('eval', 'report'), ...(text('output') === undefined ? [] : [fileUri('write', text('output'))])]],
  ['tool', runsCommand],
  ['shell', runsCommand],
  ['action', actionNeeds],
  ['function', (text) => [uri('function', text('function') ?? '')]],
  ['read.file', (text) => [fileUri('read', text('path'))]],
  ['read.api', usesNet],
  ['file.write', (text) => [fileUri('write', text('output') ?? text('path'))]],
  ['write.api', usesNet],
  ['memory.recall', usesMemory('recall')],
  ['memory.working_load', usesMemory('working_load')],
  ['memory.stats', usesMemory('stats')],
  ['memory.recall_store', (text) => [uri('memory', 'recall_store'), fileUri('read', text('memory_store'))]],
  ['memory.consolidate', usesMemory('consolidate')],
  ['memory.index', usesMemory('index')],
  ['memory.working_save', usesMemory('working_save')],
  ['memory.store_file', (text) => [uri('memory', 'store_file'), fileUri('write', text('memory_store'))]],
  ['graph.invoke', callsProgram],
  ['graph.compose', callsProgram],
  ['pipeline.run', (text) => [INVOKE, ...(text('source_file') === undefined ? [] : [fileUri('read', text('source_file'))])]],
  ['pipeline.validate', (text) => (text('source_file') === undefined ? [] : [fileUri('read', text('source_file'))])],
  ['stack.manager_loop', () => [INVOKE]],
  ['adapt', (text) => [uri('orchestrator/adapt', text('trust_tier') ?? 'probationary')]],
  ['wait.human', asksPerson],
  ['gate.approval', asksPerson],
  [
    'gate.capability',
    (text) => [text('resource_uri') ?? text('capability') ?? ''].filter((wanted) => wanted !== '').map((wanted) => wanted.toWellFormed()),
  ],
  ['map', () => [DISPATCH]],
])

/** How deep items may be maps of items; what lies deeper is refused when it is executed. */
export const DEEPEST_ITEM = 8

/**
 * Everything that a node needs, sorted: to be executed under the name of its type and under the alias that was written,
 * what its operation does, what its items do, its hooks, and what it asks for itself (reference pipeline 5.2). It goes by
 * what will be executed and not by how that is spelled, so that no other spelling needs less. A custom handler needs
 * what the host said of it, else `arbor://orchestrator/execute/custom/<name>`. `known`: the lists of other nodes of the
 * pipeline, which nodes that need the same share.
 */
export function capabilitiesOf(
  node: ResolvedNode,
  graph: Attributes,
  handlers: ReadonlyMap<string, CustomHandler>,
  known: Map<string, readonly string[]>,
): readonly string[] {
  const needs = [...handlerNeeds(node, handlers)]
  for (let item = itemOf(node, handlers), depth = 0; item !== undefined && depth < DEEPEST_ITEM; item = itemOf(item, handlers), depth++) {
    needs.push(DISPATCH, ...handlerNeeds(item, handlers))
  }
  const { attributes } = node
  if (trimmedText(attributes, 'pre_hook') !== undefined || trimmedText(attributes, 'post_hook') !== undefined) needs.push(SHELL)
  if (callsTools(node) && TOOL_HOOKS.some((hook) => (trimmedText(attributes, hook) ?? trimmedText(graph, hook)) !== undefined))
    needs.push(SHELL)
  for (const need of listOf(attributes, 'capabilities')) needs.push(need.toWellFormed())
  const key = JSON.stringify(needs)
  const same = known.get(key) ?? [...new Set(needs)].sort()
  known.set(key, same)
  return same
}

/** What the pipeline needs beside its nodes: its own hooks run commands. */
export function graphNeeds(graph: Attributes): readonly string[] {
  return trimmedText(graph, 'pre_hook') === undefined && trimmedText(graph, 'post_hook') === undefined ? [] : [SHELL]
}

const TOOL_HOOKS = ['tool_hooks.pre', 'tool_hooks.post']

function callsTools({ operation, attributes }: ResolvedNode): boolean {
  return operation === 'tool' || (operation === 'codergen' && isOn(attributes, 'use_tools'))
}

function handlerNeeds(node: ResolvedNode, handlers: ReadonlyMap<string, CustomHandler>): readonly string[] {
  const { canonical, rawType, operation, custom, attributes } = node
  if (custom !== undefined) return handlers.get(custom)?.capabilities ?? [uri('orchestrator/execute/custom', custom)]
  if (canonical === 'start' || canonical === 'exit') return []
  const execute = rawType === canonical ? [rawType] : [canonical, rawType]
  return [
    ...execute.map((name) => EXECUTES.get(name) ?? `${EXECUTE}/${name}`),
    ...(CAPABILITY_RULES.get(operation)?.((key) => trimmedText(attributes, key), attributes) ?? []),
  ]
}

/** The node that a map, or a parallel node with items, executes for each item. */
export function itemOf(
  { operation, attributes }: ResolvedNode,
  handlers: ReadonlyMap<string, CustomHandler> = new Map(),
): ResolvedNode | undefined {
  const isMap = operation === 'map' || (operation === 'parallel' && (attributes.has('items') || attributes.has('items_key')))
  if (!isMap) return undefined
  const type = trimmedText(attributes, 'item_type') ?? trimmedText(attributes, 'handler_type') ?? trimmedText(attributes, 'item_handler')
  if (type === undefined) return undefined
  const itemAttributes = new Map<string, { value: string | number | boolean; provenance: 'own' }>(
    attributesIn(trimmedText(attributes, 'handler_attrs')),
  )
  itemAttributes.set('type', { value: type, provenance: 'own' })
  const resolution = resolveHandler({ id: '', attributes: itemAttributes, classes: [] }, handlers)
  return { ...resolution, operation: operationOf(resolution, itemAttributes), attributes: itemAttributes }
}

function* attributesIn(text: string | undefined): Generator<[string, { value: string | number | boolean; provenance: 'own' }]> {
  const parsed = text === undefined ? undefined : parseJson(text)
  if (!isObject(parsed)) return
  for (const [key, value] of Object.entries(parsed)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [key, { value, provenance: 'own' }]
    else if (key === 'handler_attrs') yield [key, { value: textOfJson(value), provenance: 'own' }]
  }
}

/** Values that are nested too deeply to be written count as none. */
function textOfJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

function toolUris(attributes: Attributes): readonly string[] {
  if (!isOn(attributes, 'use_tools')) return []
  const tools = listOf(attributes, 'tools')
  return tools.length === 0 ? [uri('tool')] : tools.map((tool) => uri('tool', tool))
}

function attachmentUris(text: (key: string) => string | undefined, attributes: Attributes): readonly string[] {
  const named = listOf(attributes, 'attachments').map((path) => fileUri('read', path))
  return text('attachments_context_key') === undefined ? named : [...named, fileUri('read', undefined)]
}

function storeUris(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [fileUri('read', path), fileUri('write', path)]
}

function trimmedText(attributes: Attributes, key: string): string | undefined {
  return textOf(attributes, key)?.trim() || undefined
}
