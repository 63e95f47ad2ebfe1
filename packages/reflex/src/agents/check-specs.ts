import type { z } from 'zod'
import { type Fault, isFault, isObject } from '../kernel/index.ts'
import { checkSchema, type Locator, type Path, quote, suggest } from '../text/index.ts'
import type { Edge, Node, Workflow } from '../kinds/workflow/index.ts'
import { chosenAgents, type OperatorAgents, unknownAgent } from './chosen-agent.ts'
import { argumentFindings } from './check-arguments.ts'
import { questionFindings } from './check-questions.ts'
import { ruleFindings } from './check-rules.ts'
import { edgesNamed, unknownEdge } from './edges.ts'
import { faults } from './faults.ts'
import { isForeign, SPEC_ATTRIBUTES } from './read-spec.ts'
import { modelSpec, personSpec, rulesSpec, toolSpec } from './spec.ts'
import type { ToolSettings } from './tool.ts'
import { notOfferable } from './model-preparation.ts'
import { faults as toolFaults, offeredTool, offerOf } from '../tools/index.ts'

interface SpecCheck {
  readonly settings: OperatorAgents & Pick<ToolSettings, 'tools'>
  /** The names of the existing agents. */
  readonly names: readonly string[]
  readonly locate: Locator
  readonly models: ModelFindings
}

/** Returns the findings about the name of a model, before any request. */
export type ModelFindings = (name: string) => readonly Fault[]

const SCHEMAS: Readonly<Record<string, z.ZodObject>> = { rules: rulesSpec, tool: toolSpec, person: personSpec, model: modelSpec }

/** Codes whose faults name an agent or a tool: each is reported once, not at each node. */
const NAMES: ReadonlySet<string> = new Set(['R2101', 'R4100'])
/** Codes about a missing package or key: each concerns all models of a provider, and is reported once. */
const SETTINGS: ReadonlySet<string> = new Set(['R4003', 'R4004'])

/**
 * Returns the mistakes in the specs of a workflow that are visible without a run: unknown agents, tools and edges, unknown
 * attributes, and patterns, templates and times that cannot be read. Agents other than rules, tool, person and model check their
 * own specs.
 */
export function checkSpecs(workflow: Workflow, check: SpecCheck): readonly Fault[] {
  const leaving = Map.groupBy(workflow.edges, ({ from }) => from)
  const findings = Object.values(workflow.nodes).flatMap((node) => {
    try {
      return checkNode(workflow, node, leaving.get(node.id) ?? [], check)
    } catch (thrown) {
      if (isFault(thrown)) return [thrown]
      throw thrown
    }
  })
  const first = new Map<string, Fault>()
  for (const one of findings) {
    const id = NAMES.has(one.code)
      ? one.message
      : SETTINGS.has(one.code)
        ? `${one.code} ${one.fix}`
        : JSON.stringify([one.message, one.path])
    if (!first.has(id)) first.set(id, one)
  }
  return [...first.values()]
}

function checkNode(workflow: Workflow, node: Node, leaving: readonly Edge[], check: SpecCheck): readonly Fault[] {
  const at = (...path: Path): Path => ['nodes', node.id, 'spec', ...path]
  const appointed = chosenAgents(check.settings, workflow, node)
  const unknownAgents = appointed.filter(({ name }) => !check.names.includes(name))
  const agents = unknownAgents.map((one) =>
    unknownAgent(one, node, check.names, check.locate(one.from === 'workflow' ? ['metadata', 'agent'] : at('agent'))),
  )
  const [first] = appointed
  const schema = first === undefined || isForeign(node.spec) ? undefined : schemaFor(first.name, node)
  if (schema === undefined) return agents
  const locate: Locator = (path, options) => check.locate(at(...path), options)
  const misspelt = misspeltAgent(node)
  // Other findings would be those of the wrong agent.
  if (misspelt !== undefined)
    return checkSchema(misspelt.schema, node.spec, { locate }).filter(({ message }) => message.startsWith(misspelt.message))
  const shape = checkSchema(schema, node.spec, { locate })
  return [
    ...agents,
    ...shape,
    ...(schema === rulesSpec || schema === toolSpec ? ruleFindings(node, locate) : []),
    ...(schema === personSpec ? questionFindings({ workflow, node, validEdges: [...leaving] }, locate) : []),
    ...(schema === modelSpec ? checkModels(node, check.models, locate) : []),
    ...checkTool(node, check, at),
    ...(schema === modelSpec ? checkOffers(node, check, at) : []),
    ...checkEdges(node, leaving, check, at),
  ]
}

/** The attributes that decide the agent of a spec, with the schemas of these agents. */
const AGENT_ATTRIBUTES = { prompt: modelSpec, ask: personSpec, tool: toolSpec } as const

/**
 * Returns the misspelt attribute that was meant to decide the agent, with its schema. Without this check, the spec would be
 * checked as that of another agent.
 */
function misspeltAgent({ spec }: Node): { readonly schema: z.ZodObject; readonly message: string } | undefined {
  if (Object.keys(AGENT_ATTRIBUTES).some((name) => spec[name] !== undefined)) return undefined
  for (const key of Object.keys(spec)) {
    const meant = SPEC_ATTRIBUTES.includes(key) ? undefined : suggest(key, SPEC_ATTRIBUTES)
    if (meant === 'prompt' || meant === 'ask' || meant === 'tool')
      return { schema: AGENT_ATTRIBUTES[meant], message: `no attribute ${quote(key)}` }
  }
  return undefined
}

/**
 * Returns the schema of a built-in agent at a node. At a node without "ask" or "prompt", the agents `person` and `model` read
 * the spec of rules.
 */
function schemaFor(name: string, { spec }: Node): z.ZodObject | undefined {
  if (name === 'person' && spec.ask === undefined) return spec.prompt === undefined ? rulesSpec : modelSpec
  if (name === 'model' && spec.prompt === undefined) return rulesSpec
  return Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined
}

/** Returns the findings about the models that a node names. */
function checkModels({ spec }: Node, models: ModelFindings, locate: Locator): readonly Fault[] {
  const { fallback } = spec
  const named: readonly (readonly [name: unknown, path: Path])[] = [
    [spec.model, ['model']],
    ...(Array.isArray(fallback) ? fallback : []).map((name: unknown, i) => [name, ['fallback', i]] as const),
  ]
  return named.flatMap(([name, path]) =>
    typeof name === 'string' ? models(name).map((findings) => Object.assign(findings, locate(path))) : [],
  )
}

function checkTool({ spec }: Node, { settings, locate }: SpecCheck, at: (...path: Path) => Path): readonly Fault[] {
  const { tool, args } = spec
  if (typeof tool !== 'string') return []
  const known = settings.tools.find(tool)
  if (known !== undefined) return argumentFindings(known, args, (path, options) => locate(at(...path), options))
  return [unknownTool(tool, settings.tools, locate(at('tool')))]
}

function unknownTool(tool: string, tools: ToolSettings['tools'], place: ReturnType<Locator>): Fault {
  const known = tools.explainMissing?.(tool)
  if (known !== undefined) return Object.assign(known, place)
  const guess = suggest(tool, tools.names())
  const hint = guess === undefined ? '' : `; did you mean ${quote(guess)}?`
  return toolFaults.make('R4100', `there is no tool ${quote(tool)}${hint}`, {
    ...place,
    fix: guess === undefined ? `tools: ${tools.names().join(', ')}` : `write ${guess}`,
  })
}

/** Returns the faults of the offered tools: each must exist, and a model must be able to call it. */
function checkOffers({ spec }: Node, { settings, locate }: SpecCheck, at: (...path: Path) => Path): readonly Fault[] {
  const names: readonly unknown[] = Array.isArray(spec.tools) ? (spec.tools as readonly unknown[]) : []
  const findings = names.flatMap((name, i): Fault[] => {
    if (typeof name !== 'string') return []
    const tool = offeredTool(settings.tools, name)
    if (tool === undefined) return [unknownTool(name, settings.tools, locate(at('tools', i)))]
    return offerOf(tool) === undefined ? [notOfferable(name, locate(at('tools', i)))] : []
  })
  const { tool: chosen } = isObject(spec.toolChoice) ? spec.toolChoice : {}
  if (typeof chosen !== 'string' || names.includes(chosen)) return findings
  const message = `toolChoice names ${quote(chosen)}, but the node does not offer this tool`
  return [...findings, faults.make('R2100', message, { ...locate(at('toolChoice', 'tool')), fix: `add ${quote(chosen)} to "tools"` })]
}

/** Returns the faults of the named edges: each must leave the node. */
function checkEdges(node: Node, all: readonly Edge[], { locate }: SpecCheck, at: (...path: Path) => Path): readonly Fault[] {
  return namedEdges(node).flatMap(([name, ...path]) => nameFindings(name, all, node.id, path[0] !== 'options', () => locate(at(...path))))
}

/**
 * Returns the faults of a name of an edge. `one`: the name must mean a single edge; several unguarded edges of that name are
 * always open together.
 */
function nameFindings(name: string, all: readonly Edge[], node: string, one: boolean, place: () => ReturnType<Locator>): readonly Fault[] {
  const named = edgesNamed(name, all)
  const open = named.filter(({ guard }) => guard === undefined)
  if (one && open.length > 1) {
    const ids = open.map(({ id }) => quote(id)).join(', ')
    const details = { ...place(), severity: 'warning' as const, fix: `write one of ${ids}` }
    return [faults.make('R2105', `${quote(name)} names the edges ${ids} of ${node}, which are always open`, details)]
  }
  if (named.length > 0) return []
  if (all.length > 0) return [unknownEdge(name, node, all, all, place())]
  return [faults.make('R2103', `no edge leaves ${node}, so it cannot go ${quote(name)}`, { ...place(), fix: 'remove it, or add the edge' })]
}

/** Returns the names of edges in a spec whose shape may be wrong, with their paths. */
function namedEdges({ spec }: Node): readonly (readonly [name: string, ...path: Path])[] {
  const findings: (readonly [string, ...Path])[] = []
  const collect = (name: unknown, ...path: Path): void => {
    if (typeof name === 'string') findings.push([name, ...path])
  }
  collect(spec.go, 'go')
  for (const [list, field] of [
    ['rules', 'go'],
    ['options', 'event'],
  ] as const) {
    const items: unknown = spec[list]
    if (!Array.isArray(items)) continue
    for (const [i, item] of (items as unknown[]).entries()) {
      if (typeof item === 'object' && item !== null && field in item) collect((item as Record<string, unknown>)[field], list, i, field)
    }
  }
  return findings
}
