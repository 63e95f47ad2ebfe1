import { type Fields, fieldsOf, listOf } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'
import { wrapModel, wrapProvider } from './agents-models.ts'
import { wrapAgentsTool } from './agents-tools.ts'
import type { Adapter, DeclareTool, FrameworkContext, FrameworkTurn, NoteRestore } from './contract.ts'

/**
 * The OpenAI Agents SDK. Its models are reached through the provider of a `Runner`, also those of agents that are used as tools, and on the
 * agents that have a model of their own.
 */
export const openAiAgents: Adapter = { framework: 'openai-agents', adapt, turnOf, complete }

function adapt(settings: Fields, declare: DeclareTool, note: NoteRestore): Fields {
  const { runner, modelProvider, model, models, tools } = settings
  const config = fieldsOf(fieldsOf(runner)['config'])
  if (runner !== undefined) note(wrapProvider(config['modelProvider'], 'runner'))
  if (modelProvider !== undefined) note(wrapProvider(modelProvider, 'modelProvider'))
  // The name of a model is looked up by the provider.
  for (const each of [model, config['model'], ...listOf(models)])
    if (each !== undefined && typeof each !== 'string') note(wrapModel(each, 'model'))
  for (const tool of listOf(tools)) wrapAgentsTool(tool, declare, note)
  return settings
}

function turnOf(agent: object): FrameworkTurn | undefined {
  if (!isAgent(agent)) return undefined
  const all = [...reachable(agent)].map(fieldsOf)
  const call =
    (stream: boolean) =>
    (input: unknown, { settings, signal }: FrameworkContext): unknown =>
      runnerOf(settings).run(agent, input, { stream, ...(signal !== undefined && { signal }) })
  return {
    tools: all.flatMap(({ tools }) => listOf(tools)),
    models: all.flatMap(({ model }) => (typeof model === 'object' && model !== null ? [model] : [])),
    run: call(false),
    stream: call(true),
  }
}

function isAgent(agent: object): boolean {
  const { handoffs, tools, asTool, getAllTools } = fieldsOf(agent)
  return Array.isArray(handoffs) && Array.isArray(tools) && typeof asTool === 'function' && typeof getAllTools === 'function'
}

/** Returns an agent with all those to which it can hand a conversation over. */
function reachable(agent: object): ReadonlySet<object> {
  const found = new Set<object>([agent])
  // A set gives what is added during the loop as well.
  for (const one of found)
    for (const handoff of listOf(fieldsOf(one)['handoffs']).map(fieldsOf)) {
      const next = isAgent(handoff) ? handoff : fieldsOf(handoff['agent'])
      if (isAgent(next)) found.add(next)
    }
  return found
}

interface Runner {
  run(agent: object, input: unknown, options: object): unknown
}

function runnerOf({ runner }: Fields): Runner {
  if (typeof fieldsOf(runner)['run'] === 'function') return runner as Runner
  throw faults.make('R2155', 'an agent of the OpenAI Agents SDK is run by a runner, and none was given', {
    path: 'runner',
    fix: 'write reflex.wrap({ framework: "openai-agents", agent, runner: new Runner({ modelProvider }) })',
  })
}

/** A result of a runner has its state and all its items; the record has these already, as calls. */
async function complete(output: unknown): Promise<unknown> {
  const { completed, rawResponses } = fieldsOf(output)
  if (completed instanceof Promise) await completed
  return Array.isArray(rawResponses) ? { output: fieldsOf(output)['finalOutput'] } : output
}
