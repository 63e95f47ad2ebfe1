import type { z } from 'zod'
import { type Fault, isFault } from '../kernel/index.ts'
import { checkSchema, type Locate, type Path, quote, suggest } from '../text/index.ts'
import type { Edge, Node, Workflow } from '../workflow/types.ts'
import { appointments, type Appointing, unknownAgent } from './appoint.ts'
import { edgesNamed, outgoing, unknownEdge } from './edges.ts'
import { faults } from './faults.ts'
import { isForeign } from './read-spec.ts'
import { personSpec, rulesSpec, toolSpec } from './spec.ts'
import type { ToolSettings } from './tool.ts'
import { faults as toolFaults } from '../tools/index.ts'

interface Checking {
  readonly settings: Appointing & Pick<ToolSettings, 'tools'>
  /** The agents that are there. */
  readonly names: readonly string[]
  readonly locate: Locate
}

const SCHEMAS: Readonly<Record<string, z.ZodObject>> = { rules: rulesSpec, tool: toolSpec, person: personSpec }

/**
 * What is wrong with the specs of a workflow and can be seen without running it: agents, tools and edges that are not
 * there, attributes that mean nothing, patterns, templates and times that cannot be read. Specs for other agents than
 * rules, tool and person are theirs to check.
 */
export function checkSpecs(workflow: Workflow, checking: Checking): readonly Fault[] {
  const found = Object.values(workflow.nodes).flatMap((node) => {
    try {
      return checkNode(workflow, node, checking)
    } catch (thrown) {
      if (isFault(thrown)) return [thrown]
      throw thrown
    }
  })
  // A name for all nodes is wrong once, not at each of them.
  return found.filter(({ message }, i) => found.findIndex((other) => other.message === message) === i)
}

function checkNode(workflow: Workflow, node: Node, checking: Checking): readonly Fault[] {
  const at = (...path: Path): Path => ['nodes', node.id, 'spec', ...path]
  const appointed = appointments(checking.settings, workflow, node)
  const strange = appointed.filter(({ name }) => !checking.names.includes(name))
  const agents = strange.map((one) =>
    unknownAgent(one, node, checking.names, checking.locate(one.from === 'workflow' ? ['metadata', 'agent'] : at('agent'))),
  )
  const [first] = appointed
  const schema = first === undefined || isForeign(node.spec) ? undefined : schemaFor(first.name, node)
  if (schema === undefined) return agents
  const locate: Locate = (path, options) => checking.locate(at(...path), options)
  const shape = checkSchema(schema, node.spec, { locate })
  return [...agents, ...shape, ...checkTool(node, checking, at), ...checkEdges(workflow, node, checking, at)]
}

/** What a built-in agent reads at a node; a person reads the spec of rules where nothing is asked. */
function schemaFor(name: string, { spec }: Node): z.ZodObject | undefined {
  if (name === 'person' && spec.ask === undefined) return spec.prompt === undefined ? rulesSpec : undefined
  return Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined
}

function checkTool({ spec }: Node, { settings, locate }: Checking, at: (...path: Path) => Path): readonly Fault[] {
  const { tool } = spec
  if (typeof tool !== 'string' || settings.tools.find(tool) !== undefined) return []
  const guess = suggest(tool, settings.tools.names())
  const hint = guess === undefined ? '' : `; did you mean ${quote(guess)}?`
  return [
    toolFaults.make('R4100', `there is no tool ${quote(tool)}${hint}`, {
      ...locate(at('tool')),
      fix: guess === undefined ? `tools: ${settings.tools.names().join(', ')}` : `write ${guess}`,
    }),
  ]
}

/** Every edge that a spec names must leave the node. */
function checkEdges(workflow: Workflow, node: Node, { locate }: Checking, at: (...path: Path) => Path): readonly Fault[] {
  const all = outgoing({ workflow, node })
  return namedEdges(node).flatMap(([name, ...path]) => judge(name, all, node.id, () => locate(at(...path))))
}

function judge(name: string, all: readonly Edge[], node: string, place: () => ReturnType<Locate>): readonly Fault[] {
  if (edgesNamed(name, all).length > 0) return []
  if (all.length > 0) return [unknownEdge(name, node, all, all, place())]
  return [faults.make('R2103', `no edge leaves ${node}, so it cannot go ${quote(name)}`, { ...place(), fix: 'remove it, or add the edge' })]
}

/** The names of edges in a spec whose shape may be wrong, with their paths. */
function namedEdges({ spec }: Node): readonly (readonly [name: string, ...path: Path])[] {
  const found: (readonly [string, ...Path])[] = []
  const take = (name: unknown, ...path: Path): void => {
    if (typeof name === 'string') found.push([name, ...path])
  }
  take(spec.go, 'go')
  for (const [list, field] of [
    ['rules', 'go'],
    ['options', 'event'],
  ] as const) {
    const items: unknown = spec[list]
    if (!Array.isArray(items)) continue
    for (const [i, item] of (items as unknown[]).entries()) {
      if (typeof item === 'object' && item !== null && field in item) take((item as Record<string, unknown>)[field], list, i, field)
    }
  }
  return found
}
