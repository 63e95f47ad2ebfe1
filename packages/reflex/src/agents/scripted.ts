import { copyJson, isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { readQuestion } from '../people/index.ts'
import type { BlackboardWrite, Decision, DecisionContext } from '../kinds/workflow/index.ts'
import { PURE, type RunnableAgent } from './agent.ts'
import { chooseEdge, onlyEdge } from './edges.ts'
import { faults } from './faults.ts'

export interface ScriptOptions {
  /** The file of the script, for messages and as the author of decisions. */
  readonly file?: string | undefined
}

const FIELDS = ['go', 'writes', 'because', 'suspend', 'complete', 'type', 'edge', 'reason', 'ask', 'by']

/**
 * Returns an agent that decides from data: a node (`workflow/node` or the node alone) and its decision, or a list of decisions
 * in order. It handles only the nodes of the script. The position in a list is kept in memory: another process, and an effect
 * that is repeated after a crash, start at the first decision.
 */
export function scriptedAgent(data: unknown, options: ScriptOptions = {}): RunnableAgent {
  const file = options.file ?? 'the script'
  const script = readScript(data, file, options.file)
  const turns = new Map<string, number>()
  return {
    handles: (context) => entryOf(context, script) !== undefined,
    traits: () => PURE,
    async resolve(context) {
      const name = entryOf(context, script)
      const entry = name === undefined ? undefined : script[name]
      if (name === undefined || entry === undefined)
        throw faults.make('R2121', `${file} has no decision for ${context.node.id}`, { path: context.node.id })
      const turn = turns.get(name) ?? 0
      const decision = isList(entry) ? entry[turn] : entry
      if (decision === undefined)
        throw faults.make('R2121', `${file} has ${turn} decisions for ${name}, and the node needs another one`, { path: context.node.id })
      const made = decide(decision, context, file)
      turns.set(name, turn + 1)
      return made
    },
  }
}

function entryOf({ workflow, node }: DecisionContext, script: JsonObject): string | undefined {
  return [`${workflow.id}/${node.id}`, node.id].find((name) => Object.hasOwn(script, name))
}

function readScript(data: unknown, name: string, file: string | undefined): JsonObject {
  const script = copyJson(data, name)
  if (!isObject(script)) throw faults.make('R2120', `${name} must be a JSON object of nodes and decisions`, { file })
  for (const [node, entry] of Object.entries(script)) {
    for (const [i, decision] of (isList(entry) ? entry : [entry]).entries()) {
      if (typeof decision === 'string') continue
      const path = isList(entry) ? `${node}[${i}]` : node
      if (!isObject(decision)) throw faults.make('R2120', `${path} in ${name} is not a decision`, { file, path })
      const unknownField = Object.keys(decision).find((key) => !FIELDS.includes(key))
      if (unknownField !== undefined)
        throw faults.make(
          'R2120',
          `${path} in ${name} has the unknown field ${JSON.stringify(unknownField)}; a decision has go, writes, because, suspend or complete`,
          { file, path: `${path}.${unknownField}` },
        )
    }
  }
  return script
}

/** Returns the decision of an entry, written in the short form or as the engine has it. */
function decide(entry: Json, context: DecisionContext, by: string): Decision {
  const decision = typeof entry === 'string' ? { go: entry } : (entry as JsonObject)
  const because = typeof decision.because === 'string' ? { because: decision.because } : {}
  const about = { by: typeof decision.by === 'string' ? decision.by : by, ...because }
  const writes = writesOf(decision.writes)
  const reason = decision.suspend ?? (decision.type === 'suspend' ? decision.reason : undefined)
  if (typeof reason === 'string')
    return {
      type: 'suspend',
      reason,
      ...(isObject(decision.ask) ? { ask: readQuestion(decision.ask, context.node.id) } : {}),
      ...writes,
      ...about,
    }
  if (decision.complete === true || decision.type === 'complete') return { type: 'complete', ...writes, ...about }
  const name = decision.go ?? decision.edge
  const edge = typeof name === 'string' ? chooseEdge(name, context) : onlyEdge(context)
  return edge === undefined ? { type: 'complete', ...writes, ...about } : { type: 'advance', edge: edge.id, ...writes, ...about }
}

/** Returns the writes of an entry, written as an object of keys and values or as the engine's list. */
function writesOf(writes: Json | undefined): { writes?: BlackboardWrite[] } {
  if (isList(writes))
    return {
      writes: writes.flatMap((write) =>
        isObject(write) && typeof write.key === 'string' ? [{ key: write.key, value: write.value ?? null }] : [],
      ),
    }
  return isObject(writes) ? { writes: Object.entries(writes).map(([key, value]) => ({ key, value })) } : {}
}
