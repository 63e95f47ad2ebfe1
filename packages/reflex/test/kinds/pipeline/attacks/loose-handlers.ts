import { execFileSync } from 'node:child_process'
import { isList, isObject, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import { textOf } from '../../../../src/kinds/pipeline/dot/graph.ts'
import { askModel, callSource, callTool, fork, perform } from '../../../../src/kinds/pipeline/contract/asks.ts'
import type { Handler, NodeContext } from '../../../../src/kinds/pipeline/contract/handler.ts'
import { refusal, success } from '../../../../src/kinds/pipeline/contract/outcome.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'

/** Handlers as somebody writes them who has not thought of attacks. */

/** Puts values of the context into the text of a command. */
export const pasting: Handler = function* (scene) {
  const written = commandOf(scene)
  const command = written.replace(/\$\{?([\w.]+)\}?/g, (_, key: string) => scene.text(key))
  const settled = yield* callTool('shell', { command })
  return settled.error === undefined ? success() : refusal(settled.error.message)
}

/** Gives a command every value that its node lists, under whatever name. */
export const givingAll: Handler = function* (scene) {
  const keys = (textOf(scene.attributes, 'env_keys') ?? '').split(',').map((key) => key.trim())
  const environment: JsonObject = Object.fromEntries(keys.map((key) => [key.split('.').at(-1) ?? key, scene.text(key)]))
  const settled = yield* callTool('shell', { command: commandOf(scene), environment })
  const said = isObject(settled.ok) ? renderText(settled.ok['stdout']) : (settled.error?.message ?? '')
  return success({ [`shell.${scene.node.id}.output`]: said, 'tool.output': said })
}

function commandOf({ attributes }: NodeContext): string {
  return textOf(attributes, 'tool_command') ?? textOf(attributes, 'command') ?? ''
}

/** Calls whatever tool a model names, with whatever it gives. */
export const obeying: Handler = function* (scene) {
  const asked = yield* askModel({ messages: [{ role: 'user', content: textOf(scene.attributes, 'prompt') ?? '' }] })
  if ('error' in asked) return refusal(asked.error.message)
  for (const { name, args } of asked.reply.calls ?? []) yield* callTool(name, args)
  return success({ last_response: asked.reply.text })
}

/** Calls whatever tools the context says that a model has named. */
export const dispatching: Handler = function* (scene) {
  for (const call of listOf(scene.get('llm.tool_calls'))) {
    const { name, args } = call
    yield* callTool(name === 'shell_execute' ? 'shell' : renderText(name), isObject(args) ? args : {})
  }
  return success()
}

/** Does what an agent has decided on, the text of commands included. */
export const acting: Handler = function* (scene) {
  for (const { params } of listOf(scene.get('actions'))) {
    if (isObject(params)) yield* callTool('shell', { command: renderText(params['command']) })
  }
  return success()
}

/** Tells a model what the context holds, as it stands. */
export const quoting: Handler = function* (scene) {
  const content = (textOf(scene.attributes, 'prompt') ?? '').replace(/\$([\w.]+)/g, (_, key: string) => scene.text(key))
  const asked = yield* askModel({ messages: [{ role: 'user', content }] })
  return 'error' in asked ? refusal(asked.error.message) : success({ last_response: asked.reply.text })
}

/** Starts the program that the context holds, with whatever inputs. */
export const starting: Handler = function* (scene) {
  const inputs = scene.get('inputs')
  yield* callSource('pipeline', 'started', { dot: scene.text('source'), author: 'untrusted' }, isObject(inputs) ? inputs : {})
  return success()
}

/** Recalls what the agent remembers that the context names. */
export const recalling: Handler = function* (scene) {
  const args = { query: scene.text('session.input'), limit: 10 }
  const settled = yield* perform('service', {
    service: 'memory',
    op: 'recall',
    agent: scene.text('session.agent_id'),
    now: scene.now,
    args,
  })
  return success({ 'session.recalled_memories': settled.ok ?? null })
}

/** Gives each item to its handler under whatever key. */
export const forging: Handler = function* (scene) {
  const say = (name: string): string => textOf(scene.attributes, name) ?? ''
  const [item = null] = isList(scene.get(say('items_key'))) ? (scene.get(say('items_key')) as readonly Json[]) : [0]
  const attributes = JSON.parse(say('handler_attrs')) as JsonObject
  const id = `${scene.node.id}[0]`
  const [ended] = yield* fork({
    fork: [{ id, item: { type: say('item_type'), attributes, id }, values: { [say('item_key')]: item } }],
    atOnce: 1,
  })
  return ended?.status === 'success' ? success() : refusal(ended?.failure_reason ?? '')
}

/** Runs the command that a value of the context is. */
export const running: Handler = function* (scene) {
  yield* callTool('shell', { command: scene.text('command') })
  return success()
}

/** Checks text with the patterns of the language, which go back and try again. */
export const backtracking: Handler = (scene) => {
  const script = 'process.exit(new RegExp(process.argv[1]).test(process.argv[2]) ? 0 : 1)'
  const words = [textOf(scene.attributes, 'pattern') ?? '', scene.text(textOf(scene.attributes, 'source_key') ?? '')]
  try {
    execFileSync(process.execPath, ['-e', script, ...words], { timeout: 1_000, stdio: 'ignore' })
    return success()
  } catch (thrown) {
    const late = thrown instanceof Error && 'code' in thrown && thrown.code === 'ETIMEDOUT'
    return success({ hangs: late ? 'it hangs' : 'it does not match' })
  }
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value
  return isList(list) ? list.filter((one) => isObject(one)) : []
}
