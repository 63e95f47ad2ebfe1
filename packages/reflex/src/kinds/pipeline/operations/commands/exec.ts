import type { FaultData } from '../../../../kernel/journal/fault.ts'
import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool, perform } from '../../contract/asks.ts'
import type { Handler, Scene, Settled, Steps } from '../../contract/handler.ts'
import { failure, type Outcome, readOutcome, refusal, success } from '../../contract/outcome.ts'
import { runAction } from '../actions/run.ts'
import { actionParameters } from './action-parameters.ts'
import { commandResult } from './command-result.ts'
import { commandVariables } from './command-variables.ts'
import { sandboxOf, stageFolder } from './hooks.ts'
import { onResume, placeOf, required } from './requirements.ts'
import { withStatus } from './status-file.ts'
import { withToolHooks } from '../models/tool-hooks.ts'

const TIMEOUT = 120_000
/** Characters of what a command said that stand in its failure. */
const SAID = 500

/** Runs the command of a tool (reference pipeline 4.5). */
export const tool: Handler = withToolHooks(
  (scene) => command(scene, 'tool_command', { output: 'tool.output', errors: 'tool.stderr', code: 'tool.exit_code' }),
  ({ attributes }) => ({ command: textOf(attributes, 'tool_command') ?? '' }),
)

/** Runs a command in a shell (reference pipeline 4.5). */
export const shell: Handler = (scene) => {
  const own = `shell.${scene.node.id}`
  return command(scene, 'command', { output: `${own}.output`, errors: `${own}.stderr`, code: `${own}.exit_code`, error: `${own}.error` })
}

/** Where what came of a command is written. */
interface Keys {
  readonly output: string
  readonly errors: string
  readonly code: string
  readonly error?: string
}

function command(scene: Scene, attribute: string, keys: Keys): Outcome | Steps {
  const text = required(scene, attribute)
  if (typeof text !== 'string') return text
  const given = commandVariables(scene)
  if ('problem' in given) return refusal(`${scene.node.id}: ${given.problem}`)
  return runs(scene, text, given.values, keys)
}

function* runs(scene: Scene, text: string, environment: JsonObject, keys: Keys): Steps {
  const { attributes, node } = scene
  const limit = durationOf(attributes, 'timeout')
  const settled = yield* callTool(
    'shell',
    {
      command: text,
      environment,
      cwd: placeOf(scene, textOf(attributes, 'cwd') ?? ''),
      timeout: limit === undefined || limit === 0 ? TIMEOUT : limit,
      stage: stageFolder(scene),
      whole: true,
      ...sandboxOf(scene),
    },
    onResume(scene),
  )
  if (settled.error !== undefined) return notRun(scene, settled.error, keys)
  const result = commandResult(settled.ok)
  if (typeof result['warning'] === 'string') scene.note('sandbox', { node_id: node.id, warning: result['warning'] })
  const status = result['status_file']
  return withStatus(ended(scene, result, keys), typeof status === 'string' ? status : undefined)
}

/** What a command that has ended comes to: a code other than 0 is what `on_error` says. */
function ended(scene: Scene, result: JsonObject, keys: Keys): Outcome {
  const { code = null, stdout = '', stderr = '', signal, truncated, kept, warning } = result
  const outputKey = textOf(scene.attributes, 'output_key')
  const reason = code === 0 ? undefined : reasonOf(scene.node.id, code, signal, renderText(stderr).trim() || renderText(stdout).trim())
  const updates = {
    [keys.output]: stdout,
    [keys.errors]: stderr,
    [keys.code]: code,
    ...(keys.error === undefined ? {} : { [keys.error]: reason ?? null }),
    ...(outputKey === undefined ? {} : { [outputKey]: stdout }),
  }
  const artifacts = wholeOutputs(kept)
  const whole = Object.keys(artifacts).map((name) => `${scene.node.id}/${name}`)
  const cut = whole.length === 0 ? 'the output was cut' : `the output was cut: all of it is the artifact ${whole.join(' and ')}`
  const notes = [warning, truncated === true ? cut : undefined].filter((note) => typeof note === 'string')
  const more = {
    context_updates: updates,
    ...(notes.length === 0 ? {} : { notes: notes.join('; ') }),
    ...(whole.length === 0 ? {} : { artifacts }),
  }
  return reason === undefined ? success(updates, more) : onError(scene, failure(reason, more))
}

/** The files with what a command has said beyond the cut, as artifacts of its node (reference pipeline 4.5). */
function wholeOutputs(kept: Json | undefined): JsonObject {
  const files = Object.entries(isObject(kept) ? kept : {}).flatMap(([name, file]): [string, Json][] => {
    const { path, bytes, sha256 } = isObject(file) ? file : {}
    return typeof path === 'string' ? [[`${name}.txt`, { $file: path, bytes: bytes ?? 0, sha256: sha256 ?? '' }]] : []
  })
  return Object.fromEntries(files)
}

function reasonOf(id: string, code: Json, signal: Json | undefined, said: string): string {
  const how = code === null ? `was ended by ${renderText(signal)}` : `exited with code ${renderText(code)}`
  return `${id} ${how}${said === '' ? '' : `: ${said.slice(0, SAID)}`}`
}

/** Faults that speak of what the command did; all others say that it was not run. */
const ENDED: ReadonlySet<string> = new Set(['R4131', 'R4132'])

function notRun(scene: Scene, error: FaultData, keys: Keys): Outcome {
  const { code, message } = error
  const updates = { [keys.code]: null, ...(keys.error === undefined ? {} : { [keys.error]: message }) }
  if (ENDED.has(error.code)) return onError(scene, failure(`${scene.node.id}: ${message}`, { code, context_updates: updates }))
  return refusal(`${scene.node.id}: ${message}`, { code, context_updates: updates })
}

/** What a node makes of a failure of what it runs: `fail` unless it says `warn` or `continue`. */
function onError(scene: Scene, failed: Outcome): Outcome {
  const word = textOf(scene.attributes, 'on_error')?.trim().toLowerCase()
  if (word !== 'warn' && word !== 'continue') return failed
  const { failure_reason = '', context_updates, artifacts } = failed
  if (word === 'warn') scene.note('stage_warning', { node_id: scene.node.id, warning: failure_reason })
  return success(context_updates, { notes: failure_reason, ...(artifacts === undefined ? {} : { artifacts }) })
}

/** Does something that has a name, of Reflex or of the host (reference pipeline 4.5, actions). */
export const action: Handler = (scene) => {
  const name = required(scene, 'action')
  if (typeof name !== 'string') return name
  const parameters = actionParameters(scene)
  if ('problem' in parameters) return refusal(`${scene.node.id}: ${parameters.problem}`)
  return performs(scene, name, parameters.values)
}

function* performs(scene: Scene, name: string, parameters: JsonObject): Steps {
  const done = yield* runAction(scene, name, parameters)
  if ('problem' in done) return notDone(scene, done.problem, done.passes === true, done.updates)
  const outcome = acted(scene, done.result, false)
  return { ...outcome, context_updates: { ...done.updates, ...outcome.context_updates } }
}

/** A failure of what has a name; trying again helps where it may pass. */
function notDone(scene: Scene, message: string, passes: boolean, updates: JsonObject = {}): Outcome {
  const { id } = scene.node
  const more = { context_updates: { ...updates, [`exec.${id}.error`]: message } }
  return onError(scene, passes ? failure(`${id}: ${message}`, more) : refusal(`${id}: ${message}`, more))
}

/** Calls a function that the host has registered. */
export const hostFunction: Handler = (scene) => {
  const name = required(scene, 'function')
  if (typeof name !== 'string') return name
  return calls(scene, name)
}

/** No port of that name: this runtime has no functions. */
const NO_PORT = 'R2013'

function* calls(scene: Scene, name: string): Steps {
  const settled: Settled = yield* perform('handler', { handler: name, node: scene.node.id })
  if (settled.error === undefined) return acted(scene, settled.ok, true)
  const { code, message, verdict } = settled.error
  if (code === NO_PORT) return refusal(`${scene.node.id}: unknown function ${JSON.stringify(name)}`)
  return notDone(scene, message, verdict === 'retry')
}

/** What an action gave: as JSON, and each field of it. What is an outcome counts as one. */
function acted(scene: Scene, result: Json, mayBeOutcome: boolean): Outcome {
  const { node, attributes } = scene
  const outcome = mayBeOutcome ? readOutcome(result) : undefined
  const value = outcome === undefined ? result : (outcome.context_updates ?? {})
  const prefix = textOf(attributes, 'output_prefix')
  const outputKey = textOf(attributes, 'output_key')
  const spread = (under: string): JsonObject =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [`${under}.${key}`, one])) : {}
  const updates = {
    ...spread(`exec.${node.id}`),
    ...(prefix === undefined || prefix === '' ? {} : spread(prefix)),
    [`exec.${node.id}.result`]: JSON.stringify(value),
    ...(outputKey === undefined ? {} : { [outputKey]: value }),
  }
  return outcome === undefined ? success(updates) : { ...outcome, context_updates: { ...outcome.context_updates, ...updates } }
}
